//! What a campaign is about: the files that every worker needs, by the hashes of their contents, and the versions that must match.

use std::time::Duration;

use kilter_run::Verb;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

/// The name of the format.
pub const FORMAT: &str = "kilter-campaign";
/// The version that is written, and the only one that is read: all who take part have the same Kilter.
pub const VERSION: u32 = 3;

/// What a campaign is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`]
    pub format: String,
    /// [`VERSION`]
    pub version: u32,
    /// The Kilter that has started it.
    pub kilter: Build,
    /// The command whose cases are played.
    pub verb: Verb,
    /// The configuration among the files.
    pub config: String,
    /// The configuration as whoever started the campaign named it, for command lines that repeat a case.
    pub named: String,
    /// The suite that was named, for the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named_suite: Option<String>,
    /// The seed of the suite, or of the order of schedules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The size of a sample of schedules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<u64>,
    /// The number of neighbours that a job takes at once.
    pub batch: usize,
    /// The specification, and what else lies beside the configuration: they are unpacked where a worker wants them.
    pub files: Vec<Packed>,
    /// Files of the system that have a fixed place on every machine, or that the search path finds there.
    pub fixed: Vec<Packed>,
    /// Identifies the state graph, or the search.
    pub run: String,
    /// Identifies the configuration.
    pub system: String,
    /// The hash of the list of all cases.
    pub suite: String,
    /// The hash of the lines with which the record begins.
    pub record: String,
    /// A worker that has said nothing for so many milliseconds has lost its cases.
    pub lost_after_ms: u64,
    /// Whether the specification may run programs, write files and read any file.
    pub allow_io: bool,
}

/// A build of Kilter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The version.
    pub version: String,
    /// The hash of the program.
    pub hash: String,
}

/// A file of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packed {
    /// Its path: below the folder into which files are unpacked, or from the root if it has a fixed place.
    pub path: String,
    /// The hash of its content.
    pub hash: String,
    /// Whether it is a program.
    #[serde(default)]
    pub is_program: bool,
}

/// What a worker has that is not as the campaign has it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// The campaign was made by a Kilter whose campaigns this one does not know.
    #[error(
        "the campaign has version {0} of its format, and this Kilter knows version {VERSION}; use the Kilter that started it"
    )]
    Format(u32),
    /// The version of Kilter.
    #[error("this is Kilter {mine}, and the campaign was started by Kilter {theirs}; use that one")]
    Kilter {
        /// The version of this Kilter.
        mine: String,
        /// That of the Kilter that started the campaign.
        theirs: String,
    },
    /// A file of the system.
    #[error(
        "the system differs: {path} is not that with which the campaign was started; install the same version"
    )]
    System {
        /// The path of the file.
        path: String,
    },
    /// A file of the system is not there.
    #[error(
        "the system is not complete: {path} is missing here, and the campaign was started with one; install the same version"
    )]
    NoSystem {
        /// The path of the file.
        path: String,
    },
    /// The specification, or what it reads.
    #[error(
        "the state graph differs: {mine} here, {theirs} in the campaign; the specification reads something that is different here"
    )]
    Graph {
        /// The graph of this worker.
        mine: String,
        /// That of the campaign.
        theirs: String,
    },
    /// The configuration.
    #[error("the configuration differs from that with which the campaign was started")]
    Configuration,
}

impl Manifest {
    /// Whether a Kilter of this version can take part.
    pub fn check_build(&self, mine: &Build) -> Result<(), Mismatch> {
        if self.version != VERSION {
            return Err(Mismatch::Format(self.version));
        }
        if self.kilter.version != mine.version {
            let (mine, theirs) = (mine.version.clone(), self.kilter.version.clone());
            return Err(Mismatch::Kilter { mine, theirs });
        }
        Ok(())
    }

    /// A worker that has said nothing for so long has lost its cases.
    pub fn lost_after(&self) -> Duration {
        Duration::from_millis(self.lost_after_ms)
    }

    /// Whether a run is that of the campaign.
    pub fn check_run(&self, run: &str, system: &str) -> Result<(), Mismatch> {
        if self.system != system {
            return Err(Mismatch::Configuration);
        }
        if self.run != run && self.verb != Verb::Test {
            return Err(Mismatch::Configuration);
        }
        if self.run != run {
            return Err(Mismatch::Graph { mine: run.to_owned(), theirs: self.run.clone() });
        }
        Ok(())
    }
}

/// The hash of a content, by which the broker knows it.
pub fn hash(content: &[u8]) -> String {
    format!("{:032x}", xxh3_128(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let build = Build { version: "0.1.0".to_owned(), hash: "aa".to_owned() };
        Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            kilter: build,
            verb: Verb::Test,
            config: "kilter.toml".to_owned(),
            named: "kilter.toml".to_owned(),
            named_suite: None,
            seed: None,
            sample: None,
            batch: 1,
            files: Vec::new(),
            fixed: Vec::new(),
            run: "graph".to_owned(),
            system: "mapping".to_owned(),
            suite: String::new(),
            record: String::new(),
            lost_after_ms: 30_000,
            allow_io: false,
        }
    }

    #[test]
    fn what_differs_has_a_name() {
        let manifest = manifest();
        let build = |version: &str, hash: &str| Build { version: version.to_owned(), hash: hash.to_owned() };
        assert_eq!(manifest.check_build(&build("0.1.0", "bb")), Ok(()));
        let other = manifest.check_build(&build("0.2.0", "aa")).map_err(|error| error.to_string());
        let said = "this is Kilter 0.2.0, and the campaign was started by Kilter 0.1.0; use that one";
        assert_eq!(other, Err(said.to_owned()));
        assert_eq!(manifest.check_run("graph", "mapping"), Ok(()));
        assert_eq!(manifest.check_run("graph", "other"), Err(Mismatch::Configuration));
        assert!(matches!(manifest.check_run("other", "mapping"), Err(Mismatch::Graph { .. })));
        let newer = Manifest { version: 7, ..manifest };
        assert_eq!(newer.check_build(&build("0.1.0", "aa")), Err(Mismatch::Format(7)));
    }
}
