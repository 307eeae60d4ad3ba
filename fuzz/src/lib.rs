//! What the fuzz targets share: the stages of `kilter check` on texts, without files.
//!
//! An input for [`resolved`] and [`checked`] is a module's text, a line `%%%%`, and a configuration's text.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kilter_base::Sources;
use kilter_check::{Counts, Limits, Options, Progress};
use kilter_spec::Spec;
use kilter_syntax::{parse_module, print_module, same_tree};
use kilter_value::{HeapFull, Store};

/// Stands between a module and its configuration.
const SEPARATOR: &str = "\n%%%%\n";
/// Modules whose operators touch files or start processes.
const FORBIDDEN: [&str; 4] = ["IOUtils", "Json", "CSV", "SVG"];
/// The heap of values; a full one is an error of the evaluation.
const HEAP_BYTES: usize = 64 << 20;

/// Parses a module. What was read without complaint must survive printing.
pub fn module(text: &str) {
    let mut sources = Sources::default();
    let file = sources.add("Fuzz", text);
    let (Some(tree), diagnostics) = parse_module(&sources, file) else { return };
    let printed = print_module(&tree);
    if !diagnostics.is_empty() {
        return;
    }
    let again = sources.add("Printed", printed.as_str());
    let (reparsed, diagnostics) = parse_module(&sources, again);
    assert!(diagnostics.is_empty(), "the printed module has errors: {diagnostics:?}\n{printed}");
    let same = reparsed.is_some_and(|reparsed| same_tree(&tree, &reparsed));
    assert!(same, "the printed module is another one:\n{printed}");
}

/// Parses a configuration.
pub fn config(text: &str) {
    let mut sources = Sources::default();
    let file = sources.add("Fuzz.cfg", text);
    kilter_syntax::parse_config(&sources, file);
}

/// Compares two versions of a source file. The first byte says in which language; both versions stand on the sides of `%%%%`, or are the
/// same if there is no such line.
pub fn source_changes(data: &[u8]) {
    const FILES: [&str; 4] = ["src/main.rs", "node.py", "Node.java", "main.go"];
    let Some((kind, text)) = data.split_first() else { return };
    let file = FILES[usize::from(*kind) % FILES.len()];
    let separator = SEPARATOR.as_bytes();
    let at = text.windows(separator.len()).position(|window| window == separator);
    let (old, new) = at.map_or((text, text), |at| (&text[..at], &text[at + separator.len()..]));
    let mapping = kilter_source::Mapping {
        actions: [
            ("Request".to_owned(), kilter_source::Runs::Code),
            ("Respond".to_owned(), kilter_source::Runs::Code),
            ("Restart".to_owned(), kilter_source::Runs::Start),
        ]
        .into(),
        ..kilter_source::Mapping::default()
    };
    let (old, new) = (source_tree(file, old), source_tree(file, new));
    let changed = kilter_source::compare(&old, &new, &mapping);
    assert!(old != new || changed.is_none(), "a version is no change of itself: {changed:?}");
    // Whatever changed has to be put somewhere, and the other way round nothing new may come of it.
    let back = kilter_source::compare(&new, &old, &mapping);
    assert_eq!(changed.is_none(), back.is_none(), "a change that is none in the other direction");
}

fn source_tree(file: &str, content: &[u8]) -> kilter_source::Tree {
    let mut tree = kilter_source::Tree::default();
    tree.files.insert(file.to_owned(), content.to_vec());
    tree
}

/// Reads what a testbed or a node may hear, to its end.
pub fn lines<M: PartialEq + std::fmt::Debug + serde::Serialize + serde::de::DeserializeOwned>(
    mut data: &[u8],
) {
    loop {
        match kilter_protocol::read_line::<M>(&mut data) {
            Ok(None) => return,
            Ok(Some(message)) => {
                let again = kilter_protocol::decode::<M>(&kilter_protocol::encode(&message));
                assert_eq!(again.expect("what was written can be read"), message);
            }
            Err(_) => {}
        }
    }
}

/// Resolves a specification; `None` if it has errors.
pub fn resolved(input: &str, store: &Store) -> Option<Spec> {
    let (module, config) = input.split_once(SEPARATOR).unwrap_or((input, ""));
    let mut sources = Sources::default();
    // Without the ending `.tla`, the module may have any name.
    let root = sources.add("Fuzz", module);
    let (modules, diagnostics) = kilter_spec::load(&mut sources, root, &mut |_| None);
    let file = sources.add("Fuzz.cfg", config);
    let (config, config_diagnostics) = kilter_syntax::parse_config(&sources, file);
    if diagnostics.has_errors() || config_diagnostics.has_errors() {
        return None;
    }
    let resolution = kilter_spec::resolve(&modules, Some(&config), &sources, store);
    let fine = !resolution.diagnostics.has_errors() && !resolution.config_diagnostics.has_errors();
    fine.then_some(resolution.spec)
}

/// Checks a specification within tight limits.
pub fn checked(input: &str) {
    if FORBIDDEN.iter().any(|word| input.contains(word)) {
        return;
    }
    let store = store();
    let Some(spec) = resolved(input, &store) else { return };
    let program = kilter_eval::compile(&spec, &store);
    let limits = Limits {
        states_max: Some(200),
        depth_max: Some(20),
        time_max: Some(Duration::from_secs(1)),
        memory_max_bytes: Some(HEAP_BYTES as u64),
    };
    let options = Options { limits, ..Options::default() };
    kilter_check::run(&program, &store, &options, &mut Quiet);
}

/// A small heap.
pub fn store() -> Store {
    Store::with_capacity_bytes(HEAP_BYTES)
}

/// Lets a full heap unwind: it is caught further up and is no bug, but the fuzzer would end the process.
pub fn allow_full_heap() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.payload().is::<HeapFull>() {
            abort(panic);
        }
    }));
}

struct Quiet;

impl Progress for Quiet {
    fn report(&mut self, _: &Counts, _: Duration) {}
    fn print(&mut self, _: &str) {}
    fn interrupted(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}
