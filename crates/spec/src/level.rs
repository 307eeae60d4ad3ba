//! Computes levels: whether an expression depends on nothing, on the state, on a step, or on a behavior. Checks SANY's
//! rules about them.
//!
//! A parameter counts as a constant. To check calls, each definition records which parameters add their level to its
//! own, and which level each parameter may have at most (`p'` allows no prime in `p`).

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::{IdVec, Span};

use crate::errors;
use crate::ir::{Arg, Bound, Core, Def, DefBody, DefId, Expr, ExprKind, Level, LocalId, OpArg};
use crate::report::Report;

/// The level of a definition, as far as it is known.
#[derive(Clone, Default, PartialEq)]
struct Summary {
    level: Level,
    /// The parameters, and the locals around it, whose level adds to its own.
    flows: BTreeSet<LocalId>,
    params: Vec<LocalId>,
}

/// The level of an expression, and the parameters whose level adds to it.
#[derive(Clone, Default)]
struct Flow {
    level: Level,
    flows: BTreeSet<LocalId>,
}

impl Flow {
    fn join(mut self, other: Flow) -> Flow {
        self.level = self.level.max(other.level);
        self.flows.extend(other.flows);
        self
    }

    fn at_least(mut self, level: Level) -> Flow {
        self.level = self.level.max(level);
        self
    }
}

/// Computes and checks levels.
pub(crate) struct Levels {
    summaries: BTreeMap<DefId, Summary>,
    /// The highest level that a parameter may have.
    limits: BTreeMap<LocalId, Level>,
    /// The parameters of definitions. Only their levels are tracked.
    params: BTreeSet<LocalId>,
    /// Variables bound by `\EE` and `\AA`.
    flexible: BTreeSet<LocalId>,
    /// Whether mistakes are reported. The first passes only compute levels.
    reporting: bool,
    names: BTreeMap<DefId, kilter_base::Name>,
    pub(crate) report: Report,
}

impl Levels {
    /// Sets the levels of all definitions. In `groups`, callees come first.
    pub(crate) fn compute(defs: &mut IdVec<DefId, Def>, groups: &[Vec<DefId>]) -> Levels {
        let mut levels = Levels {
            summaries: BTreeMap::new(),
            limits: BTreeMap::new(),
            params: defs.iter().flat_map(|def| def.params.iter().copied()).collect(),
            flexible: BTreeSet::new(),
            reporting: false,
            names: defs.iter_ids().map(|(id, def)| (id, def.name.clone())).collect(),
            report: Report::default(),
        };
        for group in groups {
            for def in group {
                let params = defs[*def].params.clone();
                levels.summaries.insert(*def, Summary { params, ..Summary::default() });
            }
            // The loop ends, because levels only rise, and there are four.
            while group.len() > 1 || defs[group[0]].recursive {
                let before: Vec<Summary> = group.iter().map(|def| levels.summaries[def].clone()).collect();
                for def in group {
                    levels.def(defs, *def);
                }
                if group.iter().zip(before).all(|(def, before)| levels.summaries[def] == before) {
                    break;
                }
            }
            for def in group {
                levels.reporting = true;
                levels.def(defs, *def);
                levels.reporting = false;
            }
        }
        levels
    }

    fn def(&mut self, defs: &mut IdVec<DefId, Def>, id: DefId) {
        let def = &mut defs[id];
        let flow = match &mut def.body {
            DefBody::Expr(body) => self.visit(body),
            DefBody::Native(_) => {
                Flow { level: Level::Constant, flows: def.params.iter().copied().collect() }
            }
        };
        def.level = flow.level;
        self.summaries
            .insert(id, Summary { level: flow.level, flows: flow.flows, params: def.params.clone() });
    }

    /// Sets and checks the levels of an expression that belongs to no definition. Returns its level.
    pub(crate) fn formula(&mut self, expr: &mut Expr) -> Level {
        self.reporting = true;
        let level = self.visit(expr).level;
        self.reporting = false;
        level
    }

    pub(crate) fn of_def(&self, def: DefId) -> Level {
        self.summaries.get(&def).map_or(Level::Constant, |summary| summary.level)
    }

    fn error(&mut self, error: kilter_base::Diagnostic) {
        if self.reporting {
            self.report.push(error);
        }
    }

    /// Checks that an operand is not above `max`. If it has parameters, the limit also holds for their arguments.
    fn limit(&mut self, flow: &Flow, max: Level, span: Span, what: &str) {
        if flow.level > max {
            self.error(errors::level_too_high(span, what, flow.level, max));
        }
        for local in &flow.flows {
            let limit = self.limits.entry(*local).or_insert(Level::Temporal);
            *limit = (*limit).min(max);
        }
    }

    fn visit(&mut self, expr: &mut Expr) -> Flow {
        let span = expr.span;
        let flow = self.kind(&mut expr.kind, span);
        expr.level = flow.level;
        flow
    }

    /// Visits an operand that cannot be temporal, because it is below an operator on values.
    fn value(&mut self, expr: &mut Expr) -> Flow {
        let flow = self.visit(expr);
        self.limit(&flow, Level::Action, expr.span, "an operand of this expression");
        flow
    }

    fn values<'e>(&mut self, exprs: impl IntoIterator<Item = &'e mut Expr>) -> Flow {
        exprs.into_iter().fold(Flow::default(), |flow, expr| flow.join(self.value(expr)))
    }

    fn bounds(&mut self, bounds: &mut [Bound]) -> Flow {
        self.values(bounds.iter_mut().map(|bound| &mut bound.set))
    }

    fn kind(&mut self, kind: &mut ExprKind, span: Span) -> Flow {
        match kind {
            ExprKind::Value(_) => Flow::default(),
            ExprKind::Var(_) => Flow::default().at_least(Level::State),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Call { def, args } => self.call(*def, args, span),
            ExprKind::CallLocal { local, args } => {
                args.iter_mut().fold(self.local(*local), |flow, arg| flow.join(self.arg(arg)))
            }
            ExprKind::Core { op, args } => self.core(*op, args, span),
            ExprKind::Quantifier { bounds, body, .. } => {
                let sets = self.bounds(bounds);
                let body = self.visit(body);
                if body.level == Level::Temporal && sets.level == Level::Action {
                    self.error(errors::action_bound(span));
                }
                sets.join(body)
            }
            ExprKind::UnboundedQuantifier { body, .. } => self.visit(body),
            ExprKind::TemporalQuantifier { locals, body, .. } => {
                self.flexible.extend(locals.iter());
                self.visit(body).at_least(Level::Temporal)
            }
            ExprKind::Choose { bound, body } | ExprKind::Filter { bound, body } => {
                let set = self.value(&mut bound.set);
                set.join(self.value(body))
            }
            ExprKind::UnboundedChoose { body, .. } => self.value(body),
            ExprKind::SetEnum(items) | ExprKind::Tuple(items) | ExprKind::Product(items) => {
                self.values(items)
            }
            ExprKind::Map { bounds, body } | ExprKind::Function { bounds, body } => {
                let sets = self.bounds(bounds);
                sets.join(self.value(body))
            }
            ExprKind::Index { function: first, arg: second }
            | ExprKind::FunctionSet { domain: first, range: second } => self.values([first, second]),
            ExprKind::Field { record, .. } => self.value(record),
            ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
                self.values(fields.iter_mut().map(|(_, value)| value))
            }
            ExprKind::Except { function, updates } => {
                let function = self.value(function);
                updates.iter_mut().fold(function, |flow, update| {
                    let path = self.values(&mut update.path);
                    flow.join(path).join(self.value(&mut update.value))
                })
            }
            ExprKind::If { condition, then, otherwise } => [condition, then, otherwise]
                .into_iter()
                .fold(Flow::default(), |flow, expr| flow.join(self.visit(expr))),
            ExprKind::Case { arms, other } => {
                let all = arms.iter_mut().flat_map(|(test, value)| [test, value]).chain(other);
                all.fold(Flow::default(), |flow, expr| flow.join(self.visit(expr)))
            }
            ExprKind::Let { body, .. } => self.visit(body),
            ExprKind::SubscriptAction { action, subscript, .. } => {
                let both = self.subscripted(action, subscript);
                both.at_least(Level::Action)
            }
            ExprKind::Fairness { subscript, action, .. } => {
                let both = self.subscripted(action, subscript);
                both.at_least(Level::Temporal)
            }
        }
    }

    fn local(&self, local: LocalId) -> Flow {
        let level = if self.flexible.contains(&local) { Level::State } else { Level::Constant };
        let flows = if self.params.contains(&local) { BTreeSet::from([local]) } else { BTreeSet::new() };
        Flow { level, flows }
    }

    fn subscripted(&mut self, action: &mut Expr, subscript: &mut Expr) -> Flow {
        let flow = self.visit(action);
        self.limit(&flow, Level::Action, action.span, "the action");
        let state = self.visit(subscript);
        self.limit(&state, Level::State, subscript.span, "the subscript");
        flow.join(state)
    }

    fn arg(&mut self, arg: &mut Arg) -> Flow {
        match arg {
            Arg::Expr(expr) => self.visit(expr),
            Arg::Op(OpArg::Def { def, leading }) => {
                let summary = self.summaries.get(def).cloned().unwrap_or_default();
                let own = Flow { level: summary.level, flows: BTreeSet::new() };
                leading.iter_mut().fold(own, |flow, arg| flow.join(self.arg(arg)))
            }
            Arg::Op(OpArg::Core(op)) => Flow::default().at_least(match op {
                Core::Prime | Core::Unchanged | Core::Compose => Level::Action,
                Core::Enabled => Level::State,
                Core::Always | Core::Eventually | Core::LeadsTo | Core::Guarantees => Level::Temporal,
                _ => Level::Constant,
            }),
            Arg::Op(OpArg::Local(local)) => self.local(*local),
            Arg::Op(OpArg::Lambda { body, .. }) => self.visit(body),
        }
    }

    fn call(&mut self, def: DefId, args: &mut [Arg], span: Span) -> Flow {
        let summary = self.summaries.get(&def).cloned().unwrap_or_default();
        let mut flow = Flow { level: summary.level, flows: BTreeSet::new() };
        flow.flows.extend(summary.flows.iter().filter(|local| !summary.params.contains(local)));
        for (param, arg) in summary.params.iter().zip(args.iter_mut()) {
            let given = self.arg(arg);
            if let Some(limit) = self.limits.get(param).copied() {
                let place = if let Arg::Expr(expr) = arg { expr.span } else { span };
                let name = self.names.get(&def).map_or("", |name| name.as_str());
                let what = format!("this argument of `{name}`");
                self.limit(&given, limit, place, &what);
            }
            if summary.flows.contains(param) {
                flow = flow.join(given);
            }
        }
        flow
    }

    fn core(&mut self, op: Core, args: &mut [Expr], span: Span) -> Flow {
        match op {
            Core::And | Core::Or | Core::Implies | Core::Equiv | Core::Not => self.connective(op, args, span),
            Core::Prime => self.step(args, "the operand of `'`"),
            Core::Unchanged => self.step(args, "the operand of UNCHANGED"),
            Core::Enabled => {
                for arg in args {
                    let flow = self.visit(arg);
                    self.limit(&flow, Level::Action, arg.span, "the operand of ENABLED");
                }
                Flow::default().at_least(Level::State)
            }
            Core::Compose => self.values(args).at_least(Level::Action),
            Core::Always => self.temporal(args, "[]", "[A]_v", false),
            Core::Eventually => self.temporal(args, "<>", "<<A>>_v", true),
            Core::LeadsTo | Core::Guarantees => {
                let flow = args.iter_mut().fold(Flow::default(), |flow, arg| {
                    let operand = self.visit(arg);
                    if operand.level == Level::Action {
                        self.error(errors::action_in_leads_to(arg.span));
                    }
                    flow.join(operand)
                });
                flow.at_least(Level::Temporal)
            }
            _ => self.values(args),
        }
    }

    fn connective(&mut self, op: Core, args: &mut [Expr], span: Span) -> Flow {
        let flows: Vec<Flow> = args.iter_mut().map(|arg| self.visit(arg)).collect();
        let has = |level| flows.iter().any(|flow| flow.level == level);
        if has(Level::Action) && has(Level::Temporal) {
            let symbol = match op {
                Core::And => "/\\",
                Core::Or => "\\/",
                Core::Implies => "=>",
                _ => "<=>",
            };
            self.error(errors::action_and_temporal(span, symbol));
        }
        flows.into_iter().fold(Flow::default(), Flow::join)
    }

    fn step(&mut self, args: &mut [Expr], what: &str) -> Flow {
        let mut all = Flow::default();
        for arg in args {
            let flow = self.visit(arg);
            self.limit(&flow, Level::State, arg.span, what);
            all = all.join(flow);
        }
        all.at_least(Level::Action)
    }

    fn temporal(&mut self, args: &mut [Expr], op: &str, form: &str, wanted: bool) -> Flow {
        let mut all = Flow::default();
        for arg in args {
            let flow = self.visit(arg);
            let fits = matches!(&*arg.kind, ExprKind::SubscriptAction { angle, .. } if *angle == wanted);
            if flow.level == Level::Action && !fits {
                self.error(errors::always_action(arg.span, op, form));
            }
            all = all.join(flow);
        }
        all.at_least(Level::Temporal)
    }
}
