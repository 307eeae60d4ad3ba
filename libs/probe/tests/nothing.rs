//! Without the feature `controlled`, a program with a probe is compiled to the same machine code as one without.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The assembly of the function `entry` of an example, without what names or places it.
fn entry_of(example: &str, features: &[&str]) -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nothing");
    let assembly: PathBuf = target.join(format!("{example}-{}.s", features.len()));
    let status = Command::new(env!("CARGO"))
        .args(["rustc", "--quiet", "--offline", "--release", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .args(["--example", example, "--target-dir"])
        .arg(&target)
        // What the probe stands on is not looked at, and takes long to optimise.
        .args(["--config", r#"profile.release.package."*".opt-level = 0"#])
        .args(features)
        .arg("--")
        .arg(format!("--emit=asm={}", assembly.display()))
        .args(["-C", "debuginfo=0", "-C", "codegen-units=1", "-C", "lto=off"])
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER") // it may leave optimisations out
        .status()
        .expect("cargo can be started");
    assert!(status.success(), "{example} {features:?} does not compile");
    let text = fs::read_to_string(&assembly).expect("the compiler has written it");
    let is_entry = |line: &&str| line.contains("5entry") && line.ends_with(':');
    let lines = text.lines().skip_while(|line| !is_entry(line)).skip(1);
    let body: Vec<&str> = lines.take_while(|line| !line.contains("func_end")).collect();
    assert!(!body.is_empty(), "no function `entry` in {}", assembly.display());
    body.join("\n")
}

#[test]
fn without_the_feature_nothing_is_left_of_the_probe() {
    let plain = entry_of("nothing_plain", &[]);
    assert_eq!(entry_of("nothing_probed", &[]), plain);
    // The comparison does see a difference if there is one.
    let controlled = entry_of("nothing_probed", &["--features", "controlled"]);
    assert!(controlled.len() > 2 * plain.len(), "{controlled}");
}
