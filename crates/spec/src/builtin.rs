//! The modules that come with Kilter.

macro_rules! modules {
    ($($name:literal,)*) => {
        /// The name and the text of each module, in alphabetical order.
        pub const MODULES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../modules/", $name, ".tla"))),)*];
    };
}

modules! {
    "Apalache", "Bags", "BagsExt", "BagsTheorems", "Bitwise", "CSV", "Combinatorics", "DyadicRationals",
    "FiniteSetTheorems", "FiniteSets", "FiniteSetsExt", "FiniteSetsExtTheorems", "Folds", "FoldsTheorems",
    "FunctionTheorems", "Functions", "GraphTheorems", "Graphs", "IOUtils", "Integers", "Json", "Naturals",
    "NaturalsInduction", "Quorum", "QuorumTheorems", "Randomization", "RealTime", "Reals", "Relation",
    "SVG", "SequenceTheorems", "Sequences", "SequencesExt", "SequencesExtTheorems", "Statistics", "TLAPS",
    "TLC", "TLCExt", "Toolbox", "UndirectedGraphs", "VectorClocks", "WellFoundedInduction",
}

/// The modules for which a user's file of the same name is ignored.
const STANDARD: &[&str] = &[
    "Bags",
    "FiniteSets",
    "Integers",
    "Naturals",
    "Randomization",
    "RealTime",
    "Reals",
    "Sequences",
    "TLC",
    "TLCExt",
    "Toolbox",
];

/// The text of the built-in module with this name.
pub fn text(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(module, _)| *module == name).map(|(_, text)| *text)
}

/// Whether the built-in module is used even if the user has a file of the same name.
pub fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name)
}

/// The names of all built-in modules.
pub fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    /// A file that is not listed would be left out silently.
    #[test]
    fn every_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/modules");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder of this crate's modules")
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".tla").map(str::to_string))
            .collect();
        files.sort();
        assert_eq!(files, super::names().collect::<Vec<_>>());
    }

    /// Resolves each module as the root of a specification, so that all its definitions are checked.
    #[test]
    fn every_module_is_sound() {
        let store = kilter_value::Store::with_capacity_bytes(1 << 22);
        for (name, text) in super::MODULES {
            let mut sources = kilter_base::Sources::default();
            let root = sources.add(format!("{name}.tla"), *text);
            let (modules, diagnostics) = crate::load(&mut sources, root, &mut |_| None);
            let resolution = crate::resolve(&modules, None, &sources, &store);
            let all = diagnostics.iter().chain(resolution.diagnostics.iter());
            let messages: Vec<_> =
                all.map(|found| (found.span.map(|span| sources.place(span)), &found.message)).collect();
            assert!(messages.is_empty(), "{messages:?}");
        }
    }
}
