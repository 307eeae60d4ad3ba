//! Makes a random model from a seed.
//!
//! - [`types`]    types of expressions, each with finitely many values for variables
//! - [`expr`]     expressions of a given type
//! - [`shapes`]   expressions of the forms that only one type has
//! - [`action`]   initial predicates and actions
//! - [`property`] temporal formulas, fairness, the abstract module
//! - [`faults`]   expressions that have no value

pub mod action;
pub mod expr;
pub mod faults;
pub mod property;
pub mod shapes;
pub mod types;

use kilter_base::Rng;

use crate::model::{Action, Behaviors, Binary, Constant, Def, Expr, Model, Property};
use crate::naive::{self, Answer, Verdict};
use action::Module;
use expr::{Known, Maker, Operator};
use types::{GREATEST, LEAST, Stock, Type};

/// The most values that all variables together may have. Most modules reach few of them.
const STATES_MAX: u64 = 3_000;
/// Like [`STATES_MAX`], for models with temporal properties.
const LIVE_STATES_MAX: u64 = 300;
/// The least number of distinct states that a search must find, by the seed modulo 8. One model in eight may be of any
/// size. It may have no initial state, no step, or a false assumption.
const DISTINCT_MIN: [u64; 8] = [0, 5, 20, 10, 5, 10, 5, 15];
/// The effort that the naive evaluator may spend on a model.
const EFFORT_MAX: u64 = 60_000;

/// The model of a seed, and the naive evaluator's answer for it. The model is the first candidate that is worth a
/// search.
pub fn model(seed: u64) -> (Model, Answer) {
    let distinct_min = DISTINCT_MIN[(seed % 8) as usize];
    let mut number = 0;
    loop {
        let model = candidate(seed, number);
        let answer = naive::check_within(&model, EFFORT_MAX);
        if answer.verdict != Verdict::TooLarge && answer.distinct >= distinct_min {
            return (model, answer);
        }
        number += 1;
    }
}

fn candidate(seed: u64, number: u64) -> Model {
    let mut rng = Rng::of_walk(seed, 0x0ac1e + number);
    let (stock, constants, strings, fields) = stock(&mut rng);
    let mut maker = Maker { rng, stock, n_names: 0 };
    let live = maker.rng.below(5) < 2;
    let module = maker.module(&constants, if live { LIVE_STATES_MAX } else { STATES_MAX });
    let mut model = Model { strings, fields, constants, ..Model::of(format!("R{seed}"), empty()) };
    model.defs.push(clip());
    maker.fill(&mut model, module, live);
    model
}

fn empty() -> Behaviors {
    Behaviors { variables: Vec::new(), init: Expr::Bool(true), actions: Vec::new(), fairness: Vec::new() }
}

/// The definition of `Clip(n)`. It is `n` if a variable may hold that integer, and 0 otherwise.
fn clip() -> Def {
    let n = || Expr::name("n0");
    let inside =
        Expr::binary(Binary::In, n(), Expr::binary(Binary::Range, Expr::Int(LEAST), Expr::Int(GREATEST)));
    Def {
        name: "Clip".to_owned(),
        params: vec![("n0".to_owned(), 0)],
        function: None,
        recursive: false,
        body: Expr::cond(inside, n(), Expr::Int(0)),
    }
}

type Constants = Vec<(String, Constant)>;

/// The stock of names that values are built from, the constants, and all strings and fields in their order.
fn stock(rng: &mut Rng) -> (Stock, Constants, Vec<String>, Vec<String>) {
    let mut strings: Vec<String> = ["str_b", "str_a", "str_c"].map(str::to_owned).into();
    let mut fields: Vec<String> = ["fld_c", "fld_a", "fld_b"].map(str::to_owned).into();
    rng.shuffle(&mut strings);
    rng.shuffle(&mut fields);
    let mut constants: Constants = Vec::new();
    let mut stock = Stock {
        strings: strings[..2 + rng.below(2)].to_vec(),
        fields: fields[..2].to_vec(),
        models: Vec::new(),
        nil: rng.below(2) == 0,
    };
    for (set, prefix) in [("Proc", "pr"), ("Node", "nd")] {
        if rng.below(2) == 0 {
            let mut names: Vec<String> = (1..=2 + rng.below(2)).map(|n| format!("{prefix}{n}")).collect();
            rng.shuffle(&mut names);
            stock.models.push((set.to_owned(), names.len() as u64));
            constants.push((set.to_owned(), Constant::Models(names)));
        }
    }
    if stock.nil {
        constants.push(("nil".to_owned(), Constant::Model));
    }
    if rng.below(2) == 0 {
        constants.push(("Limit".to_owned(), Constant::Int(rng.below(4) as i64)));
    }
    if rng.below(3) == 0 {
        constants.push(("Word".to_owned(), Constant::Str(strings[rng.below(strings.len())].clone())));
    }
    if rng.below(3) == 0 {
        let numbers = (0..rng.below(4)).map(|_| rng.below(4) as i64).collect();
        constants.push(("Numbers".to_owned(), Constant::Ints(numbers)));
    }
    rng.shuffle(&mut constants);
    (stock, constants, strings, fields)
}

impl Maker {
    fn module(&mut self, constants: &Constants, states_max: u64) -> Module {
        let mut variables = Vec::new();
        let mut left = states_max;
        for name in ["x", "y", "z", "w"].iter().take(1 + self.rng.below(6).min(3)) {
            let of = types::random(&mut self.rng, &self.stock, left.min(60), 2);
            left /= of.size(&self.stock).max(1);
            variables.push(((*name).to_owned(), of));
            if left < 2 {
                break;
            }
        }
        let mut known = Vec::new();
        for (name, constant) in constants {
            let of = match constant {
                Constant::Int(_) => Type::Int,
                Constant::Str(_) if self.stock.strings.len() == 3 => Type::Str,
                Constant::Ints(_) => Type::Set(Box::new(Type::Int)),
                Constant::Models(_) => Type::Set(Box::new(Type::Model(name.clone()))),
                Constant::Str(_) | Constant::Model => continue,
            };
            let small = !matches!(constant, Constant::Int(_) | Constant::Ints(_));
            known.push(Known { expr: Expr::name(name), of, small });
        }
        Module { variables, constants: known, operators: Vec::new() }
    }

    fn fill(&mut self, model: &mut Model, mut module: Module, live: bool) {
        for _ in 0..self.rng.below(3) {
            if self.one_in(3) {
                self.recursive_operator(model, &mut module);
            } else {
                self.operator(model, &mut module);
            }
        }
        model.behaviors = self.behaviors(&module, "Act");
        if self.one_in(3) {
            let pred = self.expr(&Type::Bool, &module.constant_scope(), 3, false);
            // Most assumptions must hold. Otherwise nothing else would be tested.
            let pred = if self.one_in(8) { pred } else { Expr::Or(vec![pred, Expr::Bool(true)]) };
            model.assumes.push(pred);
        }
        model.deadlock = self.one_in(3);
        for number in 0..self.rng.below(3) {
            let pred = self.invariant(&module, &model.behaviors.actions);
            model.invariants.push((format!("Inv{number}"), pred));
        }
        if self.one_in(3) {
            model.constraints.push(("Constr0".to_owned(), self.constraint(&module)));
        }
        if self.one_in(5) {
            model.action_constraints.push(("ActConstr0".to_owned(), self.about_steps(&module)));
        }
        if self.one_in(3) {
            model.view = Some(self.view(&module, live));
        }
        if !live && !self.one_in(3) {
            model.symmetry = self.stock.models.iter().map(|(name, _)| name.clone()).collect();
        }
        self.properties(model, &module, live);
        if self.one_in(10) {
            self.fault(model, &module);
        }
    }

    /// Adds an operator that later expressions may use.
    fn operator(&mut self, model: &mut Model, module: &mut Module) {
        let (name, of) = (self.fresh("Def"), self.type_of_known(&module.state_scope()));
        let reads = self.one_in(2);
        let mut scope = if reads { module.state_scope() } else { module.constant_scope() };
        let mut params = Vec::new();
        let higher = self.one_in(3);
        if higher {
            params.push((self.fresh("F"), 1));
        }
        let mut types = Vec::new();
        for _ in 0..=self.rng.below(2) {
            let (param, of) = (self.fresh("p"), self.small_type());
            scope.known.push(Known { expr: Expr::name(&param), of: of.clone(), small: false });
            params.push((param, 0));
            types.push(of);
        }
        if higher {
            let argument = self.expr(&Type::Int, &scope, 1, false);
            let call = Expr::call(&params[0].0, vec![argument]);
            scope.known.push(Known { expr: call, of: Type::Int, small: false });
        }
        let body = self.expr(&of, &scope, 3, false);
        model.defs.push(Def { name: name.clone(), params, function: None, recursive: false, body });
        module.operators.push(Operator { name, params: types, higher, of, reads, first: None });
    }

    /// Adds an operator that calls itself, with a small integer as its argument.
    fn recursive_operator(&mut self, model: &mut Model, module: &mut Module) {
        let (name, n) = (self.fresh("Rec"), self.fresh("n"));
        let reads = self.one_in(2);
        let scope = if reads { module.state_scope() } else { module.constant_scope() };
        let of = if self.one_in(2) { Type::Int } else { self.small_type() };
        let inside = scope.with(Expr::name(&n), Type::Int, false);
        let less = Expr::binary(Binary::Sub, Expr::name(&n), Expr::Int(1));
        let with_itself = inside.with(Expr::call(&name, vec![less]), of.clone(), false);
        let last = Expr::binary(Binary::Le, Expr::name(&n), Expr::Int(0));
        let body =
            Expr::cond(last, self.expr(&of, &inside, 1, false), self.expr(&of, &with_itself, 2, false));
        let params = vec![(n, 0)];
        model.defs.push(Def { name: name.clone(), params, function: None, recursive: true, body });
        let first = Some(self.rng.below(4) as i64);
        module.operators.push(Operator { name, params: Vec::new(), higher: false, of, reads, first });
    }

    /// A state predicate: a type invariant, or something that may be false in some states.
    fn invariant(&mut self, module: &Module, actions: &[Action]) -> Expr {
        let scope = module.state_scope();
        match self.rng.below(8) {
            7 => self.expr(&Type::Bool, &module.constant_scope(), 2, false),
            6 => {
                let Some(Action { name, params, .. }) = self.pick(actions) else { return Expr::Bool(true) };
                let call = Expr::Call(name, params.iter().map(|(param, _)| Expr::name(param)).collect());
                let some = if params.is_empty() { call } else { Expr::Quant(false, params, Box::new(call)) };
                Expr::binary(Binary::Implies, Expr::Enabled(Box::new(some)), self.about_variables(module))
            }
            0..=2 => {
                let Some((name, of)) = self.pick(&module.variables) else { return Expr::Bool(true) };
                Expr::binary(Binary::In, Expr::Var(name), of.universe(&self.stock))
            }
            3 => {
                let (a, b) = (self.about_variables(module), self.guard(&scope));
                Expr::Or(vec![a, b])
            }
            4 => {
                let Some((name, of)) = self.pick(&module.variables) else { return Expr::Bool(true) };
                let value = self.literal(&of);
                Expr::binary(Binary::Ne, Expr::Var(name), value)
            }
            _ => self.about_variables(module),
        }
    }

    /// A state predicate that cuts off some states, but not most of them.
    fn constraint(&mut self, module: &Module) -> Expr {
        let Some((name, of)) = self.pick(&module.variables) else { return Expr::Bool(true) };
        let except = Expr::binary(Binary::Ne, Expr::Var(name), self.literal(&of));
        if self.one_in(2) {
            return except;
        }
        Expr::Or(vec![except, self.guard(&module.state_scope())])
    }

    /// A predicate on steps. It is true more often than not.
    fn about_steps(&mut self, module: &Module) -> Expr {
        let (a, b) = (self.step_predicate(module), self.guard(&module.step_scope()));
        Expr::Or(vec![a, b])
    }

    /// A VIEW. If it hides a variable, the states that are found first decide whether a temporal property is violated.
    /// Therefore the view of a model with temporal properties hides nothing.
    fn view(&mut self, module: &Module, live: bool) -> Expr {
        let mut names: Vec<Expr> = module.variables.iter().map(|(name, _)| Expr::Var(name.clone())).collect();
        self.rng.shuffle(&mut names);
        if !live {
            names.truncate(1 + self.rng.below(names.len()));
        }
        if self.one_in(2) {
            let of = self.type_of_known(&module.state_scope());
            names.push(self.expr(&of, &module.state_scope(), 3, false));
        }
        Expr::Tuple(names)
    }

    fn properties(&mut self, model: &mut Model, module: &Module, live: bool) {
        if self.one_in(6) {
            let action = self.about_steps(module);
            let mut names: Vec<String> = module.variables.iter().map(|(name, _)| name.clone()).collect();
            if self.one_in(3) {
                names.truncate(1);
            }
            model.properties.push(("StepProp".to_owned(), Property::Steps(action, names)));
        }
        if self.one_in(12) {
            model.properties.push(("InitProp".to_owned(), Property::Init(self.about_variables(module))));
        }
        if self.one_in(12) {
            model.properties.push(("AlwaysProp".to_owned(), Property::Always(self.about_variables(module))));
        }
        if live {
            for number in 0..self.rng.below(3) {
                let mut condition = self.fairness(&model.behaviors);
                condition.each = condition.each && number == 0;
                model.behaviors.fairness.push(condition);
            }
            let formula = self.temporal_property(module, &model.behaviors);
            model.properties.push(("LiveProp".to_owned(), Property::Temporal(formula)));
        }
        if self.one_in(3) {
            let second = self.abstraction(module, live);
            model.abstraction = Some(second);
            model.properties.push(("Refinement".to_owned(), Property::Refines));
        }
        self.rng.shuffle(&mut model.properties);
    }
}
