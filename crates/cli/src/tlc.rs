//! The options of TLC, which people type out of habit: one dash and a word. Those of `kilter check` and `kilter simulate`
//! are translated into ours before anything else reads the command line. An option that is not needed here is left out
//! with a note; one that Kilter cannot do is an error that says what to do instead.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{Arg, CommandFactory as _};
use kilter_base::suggest::closest;

use crate::args::Args;

/// An option of TLC.
#[derive(Debug)]
pub struct Habit {
    /// The option as it is typed.
    pub name: &'static str,
    takes: Takes,
    in_check: Does,
    in_simulate: Does,
}

/// What follows an option.
#[derive(Clone, Copy, Debug)]
enum Takes {
    Nothing,
    One,
    /// One word that is a number.
    Number,
    Two,
    /// One word, if it begins with one of these.
    Perhaps(&'static [&'static str]),
    /// One word, and another before it if that begins with this.
    OneAfter(&'static str),
}

/// What becomes of an option.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// It becomes this option of ours, with its value.
    Becomes(&'static str),
    /// The same, with a note.
    BecomesNoted(&'static str, &'static str),
    /// It is left out, with a note.
    Unneeded(&'static str),
    /// It is an error.
    Refused(&'static str),
    /// It says which verb is meant.
    Verb,
    /// It becomes `--disk`, and then `--recover`.
    Recovers,
    /// It becomes this option of ours if there is a folder for it, with its number as minutes.
    Minutes(&'static str),
}

use Does::{Becomes, BecomesNoted, Minutes, Recovers, Refused, Unneeded, Verb};
use Takes::{Nothing, Number, One, OneAfter, Perhaps, Two};

const fn habit(name: &'static str, takes: Takes, does: Does) -> Habit {
    Habit { name, takes, in_check: does, in_simulate: does }
}

const fn each(name: &'static str, takes: Takes, in_check: Does, in_simulate: Does) -> Habit {
    Habit { name, takes, in_check, in_simulate }
}

const SIMULATION: Takes = Perhaps(&["num=", "file=", "stats=", "sched="]);
const DEBUGGER: Takes = Perhaps(&["port=", "suspend", "nosuspend", "halt", "nohalt"]);
const NO_GRAPH: &str =
    "it writes all states to a file; random behaviors keep no states: use `kilter check --graph FILE`";
const GRAPH: &str =
    "it writes all states to a file: use --graph FILE, then `kilter graph export FILE --to dot`";
const NO_TRACE_SPEC: &str =
    "it is about a module with the trace in it, and Kilter writes none; --itf FILE writes the trace";
const NO_FILES: &str = "random behaviors write no files";
const NO_FINGERPRINTS: &str = "it is about fingerprints, and Kilter compares whole states";

/// All options of TLC, in the order of the guide.
pub const HABITS: &[Habit] = &[
    each("-workers", One, Becomes("--workers"), Unneeded("one worker tries random behaviors")),
    habit("-config", One, Becomes("--config")),
    habit("-deadlock", Nothing, Becomes("--no-deadlock")),
    each(
        "-continue",
        Nothing,
        Becomes("--continue"),
        Unneeded("`kilter simulate` ends at the first violation; another --seed may find another"),
    ),
    habit("-simulate", SIMULATION, Verb),
    habit("-generate", SIMULATION, Verb),
    habit("-modelcheck", Nothing, Unneeded("this is what `kilter check` does")),
    each(
        "-depth",
        Number,
        Unneeded("it limits random behaviors; --depth-max N limits a check"),
        Becomes("--depth"),
    ),
    habit("-seed", Number, Becomes("--seed")),
    habit("-aril", Number, Unneeded("--seed alone repeats a run")),
    each(
        "-dfid",
        Number,
        BecomesNoted("--depth-max", "Kilter searches breadth first, up to this depth"),
        Unneeded("it limits a search of all states; --depth limits random behaviors"),
    ),
    each("-dump", OneAfter("dot"), Refused(GRAPH), Refused(NO_GRAPH)),
    habit("-dumpTrace", Two, Refused("it writes the trace to a file: use --itf FILE, or `trace` of --json")),
    habit("-loadTrace", Two, Refused("it follows a trace that TLC has written; Kilter cannot read these")),
    each("-recover", One, Recovers, Unneeded(NO_FILES)),
    habit("-postCondition", One, Refused("write `POSTCONDITION Operator` into the configuration")),
    habit(
        "-inv",
        One,
        Refused("define the formula in the module, and write `INVARIANT Name` into the configuration"),
    ),
    habit(
        "-invlevel",
        One,
        Refused(
            "define `Short == TLCGet(\"level\") < N`, and write `INVARIANT Short` into the configuration",
        ),
    ),
    habit("-debugger", DEBUGGER, Refused("it starts a debugger, and Kilter has none")),
    habit(
        "-coverage",
        Number,
        Unneeded("unless something is violated, the answer always says how often each action was taken"),
    ),
    habit(
        "-difftrace",
        Nothing,
        Unneeded("traces always show only what changed; --full-trace shows everything"),
    ),
    habit("-tool", Nothing, Unneeded("it prints messages for other programs; --json is the form for these")),
    habit("-view", Nothing, Unneeded("it applies VIEW to the states of a trace; ALIAS does the same")),
    habit("-userFile", One, Unneeded("what the specification prints goes to standard error: use `2> FILE`")),
    habit("-terse", Nothing, Unneeded("it leaves values unexpanded; they are printed as they are here")),
    habit("-nowarning", Nothing, Unneeded("warnings go to standard error: use `2> FILE`")),
    habit("-suppressMessages", One, Unneeded("the numbers are those of TLC's messages")),
    habit("-messagesAsErrors", One, Unneeded("the numbers are those of TLC's messages")),
    habit("-debug", Nothing, Unneeded("it prints what helps to find errors in TLC")),
    habit(
        "-lncheck",
        One,
        Unneeded("temporal properties are checked now and then, and on all states in the end"),
    ),
    habit("-maxSetSize", Number, Unneeded("sets may have as many elements as fit into memory")),
    habit("-fp", Number, Unneeded(NO_FINGERPRINTS)),
    habit("-fpbits", Number, Unneeded(NO_FINGERPRINTS)),
    each(
        "-fpmem",
        Number,
        Unneeded(
            "it is about fingerprints, and Kilter compares whole states; --memory-max SIZE limits memory",
        ),
        Unneeded(NO_FINGERPRINTS),
    ),
    each("-checkpoint", Number, Minutes("--checkpoint"), Unneeded(NO_FILES)),
    // It must not become `--disk`: TLC checks temporal properties with files, too.
    habit("-metadir", One, Unneeded("states are in memory; with --disk DIR they are on disk")),
    habit("-cleanup", Nothing, Unneeded("a search that has ended removes its files itself")),
    habit("-gzip", Nothing, Unneeded("files are not compressed")),
    habit("-generateSpecTE", Perhaps(&["nomonolith"]), Unneeded(NO_TRACE_SPEC)),
    habit("-noGenerateSpecTE", Nothing, Unneeded(NO_TRACE_SPEC)),
    habit("-noTE", Nothing, Unneeded(NO_TRACE_SPEC)),
    habit("-noGenerateSpecTEBin", Nothing, Unneeded(NO_TRACE_SPEC)),
    habit("-noTEBin", Nothing, Unneeded(NO_TRACE_SPEC)),
    habit("-teSpecOutDir", One, Unneeded(NO_TRACE_SPEC)),
    habit("-help", Nothing, Becomes("--help")),
];

/// A command line that has only our options.
#[derive(Debug, Default)]
pub struct Translated {
    /// The words, from the program's name on.
    pub words: Vec<OsString>,
    /// Remarks for the user, one line each.
    pub notes: Vec<String>,
    /// Whether `-recover` of TLC has become `--disk` and `--recover`.
    pub recovers: bool,
}

/// Translates a command line. The error is a line that says what to type instead.
pub fn translate(words: Vec<OsString>) -> Result<Translated, String> {
    let verb = words.get(1).and_then(|word| word.to_str());
    if !matches!(verb, Some("check" | "simulate")) {
        return Ok(Translated { words, ..Translated::default() });
    }
    let asks_simulation =
        words.iter().filter_map(|word| find(word)).any(|habit| matches!(habit.in_check, Verb));
    let simulates = asks_simulation || verb == Some("simulate");
    let is_disk = |word: &OsString| {
        find(word).is_some_and(|habit| matches!(habit.in_check, Recovers))
            || word.to_str().is_some_and(|word| word.split('=').next() == Some("--disk"))
    };
    let how = How { simulates, is_on_disk: words.iter().any(is_disk) };
    let mut words = words.into_iter();
    let mut done = Translated { words: words.by_ref().take(2).collect(), ..Translated::default() };
    if simulates {
        done.words[1] = "simulate".into();
    }
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match find(&word) {
            _ if word == "--" => {
                done.words.push(word);
                done.words.extend(words.by_ref());
            }
            None => {
                if let Some(why) = unknown(&word, &done.words[1].to_string_lossy()) {
                    return Err(why);
                }
                done.words.push(word);
            }
            Some(habit) => {
                let mut values = Vec::new();
                habit.takes.read(habit.name, &mut words, &mut values)?;
                habit.act(&values, how, &mut done)?;
            }
        }
    }
    Ok(done)
}

/// What the rest of the command line says.
#[derive(Clone, Copy)]
struct How {
    simulates: bool,
    /// Whether a folder for states is named.
    is_on_disk: bool,
}

fn find(word: &OsStr) -> Option<&'static Habit> {
    let word = word.to_str()?;
    HABITS.iter().find(|habit| habit.name.eq_ignore_ascii_case(word))
}

/// What is wrong with a word of one dash that is no option of TLC, and what was probably meant. A letter with its value,
/// such as `-w2`, is one of ours.
fn unknown(word: &OsStr, verb: &str) -> Option<String> {
    let name = word.to_str()?.strip_prefix('-')?;
    let mut letters = name.chars();
    let first = letters.next().filter(char::is_ascii_alphabetic)?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let shown = word.to_string_lossy();
    let habits = HABITS.iter().map(|habit| habit.name.trim_start_matches('-'));
    if name.len() > 3
        && let Some(habit) = closest(name, habits)
    {
        return Some(format!("there is no option {shown}; did you mean -{habit}?"));
    }
    let args = Args::command();
    let options: Vec<&Arg> = args.find_subcommand(verb)?.get_arguments().collect();
    let has_value = |option: &&Arg| option.get_action().takes_values();
    let is_short =
        options.iter().filter(|option| has_value(option)).any(|option| option.get_short() == Some(first));
    if letters.next().is_none() || is_short {
        return None;
    }
    let ours: Vec<&str> = options.into_iter().filter_map(Arg::get_long).collect();
    let meant = ours.iter().copied().find(|option| *option == name).or_else(|| closest(name, ours));
    let meant = meant.map(|option| format!("did you mean --{option}? ")).unwrap_or_default();
    Some(format!("there is no option {shown}; {meant}`kilter {verb} --help` lists all options"))
}

type Rest = std::iter::Peekable<std::vec::IntoIter<OsString>>;

impl Takes {
    fn read(self, name: &str, rest: &mut Rest, values: &mut Vec<OsString>) -> Result<(), String> {
        let begins = |word: &OsString, start: &str| word.to_str().is_some_and(|word| word.starts_with(start));
        let n = match self {
            Nothing => 0,
            One | Number => 1,
            Two => 2,
            Perhaps(starts) => {
                values.extend(rest.next_if(|word| starts.iter().any(|start| begins(word, start))));
                0
            }
            OneAfter(start) => {
                values.extend(rest.next_if(|word| begins(word, start)));
                1
            }
        };
        let wanted = values.len() + n;
        // Another option is no value.
        for _ in 0..n {
            values.extend(rest.next_if(|word| find(word).is_none()));
        }
        match (self, values.first().and_then(|value| value.to_str())) {
            _ if values.len() < wanted => Err(format!("a value is missing after {name}")),
            (Number, Some(value)) if value.parse::<f64>().is_err() => {
                Err(format!("a number is missing after {name}, which has `{value}` there"))
            }
            _ => Ok(()),
        }
    }
}

impl Habit {
    fn act(&self, values: &[OsString], how: How, done: &mut Translated) -> Result<(), String> {
        let name = self.name;
        let becomes = |option: &str, done: &mut Translated| {
            done.words.push(option.into());
            done.words.extend(values.iter().map(|value| adapted(name, value)));
        };
        match if how.simulates { self.in_simulate } else { self.in_check } {
            Becomes(option) => becomes(option, done),
            BecomesNoted(option, note) => {
                becomes(option, done);
                done.notes.push(format!("{name} of TLC is {option} here: {note}"));
            }
            Unneeded(why) => done.notes.push(format!("{name} of TLC has no effect here: {why}")),
            Refused(why) => return Err(format!("Kilter does not have {name} of TLC: {why}")),
            Verb => simulation(name, values.first(), done),
            Recovers => {
                becomes("--disk", done);
                done.words.push("--recover".into());
                done.recovers = true;
            }
            Minutes(_) if !how.is_on_disk => {
                let note = "checkpoints are written by a search with --disk DIR";
                done.notes.push(format!("{name} of TLC has no effect here: {note}"));
            }
            Minutes(option) => match values.first().and_then(|value| value.to_str()) {
                Some("0") => done.notes.push(format!(
                    "{name} of TLC has no effect here: a search on disk always writes checkpoints"
                )),
                Some(minutes) => done.words.extend([option.into(), format!("{minutes}m").into()]),
                None => {}
            },
        }
        Ok(())
    }
}

/// Reads what follows `-simulate`, such as `num=100,stats=full`.
fn simulation(name: &str, details: Option<&OsString>, done: &mut Translated) {
    let details = details.map(|details| details.to_string_lossy().into_owned()).unwrap_or_default();
    let mut is_limited = false;
    for detail in details.split(',').filter(|detail| !detail.is_empty()) {
        match detail.strip_prefix("num=") {
            Some(number) => {
                is_limited = true;
                done.words.extend(["--behaviors".into(), number.into()]);
            }
            None => done.notes.push(format!("{detail} after {name} of TLC has no effect here")),
        }
    }
    if !is_limited {
        let note = "TLC runs until it is stopped, Kilter tries 1,000 behaviors; --behaviors N tries more";
        done.notes.push(format!("{name} of TLC is the verb `simulate` here: {note}"));
    }
}

/// A value as our option takes it.
fn adapted(name: &str, value: &OsStr) -> OsString {
    let is_config = |ending: &OsStr| ending == "cfg" || ending == "tla";
    match (name, value.to_str()) {
        // TLC adds the ending.
        ("-config", Some(file)) if !Path::new(file).extension().is_some_and(is_config) => {
            format!("{file}.cfg").into()
        }
        // TLC's seeds have a sign, ours have not.
        ("-seed", Some(seed)) => seed
            .parse::<i64>()
            .map_or_else(|_| value.to_owned(), |seed| seed.cast_unsigned().to_string().into()),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> (String, Vec<String>) {
        let done = translate(line.split(' ').map(OsString::from).collect()).expect("it can be translated");
        let words: Vec<String> = done.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        (words.join(" "), done.notes)
    }

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(translated(line).0, expected);
    }

    #[test]
    fn options_become_ours() {
        check(
            "kilter check -workers auto -config Small Spec -deadlock -continue -seed -1",
            "kilter check --workers auto --config Small.cfg Spec --no-deadlock --continue --seed 18446744073709551615",
        );
        check(
            "kilter check Spec.tla -config M.tla -dfid 7",
            "kilter check Spec.tla --config M.tla --depth-max 7",
        );
    }

    #[test]
    fn another_option_is_no_value() {
        let line = "kilter check -coverage -config M.cfg Spec";
        let refused = translate(line.split(' ').map(OsString::from).collect()).err();
        assert_eq!(refused.as_deref(), Some("a value is missing after -coverage"));
    }

    #[test]
    fn a_simulation_is_another_verb_wherever_it_is_typed() {
        check(
            "kilter check -depth 20 Spec -simulate num=5,stats=full -workers 4",
            "kilter simulate --depth 20 Spec --behaviors 5",
        );
        check("kilter check -simulate Spec", "kilter simulate Spec");
        assert_eq!(translated("kilter check -simulate Spec").1.len(), 1);
        assert_eq!(translated("kilter simulate Spec -depth 3").1, Vec::<String>::new());
    }

    #[test]
    fn what_is_not_needed_is_left_out_with_its_value() {
        let (line, notes) = translated("kilter check -fp 3 -gzip -generateSpecTE nomonolith Spec");
        assert_eq!(line, "kilter check Spec");
        assert_eq!(notes.len(), 3);
        assert_eq!(notes[1], "-gzip of TLC has no effect here: files are not compressed");
    }

    #[test]
    fn checkpoints_are_those_of_a_search_on_disk() {
        check("kilter check -recover D Spec", "kilter check --disk D --recover Spec");
        check(
            "kilter check -checkpoint 5 -recover D Spec",
            "kilter check --checkpoint 5m --disk D --recover Spec",
        );
        check("kilter check -checkpoint 5 Spec --disk=D", "kilter check --checkpoint 5m Spec --disk=D");
        for line in [
            "kilter check -checkpoint 5 Spec",
            "kilter check -metadir D Spec",
            "kilter simulate -recover D Spec",
        ] {
            assert_eq!(translated(line).1.len(), 1, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_done_is_one_line() {
        let error = |line: &str| {
            translate(line.split(' ').map(OsString::from).collect()).expect_err("no translation")
        };
        assert!(error("kilter check Spec -dump dot,colorize out.dot").contains("use --graph FILE"));
        assert!(error("kilter check Spec -dump out").contains("use --graph FILE"));
        assert_eq!(error("kilter check Spec -workers"), "a value is missing after -workers");
        let swallowed = "a number is missing after -depth, which has `Spec` there";
        assert_eq!(error("kilter check -depth Spec"), swallowed);
        assert_eq!(
            error("kilter check Spec -wrkers 2"),
            "there is no option -wrkers; did you mean -workers?"
        );
        let help = "`kilter check --help` lists all options";
        for (word, why) in [
            ("-sany", format!("there is no option -sany; {help}")),
            ("-foo=3", format!("there is no option -foo=3; {help}")),
            ("-json", format!("there is no option -json; did you mean --json? {help}")),
            ("-time-mx", format!("there is no option -time-mx; did you mean --time-max? {help}")),
        ] {
            assert_eq!(error(&format!("kilter check {word} Spec")), why);
        }
    }

    #[test]
    fn our_own_options_and_other_verbs_stay() {
        for line in [
            "kilter check Spec -w2 -c F --json",
            "kilter check Spec -cSmall.cfg",
            "kilter check -- -workers",
            "kilter test -workers 4",
        ] {
            check(line, line);
        }
    }
}
