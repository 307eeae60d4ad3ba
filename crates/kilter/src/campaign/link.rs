//! Which campaign, and where its brokers are.

use std::sync::Arc;

use kilter_campaign::{Broker, BrokerError, Patience, Patient};

use crate::error::{Error, Tried, find as find_cause};

/// Asks brokers again while none of them answers, but not for ever.
pub(super) fn patiently<T>(ask: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    Patience::silent().ask(ask, is_away)
}

/// Whether asking again may help.
pub(super) fn is_away(error: &Error) -> bool {
    let (Error::Input(cause) | Error::NotRunnable(cause) | Error::Lost(cause)) = error else { return false };
    matches!(find_cause::<BrokerError>(&**cause), Some(BrokerError::Away(_)))
}

/// Which campaign, and where its brokers are.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct At {
    /// The broker, such as nats://HOST:4222, or several of one cluster with commas between them [default: NATS_URL]
    #[cfg_attr(feature = "clap", arg(long, value_name = "URL"))]
    pub nats: Option<String>,
    /// Take address and credentials from this context of the command `nats` [default: NATS_CONTEXT]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub context: Option<String>,
    /// The name of the campaign; it is needed if the broker has several
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub name: Option<String>,
}

/// A campaign on brokers that have answered.
pub struct Link {
    name: String,
    url: String,
    make: Box<dyn Fn() -> Box<dyn Broker>>,
}

impl Link {
    /// The campaign that is meant, which must be there.
    pub fn open(at: &At) -> Result<Link, Error> {
        let (link, known) = find(at)?;
        let names = known.join(", ");
        match (&at.name, &known[..]) {
            (Some(name), _) if known.contains(name) => Ok(link(name)),
            (_, []) => Err(input(
                "the broker has no campaign; `kilter campaign start kilter.toml` makes one".to_owned(),
            )),
            (Some(name), _) => Err(input(format!("the broker has no campaign {name}; it has {names}"))),
            (None, [only]) => Ok(link(only)),
            (None, _) => {
                Err(input(format!("the broker has several campaigns; name one with --name: {names}")))
            }
        }
    }

    /// The campaign that will have this name. Says also whether there is one.
    pub(super) fn new(at: &At, name: &str) -> Tried<(Link, bool)> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(format!("`{name}` can be no name of a campaign; use letters, digits, - and _").into());
        }
        let (link, known) = find(at)?;
        Ok((link(name), known.iter().any(|known| known == name)))
    }

    /// The name of the campaign.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its brokers are.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What keeps the campaign. Each call gives another conversation with it, which waits while no broker answers.
    pub fn broker(&self) -> Box<dyn Broker> {
        self.patient_broker(Arc::new(Patience::silent()))
    }

    /// The same with another patience.
    pub(super) fn patient_broker(&self, patience: Arc<Patience>) -> Box<dyn Broker> {
        Box::new(Patient::new(self.hasty_broker(), patience))
    }

    /// The same for those who do something else while no broker answers.
    pub(super) fn hasty_broker(&self) -> Box<dyn Broker> {
        (self.make)()
    }
}

type Found = (Box<dyn Fn(&str) -> Link>, Vec<String>);

/// Connects. Returns what makes a link by name, and the names that there are.
#[cfg(feature = "campaign")]
fn find(at: &At) -> Result<Found, Error> {
    use kilter_campaign::nats::{Access, Nats};

    let env = |name: &str| std::env::var(name).ok();
    let access = Access::find(at.nats.as_deref(), at.context.as_deref(), env);
    let access = access.map_err(|error| Error::Input(error.into()))?;
    let nats = Nats::connect(&access).map_err(super::plain)?;
    let known = nats.campaigns().map_err(super::plain)?;
    let link = move |name: &str| {
        let (nats, name) = (nats.clone(), name.to_owned());
        let (url, of_link) = (nats.url().to_owned(), name.clone());
        Link { name: of_link, url, make: Box::new(move || Box::new(nats.campaign(&name))) }
    };
    Ok((Box::new(link), known))
}

#[cfg(not(feature = "campaign"))]
fn find(_: &At) -> Result<Found, Error> {
    Err(input("this kilter was built without campaigns; build it with `cargo install kilter-cli --features campaign`".to_owned()))
}

fn input(why: String) -> Error {
    Error::Input(why.into())
}
