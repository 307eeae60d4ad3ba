//! Reads `kilter.toml` and its specification, and checks them against each other.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kilter_base::{Diagnostic, Diagnostics, Sources, Span};
use kilter_conform::plan::{self, PlanError};
use kilter_eval::node::ActionId;
use kilter_eval::{EvalError, Part, Program, Successors, Wanted, Worker};
use kilter_follow::question;
use kilter_mapping::draft::Steps;
use kilter_mapping::file::{self, File};
use kilter_mapping::mapping::{Compared as Kind, Deed};
use kilter_mapping::owners::{Owned, Owners};
use kilter_mapping::{ActionSummary, Mapping, Summary};
use kilter_spec::Spec;
use kilter_spec::ir::{DefBody, ExprKind};
use kilter_spec::uses::Uses;
use kilter_value::{Store, Value, View};

use crate::diagnostics::Problems;
use crate::formulas::{FORMULAS, in_mapping};
use crate::java::{Compared, Known};
use crate::load::{Input, Loaded, load, load_extended, with_ending};
use crate::outside::Access;
use crate::shell::quoted;
use crate::suite::section;
use crate::{java, read, resources};

/// So many states are looked at to see what parameters are.
const STATES_SEEN_MAX: usize = 200;

/// A mapping that fits its specification.
pub struct Prepared {
    /// The mapping.
    pub mapping: Mapping,
    /// The specification.
    pub loaded: Loaded,
    /// The compiled specification.
    pub program: Program,
    /// The files of the specification.
    pub input: Input,
    /// The path of `kilter.toml`.
    pub path: PathBuf,
    /// The folder of `kilter.toml`.
    pub folder: PathBuf,
    /// The text of `kilter.toml`.
    pub text: String,
}

/// Reads `kilter.toml` and its specification, and checks them against each other.
pub fn prepare(path: &Path, access: Access, store: &Store) -> Result<Prepared, Box<Problems>> {
    prepare_with(path, access, store, false)
}

/// Like `prepare`, with the configuration of `[follow]`, if it has one.
pub fn prepare_with_follow(path: &Path, access: Access, store: &Store) -> Result<Prepared, Box<Problems>> {
    prepare_with(path, access, store, true)
}

/// Like `prepare`, to follow logs: with the configuration and the expressions of `[follow]`.
pub fn prepare_to_follow(
    path: &Path,
    access: Access,
    store: &Store,
) -> Result<(Prepared, Option<Questions>), Box<Problems>> {
    let prepared = prepare_with_follow(path, access, store)?;
    let root = with_ending(&prepared.input.spec);
    let root = root.file_stem().unwrap_or_default().to_string_lossy();
    let Some((module, config)) = question::module(&prepared.mapping.follow, &root) else {
        return Ok((prepared, None));
    };
    let mut loaded =
        load_extended(&prepared.input, (FORMULAS, &module, &config), store).map_err(|refusal| {
            let problems = Problems { sources: refusal.sources, diagnostics: refusal.diagnostics };
            in_mapping(problems, &prepared.path, &prepared.text)
        })?;
    // Nothing is asked but the questions.
    let spec = &mut loaded.spec;
    (spec.init, spec.next) = (None, None);
    spec.invariants.clear();
    spec.properties.clear();
    spec.fairness.clear();
    let program = loaded.compile(store);
    Ok((prepared, Some(Questions { loaded, program })))
}

/// The expressions of `[follow]`, which are asked about lines.
pub struct Questions {
    /// The specification with a module for them.
    pub loaded: Loaded,
    /// The same, compiled.
    pub program: Program,
}

fn prepare_with(
    path: &Path,
    access: Access,
    store: &Store,
    to_follow: bool,
) -> Result<Prepared, Box<Problems>> {
    let mut sources = Sources::default();
    let path = &mapping_file(path);
    let text = read::text(path, "the mapping").map_err(|unreadable| {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(unreadable.diagnostic.help("`kilter init SPEC.tla` writes a first draft"));
        Problems { sources: Sources::default(), diagnostics }
    })?;
    if read::is_specification(path) {
        return Err(Box::new(no_mapping(path)));
    }
    let id = sources.add(path.display().to_string(), text.0.as_str());
    let mut file = match file::read(&text.0) {
        Ok(file) => file,
        Err(error) => return Err(Box::new(Problems::of_config(sources, id, error))),
    };
    if to_follow {
        // Whoever has logs need not say how nodes are started.
        file.follow.get_or_insert_default();
    }
    let folder = folder_of(path);
    let mut input = input_of(&file, &folder, access);
    if let Some(config) = file.follow.as_ref().and_then(|follow| follow.config.as_ref()).filter(|_| to_follow)
    {
        input.config = Some(folder.join(config));
    }
    let loaded = load(&input, store)
        .map_err(|refusal| Problems { sources: refusal.sources, diagnostics: refusal.diagnostics })?;
    let program = loaded.compile(store);
    let summary = summarize(&loaded.spec, &program);
    let mapping = match kilter_mapping::check(&file, id, &text.0, &summary, store) {
        Ok(mapping) => mapping,
        Err(diagnostics) => return Err(Box::new(Problems { sources, diagnostics })),
    };
    let models = summary.models(store);
    let models: Vec<&str> = models.keys().map(String::as_str).collect();
    let diagnostics = section::check(&mapping.suite, &summary, &models, (id, &text.0));
    if diagnostics.has_errors() {
        return Err(Box::new(Problems { sources, diagnostics }));
    }
    Ok(Prepared { mapping, loaded, program, input, path: path.clone(), folder, text: text.0 })
}

/// What a mapping says that only shows when one looks further than at the names of the specification.
pub struct LookedAt {
    /// What the table of a Java system was compared with. `None` if it is no Java system.
    pub java: Option<Compared>,
    /// The variables that some node has no part of.
    pub owned: Vec<Owned>,
    /// What is wrong.
    pub problems: Problems,
}

/// Looks for the folders that a mapping names, at an initial state of the specification, and at the jars of a Java system.
pub fn look_closer(prepared: &Prepared, store: &Store) -> LookedAt {
    let Prepared { mapping, path, folder, program, text, .. } = prepared;
    let offers = mapping.rules.iter().filter_map(|rule| match &rule.deed {
        Deed::Offer { name, .. } => Some(name.as_str()),
        _ => None,
    });
    let offers = offers.chain(mapping.system.ignore.iter().map(String::as_str)).collect();
    let variables = mapping.variables.iter().filter_map(|variable| match &variable.kind {
        Kind::Node(from, _) | Kind::Global(from, _) => Some((variable.name.as_str(), &from[..])),
        _ => None,
    });
    let known = Known { offers, variables: variables.collect() };
    let java = match java::look_at_jars(&mapping.system, Some(&known), path, text) {
        Ok(compared) => compared,
        Err(problems) => return LookedAt { java: None, owned: Vec::new(), problems: *problems },
    };
    let mut sources = Sources::default();
    let id = sources.add(path.display().to_string(), text.as_str());
    let mut diagnostics = Diagnostics::default();
    for source in &mapping.diff.source {
        let Range { start, end } = source.span();
        let span = Span { file: id, start: start as u32, end: end as u32 };
        diagnostics.extend(not_a_folder(source.get_ref(), span, folder));
    }
    let owned = owned(mapping, program, store);
    for Owned { variable, by, by_others, wrongly_named, grows, .. } in &owned {
        // Who joins later may have a part then.
        let message = match wrongly_named.first() {
            Some(node) if !grows => format!("the variable `{variable}` has no part for the node `{node}`"),
            _ if by.is_empty() && !(*grows && by_others.is_empty()) => {
                format!("the variable `{variable}` is a function of no node")
            }
            _ => continue,
        };
        let help = "look at its value in an initial state; [constants] says which value a node is, and the kind \"global\" is for what one node reports as a whole";
        diagnostics.push(Diagnostic::global(message).help(help));
    }
    for error in nowhere(mapping, program, store) {
        diagnostics.push(Diagnostic::global(error.to_string()));
    }
    LookedAt { java, owned, problems: Problems { sources, diagnostics } }
}

/// Who has parts of the variables in the states near the initial ones.
fn owned(mapping: &Mapping, program: &Program, store: &Store) -> Vec<Owned> {
    let mut owners = Owners::new(mapping, store);
    if let Ok(Some(initial)) = first_state(program, store) {
        owners.look(&initial);
        near_start(program, store, &mut |seen| owners.look(seen.after));
    }
    owners.found()
}

/// What is wrong with a folder of source code.
fn not_a_folder(source: &str, span: Span, folder: &Path) -> Diagnostics {
    let path = folder.join(source);
    let mut diagnostics = Diagnostics::default();
    let (what, help) = match path.metadata() {
        Ok(found) if found.is_dir() => return diagnostics,
        Ok(_) => ("is no folder", "name the folder that it is in".to_owned()),
        Err(_) => {
            ("does not exist", format!("paths begin at the folder of the mapping, {}", folder.display()))
        }
    };
    diagnostics.push(Diagnostic::error(span, format!("`{source}` {what}")).help(help));
    diagnostics
}

/// The first initial state. `None` if there is none.
pub fn first_state(program: &Program, store: &Store) -> Result<Option<Vec<Value>>, EvalError> {
    let mut found = Successors::default();
    Worker::new(program, store, resources::stack_bytes()).initial(Part::WHOLE, &mut found)?;
    Ok(found.iter(program.variables.len()).next().map(|(row, _)| row.to_vec()))
}

/// What steps near the initial states do, and what the text of the actions says of variables. What can't be evaluated is left out.
pub fn seen_steps(spec: &Spec, program: &Program, store: &Store) -> Steps {
    let uses = Uses::of(spec);
    let variable =
        |index: usize| spec.variables.ids().find(|id| spec.variables[*id].name == program.variables[index]);
    let mut seen = Steps {
        goes_on: (0..program.variables.len())
            .filter(|index| variable(*index).is_some_and(|variable| uses.goes_on(variable)))
            .collect(),
        ..Steps::default()
    };
    near_start(program, store, &mut |Seen { action, args, before, after }| {
        let name = program.actions[action].name.to_string();
        for (index, value) in args.iter().enumerate() {
            seen.parameters.entry((name.clone(), index)).or_insert(*value);
        }
        for index in (0..after.len()).filter(|index| after[*index] != before[*index]) {
            let args_of_change = seen.changes.entry((name.clone(), index)).or_default();
            if args_of_change.iter().all(|known| known != args) {
                args_of_change.push(args.to_vec());
            }
            // The first value that is no empty function shows more of what it is.
            let is_empty = |value: Value| {
                let domain = store.domain(value).and_then(|domain| store.items(domain));
                domain.is_some_and(|items| items.iter().next().is_none())
            };
            if is_empty(before[index]) && !is_empty(after[index]) {
                seen.grown.entry(index).or_insert(after[index]);
            }
            if variable(index).is_some_and(|variable| uses.limits(&name, variable)) {
                seen.limits.insert((name.clone(), index));
            }
        }
    });
    seen
}

/// A step near the initial states.
struct Seen<'s> {
    action: ActionId,
    args: &'s [Value],
    before: &'s [Value],
    after: &'s [Value],
}

/// Looks at steps near the initial states. What can't be evaluated is left out.
fn near_start(program: &Program, store: &Store, look: &mut dyn FnMut(Seen<'_>)) {
    let mut worker = Worker::new(program, store, resources::stack_bytes());
    let each: Vec<Arc<[Wanted]>> =
        program.actions.ids().map(|action| Arc::from([Wanted::any(action)])).collect();
    let mut found = Successors::default();
    let mut open: VecDeque<Vec<Value>> = match worker.initial(Part::WHOLE, &mut found) {
        Ok(()) => found.iter(program.variables.len()).map(|(row, _)| row.to_vec()).collect(),
        Err(_) => VecDeque::new(),
    };
    let mut known: HashSet<Vec<Value>> = open.iter().cloned().collect();
    for _ in 0..STATES_SEEN_MAX {
        let Some(state) = open.pop_front() else { break };
        for wanted in &each {
            if worker.steps(&state, wanted, &mut found).is_err() {
                continue;
            }
            for (row, label) in found.iter(program.variables.len()) {
                if let (Some(action), View::Tuple(args)) = (label.action, store.view(label.args)) {
                    let args: Vec<Value> = args.iter().collect();
                    look(Seen { action, args: &args, before: &state, after: row });
                }
                if known.insert(row.to_vec()) {
                    open.push_back(row.to_vec());
                }
            }
        }
    }
}

/// The actions that happen at what is no node, among the steps near the initial states. Each is told once.
fn nowhere(mapping: &Mapping, program: &Program, store: &Store) -> Vec<PlanError> {
    let is_startable = !mapping.system.command().is_empty() || mapping.system.world().is_some();
    let mut told: BTreeMap<usize, PlanError> = BTreeMap::new();
    let rule_of = |action: ActionId| {
        let action = &program.actions[action];
        let params = || action.args.iter().map(|(name, _)| name.to_string());
        mapping
            .rules
            .iter()
            .position(|rule| rule.action == *action.name && params().eq(rule.params.iter().cloned()))
    };
    if is_startable {
        near_start(program, store, &mut |seen| {
            let Some(rule) = rule_of(seen.action).filter(|rule| !told.contains_key(rule)) else { return };
            if let Err(error @ PlanError::NoNode { .. }) =
                plan::step(mapping, rule, seen.args.to_vec(), store)
            {
                told.insert(rule, error);
            }
        });
    }
    told.into_values().collect()
}

/// The file of a mapping. A folder stands for the mapping in it.
fn mapping_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("kilter.toml") } else { path.to_path_buf() }
}

/// A specification was named where a mapping should be.
fn no_mapping(path: &Path) -> Problems {
    let message = format!("{} is a specification; a mapping is expected", path.display());
    let help = format!("`kilter init {}` writes a first draft of one, kilter.toml", quoted(path));
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Diagnostic::global(message).help(help));
    Problems { sources: Sources::default(), diagnostics }
}

/// The names in a specification that mappings can refer to.
pub fn summarize(spec: &Spec, program: &Program) -> Summary {
    let actions = program.actions.iter().map(|action| ActionSummary {
        name: action.name.to_string(),
        params: action.args.iter().map(|(name, _)| name.to_string()).collect(),
    });
    let mut distinct: Vec<ActionSummary> = Vec::new();
    for action in actions {
        if !distinct.contains(&action) {
            distinct.push(action);
        }
    }
    let constants = spec.defs.iter().filter(|def| def.params.is_empty() && !def.in_let);
    let constants = constants.filter_map(|def| match &def.body {
        DefBody::Expr(expr) => match &*expr.kind {
            ExprKind::Value(value) => Some((def.name.to_string(), *value)),
            _ => None,
        },
        DefBody::Native(_) => None,
    });
    Summary {
        actions: distinct,
        variables: program.variables.iter().map(ToString::to_string).collect(),
        constants: constants.collect(),
    }
}

fn input_of(file: &File, folder: &Path, access: Access) -> Input {
    Input {
        spec: folder.join(&file.spec.file),
        config: file.spec.config.as_ref().map(|config| folder.join(config)),
        library: file.spec.library.iter().map(|library| folder.join(library)).collect(),
        access,
    }
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()
}
