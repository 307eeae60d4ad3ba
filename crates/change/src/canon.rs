//! Writes expressions as text that depends only on their meaning.
//!
//! Bound names become numbers, counted from the outside. Definitions are replaced by their bodies, so it does not
//! matter what they are called, where they are written, and in which order. Two expressions with the same text have the
//! same value in the same state.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kilter_spec::Spec;
use kilter_spec::ir::{Arg, Bound, Core, DefBody, DefId, Expr, ExprKind, LocalId, OpArg};
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

/// Longer texts are replaced by their hashes. Otherwise definitions that use definitions could become huge.
const TEXT_MAX: usize = 512;

/// Writes the expressions of one specification.
pub struct Canon<'s> {
    spec: &'s Spec,
    store: &'s Store,
    /// Variables to leave out of UNCHANGED.
    ignored: &'s BTreeSet<String>,
    /// The number of each bound name in scope.
    levels: FxHashMap<LocalId, u32>,
    depth: u32,
    /// The depth at which the definitions of each LET in scope stand.
    let_depths: FxHashMap<DefId, u32>,
    /// The hashes of definitions with parameters that were written before.
    known: FxHashMap<DefId, u128>,
    /// The texts of definitions without parameters that were written before, by the depth at which they were used.
    plain: FxHashMap<(DefId, u32), String>,
    /// The definitions around the current expression, outermost first.
    open: Vec<DefId>,
    /// The outermost of these definitions that was mentioned, as an index into `open`.
    outermost_mentioned: usize,
}

impl<'s> Canon<'s> {
    /// Makes a writer for the expressions of a specification. Their values are in `store`.
    pub fn new(spec: &'s Spec, store: &'s Store, ignored: &'s BTreeSet<String>) -> Canon<'s> {
        Canon {
            spec,
            store,
            ignored,
            levels: FxHashMap::default(),
            depth: 0,
            let_depths: FxHashMap::default(),
            known: FxHashMap::default(),
            plain: FxHashMap::default(),
            open: Vec::new(),
            outermost_mentioned: usize::MAX,
        }
    }

    /// The specification.
    pub fn spec(&self) -> &'s Spec {
        self.spec
    }

    /// Whether a variable is left out of UNCHANGED.
    pub fn is_ignored(&self, variable: &str) -> bool {
        self.ignored.contains(variable)
    }

    /// Gives numbers to names. Returns the depth before, for [`Canon::unbind`].
    pub fn bind(&mut self, locals: &[LocalId]) -> u32 {
        let before = self.depth;
        for local in locals {
            self.levels.insert(*local, self.depth);
            self.depth += 1;
        }
        before
    }

    /// Goes back to a depth that [`Canon::bind`] returned.
    pub fn unbind(&mut self, depth: u32) {
        self.depth = depth;
    }

    fn binding<T>(&mut self, locals: &[LocalId], body: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.bind(locals);
        let result = body(self);
        self.unbind(depth);
        result
    }

    /// Remembers at which depth the definitions of a LET stand.
    pub fn enter_let(&mut self, defs: &[DefId]) {
        for def in defs {
            self.let_depths.insert(*def, self.depth);
            self.known.remove(def);
        }
        // Their texts depend on the depth of this LET.
        self.plain.retain(|(def, _), _| !defs.contains(def));
    }

    /// Writes an expression; a long text becomes its hash.
    pub fn expr(&mut self, expr: &'s Expr, out: &mut String) {
        let start = out.len();
        self.kind(expr, out);
        if out.len() - start > TEXT_MAX {
            let hash = xxh3_128(&out.as_bytes()[start..]);
            out.truncate(start);
            let _ = write!(out, "(long {hash:032x})");
        }
    }

    fn kind(&mut self, expr: &'s Expr, out: &mut String) {
        match &*expr.kind {
            ExprKind::Value(value) => self.value(*value, out),
            ExprKind::Var(var) => out.push_str(self.spec.variables[*var].name.as_str()),
            ExprKind::Local(local) => self.local(*local, out),
            ExprKind::Call { def, args } => self.call(*def, args, out),
            ExprKind::CallLocal { local, args } => {
                out.push_str("(apply ");
                self.local(*local, out);
                self.args(args, out);
                out.push(')');
            }
            ExprKind::Core { op: Core::Unchanged, args } => self.unchanged(&args[0], out),
            ExprKind::Core { op, args } => self.list(&format!("{op:?}"), args, out),
            ExprKind::Quantifier { all, bounds, body } => {
                self.binder(if *all { "all" } else { "some" }, bounds, body, out);
            }
            ExprKind::Map { bounds, body } => self.binder("map", bounds, body, out),
            ExprKind::Function { bounds, body } => self.binder("function", bounds, body, out),
            ExprKind::Choose { bound, body } => {
                self.binder("choose", std::slice::from_ref(bound), body, out);
            }
            ExprKind::Filter { bound, body } => {
                self.binder("filter", std::slice::from_ref(bound), body, out);
            }
            ExprKind::UnboundedQuantifier { all, locals, body } => {
                self.unbounded(if *all { "all" } else { "some" }, locals, body, out);
            }
            ExprKind::TemporalQuantifier { all, locals, body } => {
                self.unbounded(if *all { "always-all" } else { "always-some" }, locals, body, out);
            }
            ExprKind::UnboundedChoose { locals, body } => self.unbounded("choose", locals, body, out),
            ExprKind::SetEnum(items) => self.list("set", items, out),
            ExprKind::Tuple(items) => self.list("tuple", items, out),
            ExprKind::Product(items) => self.list("product", items, out),
            ExprKind::Index { function, arg } => self.list_of("index", [function, arg], out),
            ExprKind::FunctionSet { domain, range } => self.list_of("functions", [domain, range], out),
            ExprKind::Field { record, field } => {
                out.push_str("(field ");
                self.value(*field, out);
                self.list_of("", [record], out);
                out.push(')');
            }
            ExprKind::Record(fields) => self.fields("record", fields, out),
            ExprKind::RecordSet(fields) => self.fields("records", fields, out),
            ExprKind::Except { function, updates } => {
                self.list_of("(except", [function], out);
                for update in updates {
                    self.list("!", &update.path, out);
                    self.binding(&[update.at], |this| this.expr(&update.value, out));
                }
                out.push(')');
            }
            ExprKind::If { condition, then, otherwise } => {
                self.list_of("if", [condition, then, otherwise], out);
            }
            ExprKind::Case { arms, other } => {
                out.push_str("(case");
                for (test, value) in arms {
                    self.list_of("->", [test, value], out);
                }
                self.list_of("other", other, out);
                out.push(')');
            }
            ExprKind::Let { defs, body } => {
                self.enter_let(defs);
                self.expr(body, out);
            }
            ExprKind::SubscriptAction { angle, action, subscript } => {
                self.list_of(if *angle { "angle" } else { "box" }, [action, subscript], out);
            }
            ExprKind::Fairness { strong, subscript, action } => {
                self.list_of(if *strong { "strong" } else { "weak" }, [subscript, action], out);
            }
        }
    }

    fn value(&self, value: Value, out: &mut String) {
        let shown = self.store.show(value);
        // A model value is printed without quotes. The backquotes keep it apart from the name of a variable.
        let _ = write!(out, "`{shown}`");
    }

    fn local(&self, local: LocalId, out: &mut String) {
        let _ = match self.levels.get(&local) {
            Some(level) => write!(out, "#{level}"),
            None => write!(out, "#{}", self.spec.locals[local].name),
        };
    }

    fn list(&mut self, head: &str, items: &'s [Expr], out: &mut String) {
        self.list_of(head, items, out);
    }

    fn list_of(&mut self, head: &str, items: impl IntoIterator<Item = &'s Expr>, out: &mut String) {
        let _ = write!(out, "({head}");
        for item in items {
            out.push(' ');
            self.expr(item, out);
        }
        out.push(')');
    }

    fn fields(&mut self, head: &str, fields: &'s [(Value, Expr)], out: &mut String) {
        let mut written: Vec<String> = Vec::new();
        for (name, value) in fields {
            let mut field = String::new();
            self.value(*name, &mut field);
            self.expr(value, &mut field);
            written.push(field);
        }
        // The order of fields has no meaning.
        written.sort_unstable();
        let _ = write!(out, "({head} {})", written.join(" "));
    }

    fn unbounded(&mut self, head: &str, locals: &[LocalId], body: &'s Expr, out: &mut String) {
        let _ = write!(out, "({head} {} ", locals.len());
        self.binding(locals, |this| this.expr(body, out));
        out.push(')');
    }

    fn binder(&mut self, head: &str, bounds: &'s [Bound], body: &'s Expr, out: &mut String) {
        let _ = write!(out, "({head}");
        self.bounds(bounds, out);
        let locals: Vec<LocalId> = bounds.iter().flat_map(|bound| bound.locals.iter().copied()).collect();
        self.binding(&locals, |this| this.expr(body, out));
        out.push(')');
    }

    /// Writes the sets of bounds. The sets cannot mention the bound names.
    pub fn bounds(&mut self, bounds: &'s [Bound], out: &mut String) {
        for Bound { locals, tuple, set } in bounds {
            let _ = write!(out, " {}{} in ", locals.len(), if *tuple { "-tuple" } else { "" });
            self.expr(set, out);
            out.push(' ');
        }
    }

    fn call(&mut self, def: DefId, args: &'s [Arg], out: &mut String) {
        let Some(body) = self.plain_body(def) else {
            self.definition(def, out);
            return self.args(args, out);
        };
        // A definition may be used in many places. Writing it anew each time could take exponential time.
        let key = (def, self.depth);
        if let Some(text) = self.plain.get(&key) {
            return out.push_str(text);
        }
        let mut text = String::new();
        self.expr(body, &mut text);
        out.push_str(&text);
        self.plain.insert(key, text);
    }

    /// The body of a definition that can replace a call: it has no parameters and is not recursive.
    pub fn plain_body(&self, def: DefId) -> Option<&'s Expr> {
        let definition = &self.spec.defs[def];
        match &definition.body {
            DefBody::Expr(body) if definition.params.is_empty() && !definition.recursive => Some(body),
            _ => None,
        }
    }

    /// Writes arguments.
    pub fn args(&mut self, args: &'s [Arg], out: &mut String) {
        out.push('[');
        for arg in args {
            match arg {
                Arg::Expr(expr) => self.expr(expr, out),
                Arg::Op(OpArg::Def { def, leading }) => {
                    self.definition(*def, out);
                    self.args(leading, out);
                }
                Arg::Op(OpArg::Core(core)) => {
                    let _ = write!(out, "{core:?}");
                }
                Arg::Op(OpArg::Local(local)) => self.local(*local, out),
                Arg::Op(OpArg::Lambda { params, body }) => self.unbounded("lambda", params, body, out),
            }
            out.push(',');
        }
        out.push(']');
    }

    /// Writes a definition as a hash. A definition that is being written is given by its distance in `open`.
    fn definition(&mut self, def: DefId, out: &mut String) {
        if let Some(place) = self.open.iter().position(|open| *open == def) {
            self.outermost_mentioned = self.outermost_mentioned.min(place);
            let _ = write!(out, "(itself {})", self.open.len() - place);
            return;
        }
        let body = match &self.spec.defs[def].body {
            DefBody::Native(native) => {
                let _ = write!(out, "({native:?})");
                return;
            }
            DefBody::Expr(body) => body,
        };
        let hash = match self.known.get(&def) {
            Some(hash) => *hash,
            None => self.write_definition(def, body),
        };
        let _ = write!(out, "(def {hash:032x})");
    }

    fn write_definition(&mut self, def: DefId, body: &'s Expr) -> u128 {
        let definition = &self.spec.defs[def];
        // A definition outside of all LETs knows no bound names but its own.
        let depth = self.let_depths.get(&def).copied().unwrap_or(0);
        let outer_depth = std::mem::replace(&mut self.depth, depth);
        let outer_mentioned = std::mem::replace(&mut self.outermost_mentioned, usize::MAX);
        self.open.push(def);
        let mut text = format!("{} ", definition.params.len());
        self.binding(&definition.params, |this| this.expr(body, &mut text));
        self.open.pop();
        self.depth = outer_depth;
        let hash = xxh3_128(text.as_bytes());
        // If the text mentions a definition further out, it depends on where that one was opened, and must not be
        // reused.
        if self.outermost_mentioned >= self.open.len() {
            self.known.insert(def, hash);
        }
        self.outermost_mentioned = self.outermost_mentioned.min(outer_mentioned);
        hash
    }

    /// Writes `UNCHANGED e` as the variables in `e`, sorted by name.
    fn unchanged(&mut self, expr: &'s Expr, out: &mut String) {
        let mut variables = BTreeSet::new();
        if self.unchanged_variables(expr, &mut variables) {
            write_unchanged(&variables, out);
        } else {
            self.list_of("unchanged", [expr], out);
        }
    }

    /// Adds the variables of a tuple of variables, except the ignored ones. Returns false if `expr` is no such tuple.
    pub fn unchanged_variables(&self, expr: &'s Expr, variables: &mut BTreeSet<String>) -> bool {
        match &*expr.kind {
            ExprKind::Var(var) => {
                let name = self.spec.variables[*var].name.as_str();
                if !self.is_ignored(name) {
                    variables.insert(name.to_owned());
                }
                true
            }
            ExprKind::Tuple(items) => items.iter().all(|item| self.unchanged_variables(item, variables)),
            ExprKind::Call { def, .. } => {
                self.plain_body(*def).is_some_and(|body| self.unchanged_variables(body, variables))
            }
            _ => false,
        }
    }
}

/// Writes UNCHANGED for these variables; nothing if there are none.
pub fn write_unchanged(variables: &BTreeSet<String>, out: &mut String) {
    if !variables.is_empty() {
        let names: Vec<&str> = variables.iter().map(String::as_str).collect();
        let _ = write!(out, "(unchanged {})", names.join(" "));
    }
}
