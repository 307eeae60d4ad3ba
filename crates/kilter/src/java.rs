//! Java systems: reads the table of the agent and the jars that it is about, and tells whether they fit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kilter_base::suggest::closest;
use kilter_base::{Diagnostic, Diagnostics, FileId, Sources, Span};
use kilter_java::release::{as_written, of_release};
use kilter_java::table::{Mutation, Point};
use kilter_java::{Jars, Mistake, Table};
use kilter_system::System;
use kilter_system::java::Java;
use kilter_system::keys;
use kilter_testbed::Agent;
use serde_json::Value as Json;

use crate::diagnostics::Problems;
use crate::read;

/// How requests begin that only the agent itself can know.
const OWN_WORDS: &str = "kilter.";
/// How to make the agent, for those who have none.
const BUILD: &str = "`probes/java/build` makes it; `agent` of the table says where it is";

/// The table of a system, with the file that it is in.
pub(crate) struct Found {
    /// The table.
    pub(crate) table: Table,
    /// The folder that paths of the table begin at.
    folder: PathBuf,
    /// The file, for messages.
    sources: Sources,
    id: FileId,
}

/// The agent that the nodes of a system are started with. `None` if it is no Java system. `path` is the configuration, and `text`
/// its content. What is yet to be built cannot be looked at.
pub(crate) fn agent(
    system: &System,
    path: &Path,
    text: &str,
    is_built: bool,
) -> Result<Option<Agent>, Box<Problems>> {
    let Some(found) = table(system, path, text)? else { return Ok(None) };
    let jars = if is_built { found.jars()? } else { None };
    found.refuse(kilter_java::check(&found.table, jars.as_ref()))?;
    let again = system.reset.as_deref() == Some(kilter_java::AGAIN) || system.crash_in_jvm;
    Ok(Some(Agent { jar: found.agent(system)?, table: found.table.to_json(again).to_string() }))
}

/// The names of the actions that the table of an agent has, and what its mutations do.
pub(crate) fn offers_and_mutations(agent: &Agent) -> (BTreeSet<String>, Vec<String>) {
    let mut table: Json = serde_json::from_str(&agent.table).unwrap_or_default();
    // The agent alone is told this.
    table.as_object_mut().and_then(|table| table.remove("again"));
    let table: Table = serde_json::from_value(table).unwrap_or_default();
    let offers = table.points.iter().flat_map(Point::actions).map(str::to_owned);
    (offers.collect(), table.mutations.iter().map(Mutation::text).collect())
}

/// Refuses a `reset` of a Java system that only the agent could know, and does not.
fn check_reset(system: &System, path: &Path, text: &str) -> Result<(), Box<Problems>> {
    let Some(reset) = system.reset.as_deref().filter(|reset| reset.starts_with(OWN_WORDS)) else {
        return Ok(());
    };
    if reset == kilter_java::AGAIN {
        return Ok(());
    }
    let message = format!("the agent knows no reset `{reset}`");
    let help = match closest(reset, [kilter_java::AGAIN]) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("it is \"{}\", or a name of [requests] of the table", kilter_java::AGAIN),
    };
    let mut sources = Sources::default();
    let file = sources.add(path.display().to_string(), text);
    let diagnostic = match text.find(&format!("\"{reset}\"")) {
        Some(start) => {
            let (start, end) = (start as u32 + 1, (start + 1 + reset.len()) as u32);
            Diagnostic::error(Span { file, start, end }, message)
        }
        None => Diagnostic::global(message),
    };
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(diagnostic.help(help));
    Err(Box::new(Problems { sources, diagnostics }))
}

/// What people should know of the agent before a run: that the system is not as it was released, or why its cases are slow.
pub(crate) fn remarks(agent: &Agent, system: &System) -> Vec<String> {
    let table: Json = serde_json::from_str(&agent.table).unwrap_or_default();
    let mut remarks = Vec::new();
    match table["mutations"].as_array().map_or(0, Vec::len) {
        0 => {}
        1 => remarks
            .push("the table of the agent has a mutation: the system is not tested as it is".to_owned()),
        n => remarks
            .push(format!("the table of the agent has {n} mutations: the system is not tested as it is")),
    }
    if system.reset.is_none() {
        let faster =
            format!("with reset = \"{}\" in [system], cases begin in the same JVM", kilter_java::AGAIN);
        remarks.push(format!("each case starts its nodes anew; {faster}"));
    }
    remarks
}

/// The part of a configuration that all kinds of them have.
#[derive(serde::Deserialize)]
struct OnlySystem {
    system: System,
}

/// The patterns for threads in the table of a configuration. Empty if there is no table.
pub(crate) fn thread_patterns(config: &Path) -> Vec<String> {
    let file = if config.is_dir() { config.join("kilter.toml") } else { config.to_path_buf() };
    let text = read::utf8(&file).unwrap_or_default();
    let system = keys::read::<OnlySystem>(&text).ok().map(|config| config.system);
    let found = system.and_then(|system| find(&system, &file, &text).ok().flatten());
    found.map(|found| found.table.threads).unwrap_or_default()
}

/// The table of a Java system. `None` if it is no Java system.
fn table(system: &System, path: &Path, text: &str) -> Result<Option<Found>, Box<Problems>> {
    let Some(found) = find(system, path, text)? else {
        if system.starts_agent() {
            let message = "`{agent}` attaches the agent to Java, and there is no table for it";
            let help = "add java = \"agent.toml\" to [system], the file with the table";
            let mut diagnostics = Diagnostics::default();
            diagnostics.push(Diagnostic::global(message).help(help));
            return Err(Box::new(Problems { sources: Sources::default(), diagnostics }));
        }
        if system.crash_in_jvm {
            let mut diagnostics = Diagnostics::default();
            let message = "`crash-in-jvm` is for Java nodes, and [system] has no `java`";
            diagnostics
                .push(Diagnostic::global(message).help("leave it out: a crash kills the process then"));
            return Err(Box::new(Problems { sources: Sources::default(), diagnostics }));
        }
        return Ok(None);
    };
    check_reset(system, path, text)?;
    Ok(Some(found))
}

/// What a table was compared with.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The number of classes.
    pub classes: usize,
    /// What is right, and may do something else than its author thinks: a sentence each.
    pub doubts: Vec<String>,
}

/// What a mapping knows of the nodes of a system.
pub(crate) struct Known<'k> {
    /// The names of the actions that they may offer.
    pub(crate) offers: Vec<&'k str>,
    /// The variables that they report, and for each the path to its value.
    pub(crate) variables: Vec<(&'k str, &'k [String])>,
}

/// Compares a table with the jars that it names, and with what a mapping knows. `None` if the system is no Java system.
pub(crate) fn look_at_jars(
    system: &System,
    known: Option<&Known<'_>>,
    path: &Path,
    text: &str,
) -> Result<Option<Compared>, Box<Problems>> {
    let Some(found) = table(system, path, text)? else { return Ok(None) };
    let jars = found.jars()?;
    found.refuse(kilter_java::check(&found.table, jars.as_ref()))?;
    found.agent(system)?;
    let compared = jars.as_ref().map(|jars| Compared {
        classes: jars.names().count(),
        doubts: kilter_java::doubts(&found.table, jars),
    });
    let mut compared = compared.unwrap_or_default();
    let Some(Known { offers: offered, variables }) = known else { return Ok(Some(compared)) };
    let unknown = found.table.points.iter().flat_map(Point::actions).filter(|name| !offered.contains(name));
    let unknown = unknown.map(|name| Mistake {
        mutation: None,
        text: format!("\"{name}\""),
        message: format!("the mapping has no action that nodes offer as `{name}`"),
        help: Some(match closest(name, offered.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => {
                "name it in [actions], by `offer` if it has another name there, or in `ignore` of [system]"
                    .to_owned()
            }
        }),
    });
    let mut mistakes: Vec<Mistake> = unknown.collect();
    let annotated =
        jars.as_ref().filter(|_| !variables.iter().all(|(_, path)| is_of_table(path, &found.table)));
    let annotated = annotated.map(Jars::annotated).unwrap_or_default();
    let named = found.table.variables.clone();
    // What annotations give to fields is read from there, whatever it is.
    let reported =
        &annotated.into_iter().map(|name| (name, Json::Null)).chain(named).collect::<BTreeMap<_, _>>();
    let compares = |name: &String| variables.iter().any(|(_, path)| path.first() == Some(name));
    let idle: Vec<&str> =
        found.table.variables.keys().filter(|name| !compares(name)).map(String::as_str).collect();
    // Without jars, nobody knows what annotations say.
    let is_unknown = jars.is_none() && found.table.variables.is_empty();
    let missing = variables.iter().filter(|_| !is_unknown);
    let missing = missing.filter_map(|(variable, path)| unreported(variable, path, reported, &idle));
    mistakes.extend(missing);
    found.refuse(mistakes)?;
    let unread = idle.into_iter().filter_map(|name| {
        let near = closest(name, variables.iter().map(|(variable, _)| *variable))?;
        Some(format!(
            "no variable of the mapping is read from `{name}` of the table; is it that of `{near}`?"
        ))
    });
    compared.doubts.extend(unread);
    Ok(Some(compared))
}

/// Whether the table has what this path begins with.
fn is_of_table(path: &[String], table: &Table) -> bool {
    path.first().is_none_or(|name| table.variables.contains_key(name))
}

/// What is wrong with the path that a variable of a mapping is read from, if nodes report no such thing. `idle` are the names of the table that
/// nothing is read from.
fn unreported(
    variable: &str,
    path: &[String],
    reported: &BTreeMap<String, Json>,
    idle: &[&str],
) -> Option<Mistake> {
    let (first, rest) = path.split_first()?;
    let mut parts: Vec<&str> = reported.keys().map(String::as_str).collect();
    let mut wrong = first;
    if let Some(mut value) = reported.get(first) {
        // A text is an expression of the agent, and only it knows what that gives.
        let missing = rest.iter().find(|part| match value {
            Json::Object(fields) => match fields.get(*part) {
                Some(field) => {
                    value = field;
                    false
                }
                None => true,
            },
            _ => false,
        });
        (wrong, parts) = (missing?, value.as_object()?.keys().map(String::as_str).collect());
    }
    let whole = path.join(".");
    let (text, help) = match closest(wrong, parts.iter().copied()) {
        Some(near) => (near, format!("did you mean `{near}`?")),
        // A name of the table that nothing is read from may be the misspelt one.
        None => match idle {
            [one] => (*one, format!("nothing is read from `{one}`; `from` in the mapping says what is")),
            _ if parts.is_empty() => {
                ("[variables]", "the table has no [variables], and no field is annotated".to_owned())
            }
            _ => (
                "[variables]",
                format!("the table has {}; `from` in the mapping says which it is", parts.join(", ")),
            ),
        },
    };
    Some(Mistake {
        text: text.to_owned(),
        message: format!("the mapping reads `{variable}` from `{whole}`, which nodes do not report"),
        help: Some(help),
        mutation: None,
    })
}

/// The table of a Java system, and the classes of its jars: of `named` ones, or of those in the table. `None` if it is no Java
/// system, or no jars are known.
pub(crate) fn classes(
    system: &System,
    path: &Path,
    text: &str,
    named: &[PathBuf],
) -> Result<Option<(Table, Jars)>, Box<Problems>> {
    let Some(found) = find(system, path, text)? else { return Ok(None) };
    if named.is_empty() {
        return Ok(found.jars()?.map(|jars| (found.table, jars)));
    }
    let mut jars = Jars::default();
    for path in named {
        add(&mut jars, path).map_err(|message| Box::new(found.problem(Diagnostic::global(message))))?;
    }
    Ok(Some((found.table, jars)))
}

/// The table that a configuration has or names.
fn find(system: &System, path: &Path, text: &str) -> Result<Option<Found>, Box<Problems>> {
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut sources = Sources::default();
    match &system.java {
        None => Ok(None),
        Some(Java::Table(table)) => {
            let id = sources.add(path.display().to_string(), text);
            Found { table: (**table).clone(), folder, sources, id }.of_release().map(Some)
        }
        Some(Java::File(name)) => {
            let file = folder.join(name);
            let text = read::text(&file, "the table of the agent").map_err(|unreadable| {
                let mut diagnostics = Diagnostics::default();
                diagnostics.push(unreadable.diagnostic);
                Problems { sources: Sources::default(), diagnostics }
            })?;
            let id = sources.add(file.display().to_string(), text.0.as_str());
            match keys::read::<Table>(&text.0) {
                Ok(table) => {
                    let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
                    Found { table, folder, sources, id }.of_release().map(Some)
                }
                Err(wrong) => Err(Box::new(Problems::of_config(sources, id, wrong))),
            }
        }
    }
}

impl Found {
    /// The same for the release that the table names.
    fn of_release(mut self) -> Result<Found, Box<Problems>> {
        match of_release(self.table.clone()) {
            Ok(table) => self.table = table,
            Err(mistake) => self.refuse(vec![mistake])?,
        }
        Ok(self)
    }

    /// The agent's jar, which must be there, and which nodes must be started with.
    fn agent(&self, system: &System) -> Result<PathBuf, Box<Problems>> {
        if !system.starts_agent() {
            let message = "the table of the agent is there, but nodes are started without the agent";
            let help = "put {agent} into the command, after `java`";
            return Err(Box::new(self.problem(Diagnostic::global(message).help(help))));
        }
        let Some(jar) = &self.table.agent else {
            let message = "the table does not say where the agent is";
            return Err(Box::new(self.problem(Diagnostic::global(message).help(BUILD))));
        };
        let jar = std::path::absolute(self.folder.join(jar)).unwrap_or_default();
        if !jar.is_file() {
            let message = format!("there is no agent at {}", jar.display());
            return Err(Box::new(self.problem(Diagnostic::global(message).help(BUILD))));
        }
        Ok(jar)
    }

    /// The classes of the jars. `None` if the table names none.
    fn jars(&self) -> Result<Option<Jars>, Box<Problems>> {
        let mut jars = Jars::default();
        for name in &self.table.jars {
            add(&mut jars, &self.folder.join(name)).map_err(|message| {
                let diagnostic = self.diagnostic(name, message);
                Box::new(self.problem(diagnostic.help(
                    "paths begin at the folder of the table; what has to be built is not there before",
                )))
            })?;
        }
        Ok((!self.table.jars.is_empty()).then_some(jars))
    }

    fn refuse(&self, mistakes: Vec<Mistake>) -> Result<(), Box<Problems>> {
        let mut diagnostics = Diagnostics::default();
        for Mistake { text, message, help, mutation } in mistakes {
            let diagnostic = self.diagnostic_behind(self.mutation(mutation), &text, message);
            diagnostics.push(match help {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
        }
        if diagnostics.has_errors() {
            return Err(Box::new(Problems { sources: self.sources.clone(), diagnostics }));
        }
        Ok(())
    }

    fn problem(&self, diagnostic: Diagnostic) -> Problems {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(diagnostic);
        Problems { sources: self.sources.clone(), diagnostics }
    }

    /// Where a mutation of the table begins in its file, by its number from 0.
    fn mutation(&self, number: Option<usize>) -> usize {
        let file = &self.sources.file(self.id).text;
        let mut headers = file.match_indices("mutations]]").map(|(start, _)| start);
        number.and_then(|number| headers.nth(number)).unwrap_or_default()
    }

    /// An error at the first place of the file that has this text: as a whole word of the file, or else as a part of one.
    fn diagnostic(&self, text: &str, message: String) -> Diagnostic {
        self.diagnostic_behind(0, text, message)
    }

    /// The same, behind a place of the file.
    fn diagnostic_behind(&self, begin: usize, text: &str, message: String) -> Diagnostic {
        let file = &self.sources.file(self.id).text[begin..];
        let text = as_written(text, &self.table.renamed);
        let whole = file.find(&format!("\"{text}\"")).map(|start| start + 1);
        match whole.or_else(|| file.find(&text)).filter(|_| !text.is_empty()) {
            Some(start) => {
                let (start, end) = ((begin + start) as u32, (begin + start + text.len()) as u32);
                Diagnostic::error(Span { file: self.id, start, end }, message)
            }
            None => Diagnostic::global(message),
        }
    }
}

/// Adds a jar, or the classes and jars of a folder.
fn add(jars: &mut Jars, path: &Path) -> Result<(), String> {
    if path.is_dir() { add_folder(jars, path, "") } else { add_jar(jars, path) }
}

/// Adds the classes and jars below a folder. `begin` is the path of this part of it.
fn add_folder(jars: &mut Jars, folder: &Path, begin: &str) -> Result<(), String> {
    let unreadable = |error| format!("{} cannot be read: {error}", folder.display());
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Links may lead in circles.
        if path.is_dir() && !path.is_symlink() {
            add_folder(jars, &path, &format!("{begin}{name}/"))?;
        } else if has_ending(&path, "jar") {
            add_jar(jars, &path)?;
        } else if has_ending(&path, "class") {
            let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            jars.add_class(&format!("{begin}{name}"), bytes);
        }
    }
    Ok(())
}

fn add_jar(jars: &mut Jars, path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    jars.add_jar(&bytes)
        .map_err(|message| format!("{} is no jar that can be read: {message}", path.display()))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension == ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_says_that_the_system_is_changed_or_slow() {
        let said = |table: &str, section: &str| {
            let table: Table = keys::read(table).expect("a table");
            let agent = Agent { jar: PathBuf::new(), table: table.to_json(false).to_string() };
            remarks(&agent, &keys::read(section).expect("a section"))
        };
        assert_eq!(said("", "reset = \"kilter.again\""), [""; 0]);
        let mutation = "[[mutations]]\nin = \"a.B.c\"\ndo = \"return\"\n";
        assert_eq!(
            said(mutation, "reset = \"Reset\""),
            ["the table of the agent has a mutation: the system is not tested as it is"]
        );
        let slow = "each case starts its nodes anew; with reset = \"kilter.again\" in [system], cases begin in the same JVM";
        let two = "the table of the agent has 2 mutations: the system is not tested as it is";
        assert_eq!(said(&mutation.repeat(2), ""), [two, slow]);
    }

    #[test]
    fn the_patterns_of_threads_are_those_of_the_release() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("kilter.toml");
        std::fs::write(&config, "[spec]\nfile = \"A.tla\"\n[system]\njava = \"agent.toml\"\n")
            .expect("written");
        let table = "release = \"2.0\"\nthreads = [\"A*\"]\n[[sections]]\nsince = \"2\"\nthreads = [\"B\"]\n";
        std::fs::write(folder.path().join("agent.toml"), table).expect("written");
        assert_eq!(thread_patterns(&config), ["A*", "B"]);
        assert_eq!(thread_patterns(folder.path()), ["A*", "B"]);
        assert!(thread_patterns(Path::new("none.toml")).is_empty());
    }
}
