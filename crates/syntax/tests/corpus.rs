//! Every file of `corpus/syntax`. Files in `ok` are beside their trees, and files in `err` beside their diagnostics.
//!
//! `UPDATE_EXPECT=1 cargo test -p kilter-syntax` rewrites the expected results.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kilter_base::{Diagnostics, Sources};
use kilter_syntax::{parse_module, print_module, same_tree, sexpr_module};
use libtest_mimic::{Arguments, Trial};

fn corpus(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/syntax").join(folder);
    let entries = fs::read_dir(folder).expect("the corpus is a part of the repository");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tla"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

fn read(path: &Path) -> (Sources, kilter_base::FileId) {
    let mut sources = Sources::default();
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let file = sources.add(name, fs::read_to_string(path).expect("a readable file"));
    (sources, file)
}

fn describe(sources: &Sources, diagnostics: &Diagnostics) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let span = diagnostic.span.expect("all diagnostics of this crate have a place");
        let _ = writeln!(text, "{}: `{}`", sources.place(span), sources.text(span).escape_debug());
        let _ = writeln!(text, "  {}", diagnostic.message);
        for (span, label) in &diagnostic.related {
            let _ = writeln!(text, "  {}: {label}", sources.place(*span));
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(text, "  help: {help}");
        }
    }
    text
}

fn check(path: &Path, extension: &str, actual: &str) {
    let expected = path.with_extension(extension);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&expected, actual).expect("a writable corpus");
    }
    let expected = fs::read_to_string(&expected).unwrap_or_default();
    assert!(
        expected == actual,
        "{} changed; it is now:\n{actual}\nUPDATE_EXPECT=1 accepts it",
        path.display()
    );
}

fn main() -> ExitCode {
    let trials = |folder: &'static str, test: fn(&Path)| {
        corpus(folder).into_iter().map(move |path| {
            let name = path.file_stem().expect("a file of the corpus has a name").to_string_lossy();
            Trial::test(format!("{folder}/{name}"), move || {
                test(&path);
                Ok(())
            })
        })
    };
    let all = trials("ok", good_module).chain(trials("err", bad_module)).collect();
    libtest_mimic::run(&Arguments::from_args(), all).exit_code()
}

/// A good module parses to its tree, and its printed text parses to the same tree.
fn good_module(path: &Path) {
    let (mut sources, file) = read(path);
    let (module, diagnostics) = parse_module(&sources, file);
    assert!(diagnostics.is_empty(), "{}", describe(&sources, &diagnostics));
    let module = module.expect("a module");
    check(path, "tree", &(sexpr_module(&module) + "\n"));
    let printed = print_module(&module);
    let again = sources.add("printed", printed.clone());
    let (reparsed, diagnostics) = parse_module(&sources, again);
    assert!(diagnostics.is_empty(), "{printed}\n{}", describe(&sources, &diagnostics));
    assert!(same_tree(&module, &reparsed.expect("a module")), "{}:\n{printed}", path.display());
}

/// A bad module gets its diagnostics, and the definitions around the mistakes are still found.
fn bad_module(path: &Path) {
    let (sources, file) = read(path);
    let (module, diagnostics) = parse_module(&sources, file);
    assert!(diagnostics.has_errors(), "{} has no errors", path.display());
    check(path, "err", &describe(&sources, &diagnostics));
    if let (Some(module), true) = (module, sources.file(file).text.contains("Fine ==")) {
        let tree = sexpr_module(&module);
        assert!(tree.contains("(def Fine() 1)"), "{}:\n{tree}", path.display());
    }
}
