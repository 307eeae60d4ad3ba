//! A model: its states, found as they are needed, with the steps between them. Of steps that are equal up to exchanging
//! replicas in equal state, only the first is taken for schedules.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_base::{Id as _, Sources, suggest};
use kilter_converge::config::{ModelSource, Origin};
use kilter_converge::drive::Beginning;
use kilter_converge::step::{Deed, Replica, Step};
use kilter_eval::node::ActionId;
use kilter_eval::{Evaluator, Part, Successors};
use kilter_value::{Permutation, PermuteCache, Store, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::questions::{DONE, INIT, MODULE, Questions, Signature};
use super::symmetry;
use crate::diagnostics::Problems;
use crate::error::{Context as _, Tried};
use crate::load::{Loaded, SizedInput, load_sized};
use crate::read::is_specification;

/// The constants that a configuration sets.
const REPLICAS: &str = "Replicas";
const OPS: &str = "Ops";
/// The stack that an evaluation may use. Models are small.
const STACK_BYTES: usize = 1 << 20;
/// The most states of a model. There is no use in more schedules than that.
const STATES_MAX: usize = 20_000_000;

/// The number of a state.
pub(super) type StateId = u32;

/// Where every schedule starts.
pub(super) const INITIAL: StateId = 0;

/// A step that the model allows.
#[derive(Clone)]
pub(super) struct Edge {
    /// The state that it leads to.
    pub(super) target: StateId,
    /// Whether it is the first of those that are equal up to exchanging replicas.
    pub(super) is_first: bool,
    action: ActionId,
    args: Value,
    step: Option<Arc<Step>>,
}

/// A model of one size.
pub(crate) struct Model {
    /// How every schedule begins.
    pub(crate) beginning: Beginning,
    /// Where its modules came from. Some of these are no files.
    pub(crate) files: Vec<PathBuf>,
    steps_of: Evaluator,
    asker: Evaluator,
    questions: Questions,
    signatures: Vec<Signature>,
    permutations: Vec<(Permutation, PermuteCache)>,
    store: Store,
    rows: Vec<Box<[Value]>>,
    ids: FxHashMap<Box<[Value]>, StateId>,
    edges: Vec<Option<Vec<Edge>>>,
    done: Vec<Option<bool>>,
    /// When no further states are looked for.
    deadline: Option<Instant>,
}

/// The texts of a model.
struct Texts {
    module: String,
    text: String,
    config: (String, String),
    folder: Option<std::path::PathBuf>,
}

fn texts(source: &ModelSource, folder: &Path) -> Tried<Texts> {
    match &source.origin {
        Origin::BuiltIn(model) => Ok(Texts {
            module: model.module.to_owned(),
            text: model.text.to_owned(),
            config: (format!("the configuration of {}", model.module), model.config.clone()),
            folder: None,
        }),
        Origin::Files { module, config } => {
            let read = |file: &Path, what: &str| {
                let path = folder.join(file);
                let text = fs::read_to_string(&path);
                text.with_context(|| format!("{what} {} cannot be read", path.display()))
            };
            let name = module.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let place = folder.join(module);
            Ok(Texts {
                module: name,
                text: read(module, "the model")?,
                config: (
                    folder.join(config).display().to_string(),
                    read(config, "the configuration of the model")?,
                ),
                folder: Some(place.parent().unwrap_or(Path::new("")).to_path_buf()),
            })
        }
    }
}

fn loaded(sized: &SizedInput<'_>, store: &Store) -> Tried<Loaded> {
    Ok(load_sized(sized, store)
        .map_err(|refusal| Problems { sources: refusal.sources, diagnostics: refusal.diagnostics })?)
}

impl Model {
    /// Loads a model. Its files are beside the configuration, in `folder`.
    pub(crate) fn load(source: &ModelSource, folder: &Path) -> Tried<Model> {
        memory::with_stack(DEEP_STACK_BYTES, |_| Model::load_here(source, folder))
    }

    fn load_here(source: &ModelSource, folder: &Path) -> Tried<Model> {
        let texts = texts(source, folder)?;
        let store = Store::new();
        let names: Vec<String> = Replica::all(source.replicas).map(|replica| replica.to_string()).collect();
        let mut constants = vec![(REPLICAS, format!("{{{}}}", names.join(", ")))];
        constants.extend(source.ops.map(|ops| (OPS, ops.to_string())));
        constants.extend(source.constants.iter().map(|(name, value)| (name.as_str(), value.clone())));
        let file = format!("{}.tla", texts.module);
        let mut sized = SizedInput {
            root: (&file, &texts.text),
            modules: &[],
            folder: texts.folder.as_deref(),
            config: (&texts.config.0, &texts.config.1),
            constants: &constants,
            more: "",
        };
        let model = loaded(&sized, &store)?;
        check_constants(&model.sources, &constants)?;
        let files = model.sources.files().map(|file| PathBuf::from(&file.name)).collect();
        let has_done = model.spec.defs.iter().any(|def| *def.name == *DONE);
        let program = model.compile(&store);
        let signatures: Vec<Signature> = program
            .actions
            .iter()
            .map(|action| Signature {
                name: action.name.to_string(),
                args: action.args.iter().map(|(name, _)| name.to_string()).collect(),
            })
            .collect();
        check_names(source, &signatures)?;
        let (questions, module, more) =
            Questions::new(&texts.module, &source.actions, &signatures, has_done, source.replicas);
        let own = [(texts.module.as_str(), texts.text.as_str())];
        sized.root = (MODULE, &module);
        sized.modules = &own;
        sized.more = &more;
        let mut asked = loaded(&sized, &store).context("[actions]")?;
        let spec = &mut asked.spec;
        // Nothing is asked but the questions.
        (spec.init, spec.next) = (None, None);
        spec.invariants.clear();
        spec.properties.clear();
        spec.fairness.clear();
        let asker = asked.compile(&store);
        let mut steps_of = Evaluator::new(Arc::new(program), store.sibling(), STACK_BYTES);
        let permutations = steps_of.with(symmetry::group).map_err(|error| error.message)?;
        let mut model = Model {
            beginning: Beginning { replicas: source.replicas, links: Vec::new() },
            files,
            steps_of,
            asker: Evaluator::new(Arc::new(asker), store.sibling(), STACK_BYTES),
            questions,
            signatures,
            permutations: permutations.into_iter().map(|one| (one, PermuteCache::default())).collect(),
            store,
            rows: Vec::new(),
            ids: FxHashMap::default(),
            edges: Vec::new(),
            done: Vec::new(),
            deadline: None,
        };
        model.begin()?;
        Ok(model)
    }

    /// From then on, a state whose steps are not known yet is an error.
    pub(crate) fn end_at(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Finds the initial state, [`INITIAL`].
    fn begin(&mut self) -> Tried<()> {
        let mut found = Successors::default();
        self.steps_of
            .with(|worker| worker.initial(Part::WHOLE, &mut found))
            .map_err(|error| format!("the initial state of the model: {}", error.message))?;
        let n_vars = self.steps_of.with(|worker| worker.program().variables.len());
        let rows: Vec<Box<[Value]>> = found.iter(n_vars).map(|(row, _)| row.into()).collect();
        let [row] = &rows[..] else {
            return Err(format!("the model has {} initial states, and should have one", rows.len()).into());
        };
        self.id(row.clone());
        let questions = &self.questions;
        for deed in self.asker.with(|worker| questions.beginning(worker, row))? {
            let Deed::Link(link) = deed else {
                return Err(format!("{INIT} in [actions]: a schedule can begin with links only").into());
            };
            self.beginning.links.push(link);
        }
        Ok(())
    }

    fn id(&mut self, row: Box<[Value]>) -> StateId {
        if let Some(id) = self.ids.get(&row) {
            return *id;
        }
        let id = self.rows.len() as StateId;
        self.rows.push(row.clone());
        self.ids.insert(row, id);
        self.edges.push(None);
        self.done.push(None);
        id
    }

    /// Whether a schedule ends in a state: the model says so, or it has no steps.
    pub(super) fn is_done(&mut self, state: StateId) -> Tried<bool> {
        if let Some(known) = self.done[state as usize] {
            return Ok(known);
        }
        let (questions, row) = (&self.questions, &self.rows[state as usize]);
        let said = self.asker.with(|worker| questions.is_done(worker, row));
        let is_done = match said {
            Some(said) => said.map_err(|error| format!("{DONE} of the model: {}", error.message))?,
            None => self.edges(state)?.is_empty(),
        };
        self.done[state as usize] = Some(is_done);
        Ok(is_done)
    }

    /// The steps of a state, in an order that is always the same.
    pub(super) fn edges(&mut self, state: StateId) -> Tried<&[Edge]> {
        if self.edges[state as usize].is_none() {
            let mut edges = self.expand(state)?;
            self.mark_first(state, &mut edges);
            for edge in edges.iter_mut().filter(|edge| edge.is_first) {
                edge.step = Some(self.make_step(state, edge)?);
            }
            self.edges[state as usize] = Some(edges);
        }
        Ok(self.edges[state as usize].as_deref().unwrap_or_default())
    }

    fn expand(&mut self, state: StateId) -> Tried<Vec<Edge>> {
        if self.rows.len() > STATES_MAX {
            return Err(format!("the model has more than {STATES_MAX} states; make it smaller").into());
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let n_states = self.rows.len();
            return Err(format!(
                "the time was over before the schedules were counted: the model has {n_states} states and more; give it \
                 more time with --time-max, or make the model smaller"
            )
            .into());
        }
        let row = self.rows[state as usize].clone();
        let mut found = Successors::default();
        let kept = self.steps_of.with(|worker| {
            worker.set_recording(true);
            worker.successors(&row, &mut found)?;
            let program = worker.program();
            let mut kept = Vec::new();
            for (next, label) in found.iter(row.len()) {
                let mut is_wanted = true;
                for constraint in &program.constraints {
                    is_wanted &= worker.holds(constraint, next, None)?;
                }
                for constraint in &program.action_constraints {
                    is_wanted &= worker.holds(constraint, &row, Some(next))?;
                }
                if is_wanted {
                    kept.push((Box::<[Value]>::from(next), *label));
                }
            }
            Ok::<_, kilter_eval::EvalError>(kept)
        });
        let kept = kept.map_err(|error| format!("a step of the model: {}", error.message))?;
        let mut edges: Vec<Edge> = Vec::new();
        let mut known = FxHashSet::default();
        for (next, label) in kept {
            let Some(action) = label.action else {
                return Err("a step of the model has no name; give each action of Next a definition".into());
            };
            let target = self.id(next);
            if known.insert((action, label.args, target)) {
                edges.push(Edge { target, is_first: true, action, args: label.args, step: None });
            }
        }
        Ok(edges)
    }

    /// The first step of an orbit is the one that no exchange of replicas in equal state turns into an earlier step.
    fn mark_first(&mut self, state: StateId, edges: &mut [Edge]) {
        let Model { permutations, store, rows, ids, .. } = self;
        let order: FxHashMap<(ActionId, Value, StateId), usize> =
            edges.iter().enumerate().map(|(at, edge)| ((edge.action, edge.args, edge.target), at)).collect();
        let row = &rows[state as usize];
        for (permutation, cache) in permutations {
            let mut permute = |value: Value| store.permute(value, permutation, cache);
            if row.iter().any(|value| permute(*value) != *value) {
                continue;
            }
            for at in 0..edges.len() {
                if !edges[at].is_first {
                    continue;
                }
                let image: Box<[Value]> =
                    rows[edges[at].target as usize].iter().map(|value| permute(*value)).collect();
                let target = ids.get(&image).copied();
                let args = permute(edges[at].args);
                let twin = target.and_then(|target| order.get(&(edges[at].action, args, target)));
                edges[at].is_first = twin.is_none_or(|twin| *twin >= at);
            }
        }
    }

    fn make_step(&mut self, state: StateId, edge: &Edge) -> Tried<Arc<Step>> {
        let Model { asker, questions, signatures, rows, .. } = self;
        let (before, after) = (&*rows[state as usize], &*rows[edge.target as usize]);
        let action = (edge.action.index(), &signatures[edge.action.index()]);
        let step = asker.with(|worker| questions.step(worker, action, edge.args, (before, after)))?;
        Ok(Arc::new(step))
    }

    /// What one of a state's steps is on the store.
    pub(super) fn step(&mut self, state: StateId, index: usize) -> Tried<Arc<Step>> {
        let edge = self.edges(state)?[index].clone();
        if let Some(step) = edge.step {
            return Ok(step);
        }
        let step = self.make_step(state, &edge)?;
        if let Some(edges) = &mut self.edges[state as usize] {
            edges[index].step = Some(Arc::clone(&step));
        }
        Ok(step)
    }

    /// The name of a step's action.
    pub(super) fn action(&self, edge: &Edge) -> &str {
        &self.signatures[edge.action.index()].name
    }
}

/// Whether a module of the model names each constant that the configuration sets. A value for a constant that there is not
/// would have no effect.
fn check_constants(sources: &Sources, constants: &[(&str, String)]) -> Tried<()> {
    let is_name_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let names = |text: &str, name: &str| text.split(|letter| !is_name_part(letter)).any(|word| word == name);
    let modules: Vec<_> = sources.files().filter(|file| is_specification(Path::new(&file.name))).collect();
    let is_named = |name: &str| modules.iter().any(|file| names(&file.text, name));
    let Some((name, _)) = constants.iter().find(|(name, _)| !is_named(name)) else { return Ok(()) };
    let key =
        if [REPLICAS, OPS].contains(name) { name.to_lowercase() } else { format!("[constants] {name}") };
    let module = modules.first().map(|file| file.name.as_str()).unwrap_or_default();
    Err(format!("`{key}` is for the constant {name} of the model, and {module} has none").into())
}

/// Whether `[actions]` has an entry for each action of the model, and no other.
fn check_names(source: &ModelSource, signatures: &[Signature]) -> Tried<()> {
    let names: Vec<&str> = signatures.iter().map(|signature| signature.name.as_str()).collect();
    for name in source.actions.keys().filter(|name| *name != INIT) {
        if !names.contains(&name.as_str()) {
            let like = suggest::closest(name, names.iter().copied());
            let like = like.map(|like| format!("; there is `{like}`")).unwrap_or_default();
            return Err(format!("[actions]: the model has no action `{name}`{like}").into());
        }
    }
    match names.iter().find(|name| !source.actions.contains_key(**name)) {
        Some(name) => Err(format!(
            "[actions] does not say what `{name}` is on the store; for nothing at all, write {name} = []"
        )
        .into()),
        None => Ok(()),
    }
}
