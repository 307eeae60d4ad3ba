//! Classes in jars and folders. Somebody else reads the files.

use std::collections::{BTreeMap, BTreeSet};

use rawzip::{CompressionMethod, ZipArchive};

use crate::class::{Class, VARIABLE, dotted};

/// A class file that is larger is not read: nobody has such classes, and a damaged jar could claim anything.
const CLASS_BYTES_MAX: usize = 16 << 20;
/// How the names of class files end.
const CLASS: &str = ".class";

/// All classes of some jars and folders, by their full names. They are parsed when somebody asks for them.
#[derive(Clone, Debug, Default)]
pub struct Jars {
    classes: BTreeMap<String, Vec<u8>>,
}

impl Jars {
    /// The names of all classes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(String::as_str)
    }

    /// A class. `None` if there is none of this name.
    pub fn class(&self, name: &str) -> Option<Result<Class, String>> {
        let bytes = self.classes.get(name)?;
        Some(Class::read(bytes).map_err(|error| format!("the class {name} cannot be read: {error}")))
    }

    /// The variables that annotations give to fields.
    pub fn annotated(&self) -> BTreeSet<String> {
        // Most systems have none, and reading all classes takes long.
        let has_any =
            |bytes: &&Vec<u8>| bytes.windows(VARIABLE.len()).any(|part| part == VARIABLE.as_bytes());
        let classes = self.classes.values().filter(has_any).filter_map(|bytes| Class::read(bytes).ok());
        classes.flat_map(|class| class.fields).filter_map(|field| field.variable).collect()
    }

    /// Adds a class file, by its path in a jar or a folder. Of two classes with the same name the first counts, as for Java.
    /// Other files are left out.
    pub fn add_class(&mut self, path: &str, bytes: Vec<u8>) {
        // Other forms of a class, for other versions of Java, are below META-INF.
        if let Some(name) = path.strip_suffix(CLASS).filter(|name| !name.starts_with("META-INF/")) {
            self.classes.entry(dotted(name)).or_insert(bytes);
        }
    }

    /// Adds all classes of a jar. The error says what is wrong with it.
    pub fn add_jar(&mut self, bytes: &[u8]) -> Result<(), String> {
        let damaged = |error: rawzip::Error| error.to_string();
        let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
        let mut entries = archive.entries();
        while let Some(entry) = entries.next_entry().map_err(damaged)? {
            let path = entry.file_path();
            let Ok(name) = std::str::from_utf8(path.as_ref()) else { continue };
            if name.strip_suffix(CLASS).is_none() {
                continue;
            }
            let name = name.to_owned();
            let method = entry.compression_method();
            let packed = archive.get_entry(entry.wayfinder()).map_err(damaged)?;
            let unpacked = match method {
                CompressionMethod::STORE => packed.data().to_vec(),
                CompressionMethod::DEFLATE => {
                    miniz_oxide::inflate::decompress_to_vec_with_limit(packed.data(), CLASS_BYTES_MAX)
                        .map_err(|error| format!("{name}: {error}"))?
                }
                _ => return Err(format!("{name} is packed in a way that Java does not know")),
            };
            self.add_class(&name, unpacked);
        }
        Ok(())
    }
}
