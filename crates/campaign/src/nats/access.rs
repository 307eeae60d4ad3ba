//! Where brokers are, and who we are to them. Secrets come from files and from the environment, by the names that NATS's own tools give them;
//! they are never part of a command line, and nothing prints them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

/// Where brokers are, and who we are to them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// The addresses of brokers of one cluster.
    pub urls: Vec<String>,
    pub(super) who: Who,
    pub(super) tls: Tls,
}

/// Who we are.
#[derive(Clone, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(super) enum Who {
    #[default]
    Anybody,
    User(String, String),
    Token(String),
    /// The seed of a key, and the file that it is from.
    Key {
        seed: String,
        path: PathBuf,
    },
    /// A file of credentials.
    Credentials(PathBuf),
}

/// Certificates.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(super) struct Tls {
    pub(super) authority: Option<PathBuf>,
    pub(super) certificate: Option<(PathBuf, PathBuf)>,
}

/// Why it can't be said where brokers are or who we are.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum AccessError {
    /// Nobody says where a broker is.
    #[error(
        "nothing says where the broker is; name it with --nats nats://HOST:4222, in NATS_URL, or in a context (--context, NATS_CONTEXT)"
    )]
    NoUrl,
    /// A secret in an address.
    #[error(
        "the address of the broker has a user or password in it, which others on this machine and logs would show; leave it out, and set NATS_USER and NATS_PASSWORD, NATS_TOKEN, NATS_NKEY or NATS_CREDS, or use a context"
    )]
    SecretInUrl,
    /// A context that can't be read.
    #[error("the context {name} cannot be read from {}: {why}; `nats context ls` lists contexts", path.display())]
    NoContext {
        /// The name of the context.
        name: String,
        /// The path of its file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file with a key that can't be read.
    #[error("{} cannot be read: {why}", path.display())]
    NoFile {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file without a key.
    #[error("{} has no key: {why}; it should have the seed of a user's NKEY, which begins with SU", path.display())]
    NoKey {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// An address without a host.
    #[error("`{0}` is no address of a broker: it has no host; write nats://HOST:4222")]
    NoHost(String),
    /// A user without a password, or half of a certificate.
    #[error("{0} is set, and {1} is not")]
    Half(&'static str, &'static str),
}

/// Secrets stay out of whatever somebody prints.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("urls", &self.urls).finish_non_exhaustive()
    }
}

/// A context of the command `nats`. What it has besides is not ours.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Context {
    url: String,
    user: String,
    password: String,
    token: String,
    creds: String,
    nkey: String,
    cert: String,
    key: String,
    ca: String,
}

impl Access {
    /// What the user has said on the command line, in the environment, and in a context, in this order of precedence.
    pub fn find(
        url: Option<&str>,
        context: Option<&str>,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Access, AccessError> {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let named = context.map(str::to_owned).or_else(|| env("NATS_CONTEXT"));
        let context = named.map(|name| read_context(&name, &env)).transpose()?.unwrap_or_default();
        let of = |name: &str, in_context: &str| {
            env(name).or_else(|| (!in_context.is_empty()).then(|| in_context.to_owned()))
        };
        let urls =
            url.map(str::to_owned).or_else(|| of("NATS_URL", &context.url)).ok_or(AccessError::NoUrl)?;
        let urls = urls.split(',').map(|url| url.trim().to_owned()).filter(|url| !url.is_empty());
        let urls: Vec<String> = urls.collect();
        if urls.is_empty() {
            return Err(AccessError::NoUrl);
        }
        if let Some(url) = urls.iter().find(|url| url.ends_with("://")) {
            return Err(AccessError::NoHost(url.clone()));
        }
        if urls.iter().any(|url| has_secret(url)) {
            return Err(AccessError::SecretInUrl);
        }
        let who = if let Some(path) = of("NATS_CREDS", &context.creds) {
            let path = home(&path, &env);
            read(&path)?;
            Who::Credentials(path)
        } else if let Some(path) = of("NATS_NKEY", &context.nkey) {
            read_key(home(&path, &env))?
        } else if let Some(user) = of("NATS_USER", &context.user) {
            let password = of("NATS_PASSWORD", &context.password);
            Who::User(user, password.ok_or(AccessError::Half("NATS_USER", "NATS_PASSWORD"))?)
        } else {
            of("NATS_TOKEN", &context.token).map_or(Who::Anybody, Who::Token)
        };
        let path = |name, in_context: &str| of(name, in_context).map(|path| home(&path, &env));
        let certificate = match (path("NATS_CERT", &context.cert), path("NATS_KEY", &context.key)) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (Some(_), None) => return Err(AccessError::Half("NATS_CERT", "NATS_KEY")),
            (None, Some(_)) => return Err(AccessError::Half("NATS_KEY", "NATS_CERT")),
            (None, None) => None,
        };
        let tls = Tls { authority: path("NATS_CA", &context.ca), certificate };
        // The client would not say which of them is missing.
        tls.files().try_for_each(|path| read(path).map(drop))?;
        Ok(Access { urls, who, tls })
    }
}

impl Who {
    /// What it is, in words, without secrets.
    pub(super) fn words(&self) -> String {
        match self {
            Who::Anybody => "without credentials".to_owned(),
            Who::User(user, _) => format!("as the user {user}"),
            Who::Token(_) => "with this token".to_owned(),
            Who::Key { path, .. } => format!("with the key in {}", path.display()),
            Who::Credentials(path) => format!("with the credentials in {}", path.display()),
        }
    }
}

impl Tls {
    /// The files of all certificates and keys.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let own = self.certificate.iter().flat_map(|(certificate, key)| [certificate, key]);
        self.authority.iter().chain(own).map(PathBuf::as_path)
    }
}

/// Whether an address has a user, a password or a token before the name of the host.
fn has_secret(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().contains('@')
}

fn read_context(name: &str, env: &impl Fn(&str) -> Option<String>) -> Result<Context, AccessError> {
    let folder = env("XDG_CONFIG_HOME").map_or_else(|| home("~/.config", env), PathBuf::from);
    let path = folder.join("nats/context").join(format!("{name}.json"));
    let no_context = |why: String| AccessError::NoContext { name: name.to_owned(), path: path.clone(), why };
    let text = fs::read_to_string(&path).map_err(|error| no_context(error.to_string()))?;
    // The message of the parser would show the text.
    serde_json::from_str(&text)
        .map_err(|error| no_context(format!("line {} is no JSON of a context", error.line())))
}

fn read(path: &Path) -> Result<String, AccessError> {
    let no_file =
        |error: std::io::Error| AccessError::NoFile { path: path.to_owned(), why: error.to_string() };
    fs::read_to_string(path).map_err(no_file)
}

/// Reads the seed of a key, which is the only line of its file.
fn read_key(path: PathBuf) -> Result<Who, AccessError> {
    let seed = read(&path)?.trim().to_owned();
    match nkeys::KeyPair::from_seed(&seed) {
        Ok(_) => Ok(Who::Key { seed, path }),
        Err(error) => Err(AccessError::NoKey { path, why: error.to_string() }),
    }
}

/// A path that may begin with `~`.
fn home(path: &str, env: &impl Fn(&str) -> Option<String>) -> PathBuf {
    match (path.strip_prefix("~/"), env("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(url: Option<&str>, env: &[(&str, &str)]) -> Result<Access, AccessError> {
        Access::find(url, None, |name| {
            env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn secrets_come_from_the_environment() {
        let who = |env: &[(&str, &str)]| find(Some("nats://a"), env).map(|access| access.who);
        assert_eq!(who(&[]), Ok(Who::Anybody));
        let user = [("NATS_USER", "me"), ("NATS_PASSWORD", "secret")];
        assert_eq!(who(&user), Ok(Who::User("me".to_owned(), "secret".to_owned())));
        assert_eq!(who(&user[..1]), Err(AccessError::Half("NATS_USER", "NATS_PASSWORD")));
        assert_eq!(who(&[("NATS_TOKEN", "t")]), Ok(Who::Token("t".to_owned())));
        let folder = std::env::temp_dir().join(format!("kilter-creds-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("ours");
        fs::write(folder.join("me.creds"), "").expect("ours");
        let creds = [("NATS_CREDS", "~/me.creds"), ("HOME", folder.to_str().expect("a plain path"))];
        assert_eq!(who(&creds), Ok(Who::Credentials(folder.join("me.creds"))));
        fs::remove_dir_all(folder).expect("ours");
        let access = find(Some("nats://a,nats://b"), &user).expect("it is complete");
        assert_eq!(access.urls, ["nats://a", "nats://b"]);
        assert!(!format!("{access:?}").contains("secret"), "{access:?}");
    }

    #[test]
    fn files_that_have_no_secret_are_named() {
        let folder = std::env::temp_dir().join(format!("kilter-keys-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("ours");
        let path = |name: &str| folder.join(name).to_str().expect("a plain path").to_owned();
        let seed = nkeys::KeyPair::new_user().seed().expect("a new one has a seed");
        fs::write(path("good"), format!("{seed}\n")).expect("ours");
        fs::write(path("bad"), &seed[..20]).expect("ours");
        let with = |name: &str, file: &str| find(Some("nats://a"), &[(name, &path(file))]);
        let key = with("NATS_NKEY", "good").map(|access| access.who);
        assert_eq!(key, Ok(Who::Key { seed: seed.clone(), path: folder.join("good") }));
        let error = with("NATS_NKEY", "bad").expect_err("half of a seed").to_string();
        assert!(error.contains(&path("bad")) && error.contains("begins with SU"), "{error}");
        assert!(!error.contains(&seed[..20]), "{error}");
        for name in ["NATS_NKEY", "NATS_CREDS", "NATS_CA"] {
            let error = with(name, "none").expect_err("there is no such file").to_string();
            assert!(error.contains(&path("none")), "{name}: {error}");
        }
        fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn an_address_has_a_host() {
        assert_eq!(find(Some(""), &[]), Err(AccessError::NoUrl));
        assert_eq!(find(Some("nats://a, nats://"), &[]), Err(AccessError::NoHost("nats://".to_owned())));
        assert_eq!(find(Some("nats://a,,"), &[]).map(|access| access.urls), Ok(vec!["nats://a".to_owned()]));
    }

    #[test]
    fn secrets_in_addresses_are_refused() {
        for url in ["nats://me:secret@host", "token@host:4222", "nats://a,nats://t@b"] {
            let error = find(Some(url), &[]).expect_err("it has a secret").to_string();
            assert!(error.contains("NATS_PASSWORD") && !error.contains("secret@"), "{error}");
        }
        assert_eq!(find(None, &[]), Err(AccessError::NoUrl));
        assert!(find(None, &[("NATS_URL", "nats://host:4222/")]).is_ok());
    }

    #[test]
    fn a_context_says_what_the_environment_does_not() {
        let name = "NATS_CONTEXT";
        let folder = std::env::temp_dir().join(format!("kilter-context-{}", std::process::id()));
        fs::create_dir_all(folder.join("nats/context")).expect("ours");
        let text = r#"{"description":"","url":"nats://there","token":"secret","user_jwt":""}"#;
        fs::write(folder.join("nats/context/mine.json"), text).expect("ours");
        let text = r#"{"url":"nats://there","token":secret}"#;
        fs::write(folder.join("nats/context/broken.json"), text).expect("ours");
        let config = ("XDG_CONFIG_HOME", folder.to_str().expect("a plain path"));
        let access = find(None, &[(name, "mine"), config]).expect("the context is there");
        assert_eq!(
            (access.urls, access.who),
            (vec!["nats://there".to_owned()], Who::Token("secret".to_owned()))
        );
        let other = find(Some("nats://here"), &[(name, "mine"), config, ("NATS_TOKEN", "t")]);
        assert_eq!(other.map(|access| access.who), Ok(Who::Token("t".to_owned())));
        let broken = find(None, &[(name, "broken"), config]).expect_err("it is no JSON").to_string();
        assert!(broken.contains("line 1") && !broken.contains("secret"), "{broken}");
        assert!(matches!(find(None, &[(name, "none"), config]), Err(AccessError::NoContext { .. })));
        fs::remove_dir_all(folder).expect("ours");
    }
}
