//! The address of a testbed, and the environment variables that tell a node about it.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

/// The address of a testbed. It is written as `tcp:127.0.0.1:4711` or `unix:/path/of/socket`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// TCP, on loopback.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// The error for a text that is not an address.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{text}` is no address of a testbed; it should be `tcp:127.0.0.1:PORT` or `unix:PATH`")]
pub struct AddressError {
    /// The text.
    pub text: String,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let error = || AddressError { text: text.to_owned() };
        match text.split_once(':') {
            Some(("tcp", rest)) => rest.parse().map(Address::Tcp).map_err(|_| error()),
            Some(("unix", path)) if !path.is_empty() => Ok(Address::Unix(PathBuf::from(path))),
            _ => Err(error()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => write!(f, "tcp:{address}"),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// What a testbed has put into the environment of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The address of the testbed.
    pub address: Address,
    /// The node's name.
    pub node: String,
    /// A token, which proves that the node belongs to the run.
    pub token: String,
}

impl Environment {
    /// The variable with the address.
    pub const ADDRESS: &'static str = "KILTER_ADDRESS";
    /// The variable with the node's name.
    pub const NODE: &'static str = "KILTER_NODE";
    /// The variable with the token.
    pub const TOKEN: &'static str = "KILTER_TOKEN";
    /// The variable with the path of the node's own folder, which survives a restart.
    pub const DATA: &'static str = "KILTER_DATA";

    /// Reads the environment by a function that looks variables up. `None` if no testbed has started this process.
    pub fn look_up(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Environment>, AddressError> {
        let Some(address) = variable(Environment::ADDRESS) else { return Ok(None) };
        Ok(Some(Environment {
            address: address.parse()?,
            node: variable(Environment::NODE).unwrap_or_default(),
            token: variable(Environment::TOKEN).unwrap_or_default(),
        }))
    }
}
