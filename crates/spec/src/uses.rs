//! What the next-state action does with variables: which ones limit an action, and which ones go into others.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Name;

use crate::ir::{Arg, Bound, Core, DefBody, DefId, Expr, ExprKind, Level, Spec, VarId};
use crate::walk::children;

/// What the next-state action does with variables, as far as its text shows.
#[derive(Debug, Default)]
pub struct Uses {
    limits: BTreeMap<Name, BTreeSet<VarId>>,
    goes_on: BTreeSet<VarId>,
}

impl Uses {
    /// Reads the next-state action of a specification.
    pub fn of(spec: &Spec) -> Uses {
        let mut reader = Reader { spec, uses: Uses::default(), open: Vec::new(), done: BTreeSet::new() };
        if let Some(next) = &spec.next {
            reader.action(&next.expr, &BTreeSet::new());
        }
        reader.uses
    }

    /// Whether a variable may keep the action of this name from happening. That of a name that no definition has is not known, so it
    /// may.
    pub fn limits(&self, action: &str, variable: VarId) -> bool {
        self.limits.get(action).is_none_or(|limits| limits.contains(&variable))
    }

    /// Whether the value of a variable becomes a part of another one, such as of a message.
    pub fn goes_on(&self, variable: VarId) -> bool {
        self.goes_on.contains(&variable)
    }
}

struct Reader<'s> {
    spec: &'s Spec,
    uses: Uses,
    /// The definitions that the present place is in.
    open: Vec<DefId>,
    /// The definitions that have been read, each with what limits it from outside.
    done: BTreeSet<(DefId, BTreeSet<VarId>)>,
}

impl<'s> Reader<'s> {
    /// Reads an action. `outside` has the variables that must allow it.
    fn action(&mut self, expr: &'s Expr, outside: &BTreeSet<VarId>) {
        if expr.level < Level::Action {
            return self.limit(&self.mentioned([expr]));
        }
        match &*expr.kind {
            ExprKind::Core { op: Core::And, args } => {
                let guards = self.mentioned(args.iter().filter(|arg| arg.level < Level::Action));
                let inside = self.inside(outside, &guards);
                for arg in args {
                    self.action(arg, &inside);
                }
            }
            ExprKind::Core { op: Core::Or, args } => {
                for arg in args {
                    self.action(arg, outside);
                }
            }
            ExprKind::Core { op: Core::Eq | Core::In | Core::SubsetEq, args }
                if assigned(&args[0]).is_some() =>
            {
                let of_others = self.mentioned([&args[1]]).into_iter();
                self.uses.goes_on.extend(of_others.filter(|variable| assigned(&args[0]) != Some(*variable)));
            }
            ExprKind::Core { op: Core::Unchanged, .. } => {}
            ExprKind::Quantifier { bounds, body, .. } => {
                let sets = self.mentioned(bounds.iter().map(|Bound { set, .. }| set));
                let inside = self.inside(outside, &sets);
                self.action(body, &inside);
            }
            ExprKind::If { condition, then, otherwise } => {
                let inside = self.inside(outside, &self.mentioned([condition]));
                self.action(then, &inside);
                self.action(otherwise, &inside);
            }
            ExprKind::Case { arms, other } => {
                let inside = self.inside(outside, &self.mentioned(arms.iter().map(|(test, _)| test)));
                for value in arms.iter().map(|(_, value)| value).chain(other) {
                    self.action(value, &inside);
                }
            }
            ExprKind::Let { body, .. } | ExprKind::SubscriptAction { action: body, .. } => {
                self.action(body, outside);
            }
            ExprKind::Call { def, args } => self.call(*def, args, outside),
            _ => self.limit(&self.mentioned([expr])),
        }
    }

    fn call(&mut self, def: DefId, args: &'s [Arg], outside: &BTreeSet<VarId>) {
        let DefBody::Expr(body) = &self.spec.defs[def].body else { return };
        let args = args.iter().filter_map(|arg| match arg {
            Arg::Expr(expr) => Some(expr),
            Arg::Op(_) => None,
        });
        let given = self.mentioned(args);
        if !given.is_empty() {
            let changed = self.changed(body);
            let becomes_part = |variable: &VarId| changed.iter().any(|other| other != variable);
            self.uses.goes_on.extend(given.into_iter().filter(becomes_part));
        }
        let limits = self.uses.limits.entry(self.spec.defs[def].name.clone()).or_default();
        limits.extend(outside);
        let limits = limits.clone();
        if self.open.contains(&def) {
            return;
        }
        if self.done.insert((def, outside.clone())) {
            self.open.push(def);
            self.action(body, outside);
            self.open.pop();
        } else {
            // It has been read for another caller. What limits it limits this one as well.
            self.limit(&limits);
        }
    }

    /// What limits what is inside of a place.
    fn inside(&mut self, outside: &BTreeSet<VarId>, more: &BTreeSet<VarId>) -> BTreeSet<VarId> {
        let inside = outside.union(more).copied().collect();
        self.limit(more);
        inside
    }

    /// Notes that variables limit the definitions that the present place is in.
    fn limit(&mut self, variables: &BTreeSet<VarId>) {
        for def in &self.open {
            self.uses.limits.entry(self.spec.defs[*def].name.clone()).or_default().extend(variables);
        }
    }

    /// The variables that expressions mention, in definitions that they call as well.
    fn mentioned<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> BTreeSet<VarId>
    where
        's: 'e,
    {
        let mut found = BTreeSet::new();
        self.visit(exprs, &mut |expr| {
            if let ExprKind::Var(variable) = &*expr.kind {
                found.insert(*variable);
            }
        });
        found
    }

    /// The variables to which an action gives values.
    fn changed(&self, body: &'s Expr) -> BTreeSet<VarId> {
        let mut found = BTreeSet::new();
        self.visit([body], &mut |expr| {
            if let ExprKind::Core { op: Core::Eq | Core::In | Core::SubsetEq, args } = &*expr.kind {
                found.extend(assigned(&args[0]));
            }
        });
        found
    }

    fn visit<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>, look: &mut dyn FnMut(&'e Expr))
    where
        's: 'e,
    {
        let mut stack: Vec<&'e Expr> = exprs.into_iter().collect();
        let mut called = BTreeSet::new();
        while let Some(expr) = stack.pop() {
            look(expr);
            stack.extend(children(expr));
            if let ExprKind::Call { def, .. } = &*expr.kind
                && let DefBody::Expr(body) = &self.spec.defs[*def].body
                && called.insert(*def)
            {
                stack.push(body);
            }
        }
    }
}

/// The variable that stands with a prime on the left side of an assignment.
fn assigned(left: &Expr) -> Option<VarId> {
    match &*left.kind {
        ExprKind::Core { op: Core::Prime, args } => match &*args[0].kind {
            ExprKind::Var(variable) => Some(*variable),
            _ => None,
        },
        _ => None,
    }
}
