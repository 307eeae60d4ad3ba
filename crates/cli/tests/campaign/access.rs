//! Brokers that want to know who comes: keys, credentials, certificates. All are made here.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use nkeys::KeyPair;
use serde_json::{Value as Json, json};

use super::{Brokers, command};
use crate::common::says;

/// Looks at the broker with these variables.
fn watch(brokers: &Brokers, env: &[(&str, &Path)]) -> Output {
    let words = ["campaign", "watch", "--once", "--nats", &brokers.url()];
    let mut watch = command(brokers.folder.path(), &words);
    watch.envs(env.iter().copied()).output().expect("it can be run")
}

/// What is said by a broker that lets us in.
const IN: &str = "the broker has no campaign";

/// Starts a broker with this configuration, which is completed by the folder of its files.
fn broker(configuration: &str, folder: &Path) -> Option<Brokers> {
    let path = folder.join("server.conf");
    fs::write(&path, configuration).expect("ours");
    Brokers::start(1, &["-js", "-c", path.to_str().expect("a plain path")])
}

fn write(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("ours");
    path
}

#[test]
fn a_broker_with_keys_knows_ours() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (ours, other) = (KeyPair::new_user(), KeyPair::new_user());
    let users = format!("authorization {{ users: [ {{ nkey: {} }} ] }}\n", ours.public_key());
    let Some(brokers) = broker(&users, folder.path()) else { return };
    let seed =
        |name: &str, pair: &KeyPair| write(folder.path(), name, &pair.seed().expect("a new one has a seed"));
    says(&watch(&brokers, &[("NATS_NKEY", &seed("ours.nk", &ours))]), 2, &[IN]);
    let other = watch(&brokers, &[("NATS_NKEY", &seed("other.nk", &other))]);
    says(&other, 2, &["does not let us in with the key in ", "other.nk"]);
    let broken = watch(&brokers, &[("NATS_NKEY", &write(folder.path(), "broken.nk", "SUXYZ"))]);
    says(&broken, 2, &["broken.nk has no key"]);
    says(&watch(&brokers, &[]), 2, &["does not let us in without credentials"]);
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - three.len()));
        let digit = |index: usize| char::from(DIGITS[((bits >> (18 - 6 * index)) & 63) as usize]);
        text.extend((0..=three.len()).map(digit));
    }
    text
}

/// What one key says of another one, signed by it.
fn token(issuer: &KeyPair, subject: &KeyPair, name: &str, nats: &Json) -> String {
    let head = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let (iss, sub) = (issuer.public_key(), subject.public_key());
    let claims =
        json!({ "jti": name, "iat": 1_700_000_000, "iss": iss, "sub": sub, "name": name, "nats": nats });
    let text = [head, claims].map(|part| base64(part.to_string().as_bytes())).join(".");
    let signature = issuer.sign(text.as_bytes()).expect("it has a seed");
    format!("{text}.{}", base64(&signature))
}

/// A file of credentials, as `nsc generate creds` makes it.
fn credentials(account: &KeyPair, user: &KeyPair) -> String {
    let nats =
        json!({ "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2 });
    let token = token(account, user, "worker", &nats);
    let seed = user.seed().expect("a new one has a seed");
    format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    )
}

#[test]
fn a_broker_with_accounts_takes_our_credentials() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let operator = KeyPair::new_operator();
    let (account, system, stranger) =
        (KeyPair::new_account(), KeyPair::new_account(), KeyPair::new_account());
    let limits = |storage: i64| {
        let any = json!(-1);
        json!({
            "subs": any, "data": any, "payload": any, "imports": any, "exports": any, "wildcards": true, "conn": any, "leaf": any,
            "mem_storage": storage, "disk_storage": storage, "streams": storage, "consumer": storage,
        })
    };
    let of_account = |pair: &KeyPair, name: &str, storage: i64| {
        let nats = json!({ "limits": limits(storage), "type": "account", "version": 2 });
        format!("{}: \"{}\"", pair.public_key(), token(&operator, pair, name, &nats))
    };
    let of_operator = token(&operator, &operator, "operator", &json!({ "type": "operator", "version": 2 }));
    let configuration = format!(
        "operator: \"{of_operator}\"\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n{}\n{}\n}}\n",
        system.public_key(),
        of_account(&account, "kilter", -1),
        of_account(&system, "system", 0)
    );
    let Some(brokers) = broker(&configuration, folder.path()) else { return };
    let user = KeyPair::new_user();
    let ours = write(folder.path(), "ours.creds", &credentials(&account, &user));
    says(&watch(&brokers, &[("NATS_CREDS", &ours)]), 2, &[IN]);
    let other = write(folder.path(), "other.creds", &credentials(&stranger, &user));
    says(
        &watch(&brokers, &[("NATS_CREDS", &other)]),
        2,
        &["does not let us in with the credentials in ", "other.creds"],
    );
    let broken = write(folder.path(), "broken.creds", "-----BEGIN NATS USER JWT-----\n");
    says(&watch(&brokers, &[("NATS_CREDS", &broken)]), 2, &["broken.creds has no credentials"]);
}

fn openssl(folder: &Path, words: &[&str]) {
    let made = Command::new("openssl").args(words).current_dir(folder).output();
    let made = made.expect("openssl can be run");
    assert!(made.status.success(), "{words:?}: {}", String::from_utf8_lossy(&made.stderr));
}

/// An authority, `NAME-ca.pem`, with a certificate of its own for the broker and one for us.
fn certificates(folder: &Path, name: &str) {
    let (authority, its_key) = (format!("{name}-ca.pem"), format!("{name}-ca.key"));
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let subject = format!("/CN={name}");
    let made = ["req", "-x509", "-days", "2", "-subj", &subject, "-keyout", &its_key, "-out", &authority];
    openssl(folder, &[&made[..], &key].concat());
    write(folder, "names", "subjectAltName=IP:127.0.0.1\n");
    for who in ["broker", "us"] {
        let file = |ending: &str| format!("{name}-{who}.{ending}");
        let (request, own_key, certificate) = (file("csr"), file("key"), file("pem"));
        let subject = format!("/CN={who}");
        openssl(
            folder,
            &[&["req", "-subj", &subject, "-keyout", &own_key, "-out", &request][..], &key].concat(),
        );
        let signed =
            ["x509", "-req", "-days", "2", "-in", &request, "-out", &certificate, "-extfile", "names"];
        openssl(folder, &[&signed[..], &["-CA", &authority, "-CAkey", &its_key, "-CAcreateserial"]].concat());
    }
}

#[test]
fn a_broker_with_certificates_and_we_trust_each_other() {
    if Command::new("nats-server").arg("--version").output().is_err() {
        assert!(std::env::var_os("KILTER_STORES").is_none(), "nats-server is missing");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    certificates(folder.path(), "known");
    certificates(folder.path(), "strange");
    let path = |name: &str| folder.path().join(name);
    let configuration = format!(
        "tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: true }}\n",
        path("known-broker.pem"),
        path("known-broker.key"),
        path("known-ca.pem")
    );
    let Some(brokers) = broker(&configuration, folder.path()) else { return };
    let with = |authority: &str, own: &str| {
        let (authority, certificate, key) = (
            path(&format!("{authority}-ca.pem")),
            path(&format!("{own}-us.pem")),
            path(&format!("{own}-us.key")),
        );
        watch(&brokers, &[("NATS_CA", &authority), ("NATS_CERT", &certificate), ("NATS_KEY", &key)])
    };
    says(&with("known", "known"), 2, &[IN]);
    // Who the broker is, we do not know.
    says(&with("strange", "known"), 2, &["there is no secure connection", "strange-ca.pem"]);
    // Who we are, it does not know.
    says(&with("known", "strange"), 2, &["there is no secure connection", "strange-us.pem"]);
    let half = watch(&brokers, &[("NATS_CA", &path("known-ca.pem")), ("NATS_CERT", &path("known-us.pem"))]);
    says(&half, 2, &["NATS_CERT is set, and NATS_KEY is not"]);
    let garbage = write(folder.path(), "garbage.pem", "-----BEGIN CERTIFICATE-----\nnothing\n");
    says(&watch(&brokers, &[("NATS_CA", &garbage)]), 2, &["there is no secure connection", "garbage.pem"]);
}
