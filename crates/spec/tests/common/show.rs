//! A resolved specification as text, close to TLA+.

use std::fmt::Write;

use kilter_spec::ir::{Arg, Bound, Core, Def, DefBody, Expr, ExprKind, Formula, LocalId, OpArg, Spec};
use kilter_value::Store;

struct Show<'s> {
    spec: &'s Spec,
    store: &'s Store,
}

/// The definitions of the specification itself, not those of built-in modules, and what the configuration picked.
pub fn spec(spec: &Spec, store: &Store) -> String {
    let show = Show { spec, store };
    let mut out = String::new();
    for def in spec.defs.iter().filter(|def| !def.in_let && matches!(def.body, DefBody::Expr(_))) {
        out += &show.def(def);
        out.push('\n');
    }
    let parts = [
        ("assume", spec.assumptions.iter().collect::<Vec<_>>()),
        ("init", spec.init.iter().collect()),
        ("next", spec.next.iter().collect()),
        ("fairness", spec.fairness.iter().collect()),
        ("invariant", spec.invariants.iter().collect()),
        ("property", spec.properties.iter().collect()),
        ("constraint", spec.constraints.iter().collect()),
        ("action constraint", spec.action_constraints.iter().collect()),
        ("symmetry", spec.symmetry.iter().collect()),
        ("view", spec.view.iter().collect()),
    ];
    for (what, formulas) in parts {
        for Formula { name, expr } in formulas {
            let _ = writeln!(out, "{what} {name}: {}", show.expr(expr));
        }
    }
    out
}

impl Show<'_> {
    fn def(&self, def: &Def) -> String {
        let params =
            if def.params.is_empty() { String::new() } else { format!("({})", self.locals(&def.params)) };
        let body = match &def.body {
            DefBody::Expr(expr) => self.expr(expr),
            DefBody::Native(native) => format!("{native:?}"),
        };
        let level = format!("{:?}", def.level).to_lowercase();
        let recursive = if def.recursive { " recursive" } else { "" };
        format!("{}{params} == {body}  \\* {level}{recursive}", def.name)
    }

    fn local(&self, local: LocalId) -> String {
        format!("{}.{}", self.spec.locals[local].name, local.0)
    }

    fn locals(&self, locals: &[LocalId]) -> String {
        locals.iter().map(|local| self.local(*local)).collect::<Vec<_>>().join(", ")
    }

    fn list<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> String {
        exprs.into_iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn bounds(&self, bounds: &[Bound]) -> String {
        let one = |bound: &Bound| {
            let names = self.locals(&bound.locals);
            let names = if bound.tuple { format!("<<{names}>>") } else { names };
            format!("{names} \\in {}", self.expr(&bound.set))
        };
        bounds.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn args(&self, args: &[Arg]) -> String {
        let one = |arg: &Arg| match arg {
            Arg::Expr(expr) => self.expr(expr),
            Arg::Op(OpArg::Def { def, leading }) => {
                let leading =
                    if leading.is_empty() { String::new() } else { format!("({}, _)", self.args(leading)) };
                format!("{}{leading}", self.spec.defs[*def].name)
            }
            Arg::Op(OpArg::Core(core)) => format!("{core:?}"),
            Arg::Op(OpArg::Local(local)) => self.local(*local),
            Arg::Op(OpArg::Lambda { params, body }) => {
                format!("LAMBDA {} : {}", self.locals(params), self.expr(body))
            }
        };
        args.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn call(name: String, args: &str) -> String {
        if args.is_empty() { name } else { format!("{name}({args})") }
    }

    fn expr(&self, expr: &Expr) -> String {
        match &*expr.kind {
            ExprKind::Value(value) => self.store.show(*value),
            ExprKind::Var(var) => self.spec.variables[*var].name.to_string(),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Call { def, args } => {
                Self::call(self.spec.defs[*def].name.to_string(), &self.args(args))
            }
            ExprKind::CallLocal { local, args } => Self::call(self.local(*local), &self.args(args)),
            ExprKind::Core { op: Core::Prime, args } => format!("{}'", self.list(args)),
            ExprKind::Core { op, args } => format!("{op:?}({})", self.list(args)),
            ExprKind::Quantifier { all, bounds, body } => {
                format!("{}({} : {})", if *all { "\\A" } else { "\\E" }, self.bounds(bounds), self.expr(body))
            }
            ExprKind::UnboundedQuantifier { all, locals, body } => {
                format!("{}({} : {})", if *all { "\\A" } else { "\\E" }, self.locals(locals), self.expr(body))
            }
            ExprKind::TemporalQuantifier { all, locals, body } => {
                format!(
                    "{}({} : {})",
                    if *all { "\\AA" } else { "\\EE" },
                    self.locals(locals),
                    self.expr(body)
                )
            }
            ExprKind::Choose { bound, body } => {
                format!("CHOOSE({} : {})", self.bounds(std::slice::from_ref(bound)), self.expr(body))
            }
            ExprKind::UnboundedChoose { locals, body } => {
                format!("CHOOSE({} : {})", self.locals(locals), self.expr(body))
            }
            ExprKind::SetEnum(items) => format!("{{{}}}", self.list(items)),
            ExprKind::Filter { bound, body } => {
                format!("{{{} : {}}}", self.bounds(std::slice::from_ref(bound)), self.expr(body))
            }
            ExprKind::Map { bounds, body } => format!("{{{} : {}}}", self.expr(body), self.bounds(bounds)),
            ExprKind::Function { bounds, body } => {
                format!("[{} |-> {}]", self.bounds(bounds), self.expr(body))
            }
            ExprKind::Index { function, arg } => format!("{}[{}]", self.expr(function), self.expr(arg)),
            ExprKind::Field { record, field } => format!("{}.{}", self.expr(record), self.store.show(*field)),
            ExprKind::FunctionSet { domain, range } => {
                format!("[{} -> {}]", self.expr(domain), self.expr(range))
            }
            ExprKind::Record(fields) => format!("[{}]", self.fields(fields, "|->")),
            ExprKind::RecordSet(fields) => format!("[{}]", self.fields(fields, ":")),
            ExprKind::Tuple(items) => format!("<<{}>>", self.list(items)),
            ExprKind::Product(items) => format!("Product({})", self.list(items)),
            ExprKind::Except { function, updates } => {
                let one = |update: &kilter_spec::ir::Update| {
                    let at = self.local(update.at);
                    format!("![{}] = ({at}) {}", self.list(&update.path), self.expr(&update.value))
                };
                let updates: Vec<String> = updates.iter().map(one).collect();
                format!("[{} EXCEPT {}]", self.expr(function), updates.join(", "))
            }
            ExprKind::If { condition, then, otherwise } => {
                format!("IF({})", self.list([condition, then, otherwise]))
            }
            ExprKind::Case { arms, other } => {
                let mut all: Vec<String> = arms
                    .iter()
                    .map(|(test, value)| format!("{} -> {}", self.expr(test), self.expr(value)))
                    .collect();
                all.extend(other.iter().map(|other| format!("OTHER -> {}", self.expr(other))));
                format!("CASE({})", all.join(" [] "))
            }
            ExprKind::Let { defs, body } => {
                let defs: Vec<String> = defs.iter().map(|def| self.def(&self.spec.defs[*def])).collect();
                format!("LET {} IN {}", defs.join("; "), self.expr(body))
            }
            ExprKind::SubscriptAction { angle, action, subscript } => {
                let (open, close) = if *angle { ("<<", ">>") } else { ("[", "]") };
                format!("{open}{}{close}_({})", self.expr(action), self.expr(subscript))
            }
            ExprKind::Fairness { strong, subscript, action } => {
                format!(
                    "{}_({})({})",
                    if *strong { "SF" } else { "WF" },
                    self.expr(subscript),
                    self.expr(action)
                )
            }
        }
    }

    fn fields(&self, fields: &[(kilter_value::Value, Expr)], arrow: &str) -> String {
        let one = |(name, value): &(kilter_value::Value, Expr)| {
            format!("{} {arrow} {}", self.store.show(*name), self.expr(value))
        };
        fields.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}
