//! Resolves names of subexpressions: `Op!2`, `Op!label`, `Op!(x)!1`, `Op!1!InItsLet(3)`, and the operator `Op!@`.
//!
//! The rules are SANY's. After the name of a definition or a label, a name is that of a label below it. After `!:` and
//! after any other step, it is that of a definition of the LET that stands there. Parentheses and labels need no step,
//! and a LET has its body as its only operand.

use kilter_base::Diagnostic;
use kilter_syntax::ast::{self, Expr, ExprKind, FunctionDef, Ident, OpPath, Pattern, Unit, UnitKind};

use super::names::Target;
use super::{Elaborator, Env, hole, node};
use crate::errors;
use crate::ir::{self, Arg, LocalId};
use crate::scope::{Item, ItemId, ItemKind, Layer, Place, Scope, Symbol};

/// A place inside a definition, and what surrounds it there.
struct Part<'a> {
    place: Place<'a>,
    layers: Vec<Layer<'a>>,
    /// The arguments for the bound names on the way.
    given: Vec<&'a Expr>,
    /// Whether arguments were left out. Then the path names an operator whose parameters are the bound names on the
    /// way.
    open: bool,
    /// Whether arguments were given.
    applied: bool,
    /// Whether a following name is that of a definition of the LET here, and not that of a label below.
    in_let: bool,
}

type Step = Result<(), Diagnostic>;

impl<'a> Elaborator<'a> {
    /// Finds the subexpression that the steps after `index` select in the definition that step `index` names.
    pub(crate) fn select(
        &mut self,
        item: ItemId,
        leading: Vec<Arg>,
        path: &'a OpPath,
        index: usize,
        last_args: &'a [Expr],
    ) -> Option<Target<'a>> {
        let head = &path.prefix[index];
        let whole = &self.items[item];
        if index + 1 == path.prefix.len() && path.name.name == ":" {
            return Some(Target::Item { item, leading, given: head.args.iter().collect() });
        }
        let (place, params) = match whole.kind {
            ItemKind::Operator(def) => (Place::Expr(&def.body), def.params.as_slice()),
            ItemKind::Function(def) => (Place::Function(def), [].as_slice()),
            ItemKind::Formula(body) => (Place::Expr(body), [].as_slice()),
            _ => {
                self.report
                    .push(errors::unsupported(head.name.span, "names of subexpressions of this definition"));
                return None;
            }
        };
        if place.span().file == head.name.span.file && head.name.span.start < place.end() {
            self.report.push(errors::part_before_definition(head.name.span, &head.name.name));
            return None;
        }
        match walk(place, params, path, index, last_args) {
            Ok(part) => {
                let given = part.given.clone();
                let known = self.parts.get(&(item, path.name.span)).copied();
                let part = known.unwrap_or_else(|| self.part_item(item, part, path.name.span));
                Some(Target::Item { item: part, leading, given })
            }
            Err(error) => {
                self.report.push(error);
                None
            }
        }
    }

    fn part_item(&mut self, of: ItemId, part: Part<'a>, span: kilter_base::Span) -> ItemId {
        let whole = &self.items[of];
        let params = part.layers.iter().flat_map(Layer::arities).collect();
        let mut scope = whole.scope.clone();
        if let ItemKind::Function(function) = whole.kind
            && self.lookup(&scope, &function.name.name).is_none()
        {
            let own = (function.name.name.clone(), Symbol::Item(of), function.name.span);
            scope = Scope::with(&scope, vec![own]);
        }
        let item = Item {
            name: format!("{}!{}", whole.name, self.sources.text(span)).into(),
            short: whole.short.clone(),
            module: whole.module.clone(),
            span: part.place.span(),
            kind: ItemKind::Part { layers: part.layers, place: part.place },
            params,
            frame: whole.frame.clone(),
            scope,
            def: None,
            owner: whole.owner,
            in_let: whole.in_let,
            for_variable: false,
        };
        let part = self.items.push(item);
        self.parts.insert((of, span), part);
        part
    }

    /// Resolves a part of a definition. The names in the layers around it become parameters.
    pub(crate) fn part(
        &mut self,
        env: &Env,
        layers: &[Layer<'a>],
        place: Place<'a>,
        params: &mut Vec<LocalId>,
    ) -> ir::Expr {
        match layers {
            [] => self.place(env, place),
            [Layer::Names(names), rest @ ..] => {
                let mut env = env.clone();
                params.extend(self.bind(&mut env, names));
                self.part(&env, rest, place, params)
            }
            [Layer::Let(units), rest @ ..] => {
                let (env, owner) = self.open_let(env, units);
                let inner = self.part(&env, rest, place, params);
                self.close_let(owner, place.span(), inner)
            }
        }
    }

    fn place(&mut self, env: &Env, place: Place<'a>) -> ir::Expr {
        match place {
            Place::Expr(expr) => self.expr(env, expr),
            Place::Field(field) => node(field.span, ir::ExprKind::Value(self.store.string(&field.name))),
            Place::Function(function) => match self.lookup(&env.scope, &function.name.name) {
                Some((symbol, _)) => self.alias_body(env, symbol, function.name.span),
                None => hole(function.name.span),
            },
            Place::Arm(_, value) => hole(value.span),
        }
    }
}

/// Follows the steps of a path, starting from a definition.
fn walk<'a>(
    place: Place<'a>,
    params: &'a [ast::OpDecl],
    path: &'a OpPath,
    index: usize,
    last_args: &'a [Expr],
) -> Result<Part<'a>, Diagnostic> {
    let mut part =
        Part { place, layers: Vec::new(), given: Vec::new(), open: false, applied: false, in_let: false };
    let head = &path.prefix[index];
    part.pass(declared(params), &head.name, &head.args, false)?;
    for step in &path.prefix[index + 1..] {
        part.step(&step.name, &step.args, false)?;
    }
    part.step(&path.name, last_args, true)?;
    if let Place::Arm(..) = part.place {
        return Err(errors::whole_case_arm(path.name.span));
    }
    Ok(part)
}

impl<'a> Part<'a> {
    /// Passes bound names, which become parameters. The arguments of the last step are applied by the caller.
    fn pass(&mut self, names: Vec<(&'a Ident, u32)>, step: &'a Ident, args: &'a [Expr], last: bool) -> Step {
        if names.len() != args.len() && !args.is_empty() {
            return Err(errors::wrong_arity(step.span, shown(step), names.len(), args.len()));
        }
        self.applied |= !args.is_empty();
        self.open |= args.len() < names.len();
        if self.open && self.applied {
            return Err(errors::partly_applied(step.span));
        }
        if !names.is_empty() {
            self.layers.push(Layer::Names(names));
        }
        if !last {
            self.given.extend(args);
        }
        Ok(())
    }

    fn step(&mut self, step: &'a Ident, args: &'a [Expr], last: bool) -> Step {
        let wrong = || errors::bad_selector(step.span, shown(step));
        let number = match step.name.as_str() {
            "<<" => Some(1),
            ">>" => Some(2),
            text => text.parse::<usize>().ok(),
        };
        match step.name.as_str() {
            ":" => self.in_let = true,
            "" | "@" => {
                self.settle();
                let (names, body) = self.place.bound().ok_or_else(wrong)?;
                if step.name == "@" && !args.is_empty() {
                    return Err(errors::wrong_arity(step.span, shown(step), 0, args.len()));
                }
                self.place = Place::Expr(body);
                self.in_let = true;
                self.pass(names.into_iter().map(|name| (name, 0)).collect(), step, args, last)?;
            }
            _ if number.is_some() => {
                self.pass(Vec::new(), step, args, last)?;
                self.settle();
                if let Some(units) = self.place.let_units() {
                    self.layers.push(Layer::Let(units));
                }
                self.place = number.and_then(|number| self.place.operand(number)).ok_or_else(wrong)?;
                self.in_let = true;
            }
            name if self.in_let => {
                self.settle();
                let units = self.place.let_units().ok_or_else(wrong)?;
                self.layers.push(Layer::Let(units));
                self.in_let = false;
                let (place, params) = defined_in(units, name).ok_or_else(wrong)?;
                self.place = place;
                self.pass(declared(params), step, args, last)?;
            }
            label => {
                let found = find_label(self.place, label).ok_or_else(wrong)?;
                if found.bound.iter().any(|name| !found.params.iter().any(|param| param.name == name.name)) {
                    return Err(errors::wrong_arity(step.span, label, found.params.len(), args.len()));
                }
                self.place = Place::Expr(found.body);
                self.pass(found.params.iter().map(|name| (name, 0)).collect(), step, args, last)?;
                self.layers.extend(found.lets.into_iter().map(Layer::Let));
            }
        }
        Ok(())
    }

    /// Enters parentheses and labels, which need no step.
    fn settle(&mut self) {
        while let Place::Expr(expr) = self.place
            && let ExprKind::Paren(inner) | ExprKind::Label { body: inner, .. } = &*expr.kind
        {
            self.place = Place::Expr(inner);
        }
    }
}

fn shown(step: &Ident) -> &str {
    if step.name.is_empty() { "(…)" } else { &step.name }
}

fn declared(params: &[ast::OpDecl]) -> Vec<(&Ident, u32)> {
    params.iter().map(|param| (&param.name, param.arity)).collect()
}

/// A definition of a LET, and its parameters.
fn defined_in<'a>(units: &'a [Unit], name: &str) -> Option<(Place<'a>, &'a [ast::OpDecl])> {
    units.iter().find_map(|unit| match &unit.kind {
        UnitKind::Operator(def) if def.name.name == name => Some((Place::Expr(&def.body), &*def.params)),
        UnitKind::Function(def) if def.name.name == name => Some((Place::Function(def), [].as_slice())),
        _ => None,
    })
}

impl<'a> Place<'a> {
    /// The definitions of the LET at this place, if there is one.
    fn let_units(self) -> Option<&'a [Unit]> {
        match self {
            Place::Expr(expr) => match &*expr.kind {
                ExprKind::Let { units, .. } => Some(units),
                _ => None,
            },
            _ => None,
        }
    }

    /// Operand `number`, counted from 1.
    fn operand(self, number: usize) -> Option<Place<'a>> {
        let index = number.checked_sub(1)?;
        match self {
            Place::Expr(expr) => operand(expr, index),
            Place::Function(function) => function.bounds.get(index).map(|bound| Place::Expr(&bound.set)),
            Place::Arm(condition, value) => {
                [condition, Some(value)].get(index).copied().flatten().map(Place::Expr)
            }
            Place::Field(_) => None,
        }
    }

    /// The names that are bound at this place, and the body. `None` if nothing is bound.
    fn bound(self) -> Option<(Vec<&'a Ident>, &'a Expr)> {
        match self {
            Place::Expr(expr) => bound(expr),
            Place::Function(FunctionDef { bounds, body, .. }) => Some((names_of(bounds), body)),
            Place::Arm(..) | Place::Field(_) => None,
        }
    }
}

fn operand(expr: &Expr, index: usize) -> Option<Place<'_>> {
    let found = match &*expr.kind {
        ExprKind::Case { arms, other } => {
            let other = other.as_ref().filter(|_| index == arms.len()).map(|value| Place::Arm(None, value));
            return arms.get(index).map(|(condition, value)| Place::Arm(Some(condition), value)).or(other);
        }
        ExprKind::Field { field, .. } if index == 1 => return Some(Place::Field(field)),
        ExprKind::Field { record: first, .. }
        | ExprKind::Except { function: first, .. }
        | ExprKind::Let { body: first, .. }
        | ExprKind::Choose { set: Some(first), .. }
        | ExprKind::Filter { set: first, .. } => (index == 0).then_some(first),
        ExprKind::Apply { args, .. } => args.get(index),
        ExprKind::Junction { items, .. }
        | ExprKind::SetEnum(items)
        | ExprKind::Tuple(items)
        | ExprKind::Product(items) => items.get(index),
        ExprKind::If { condition, then, otherwise } => [condition, then, otherwise].get(index).copied(),
        ExprKind::Index { function, args } => match (index, args.as_slice()) {
            (0, _) => Some(function),
            (1, [arg]) => Some(arg),
            _ => None,
        },
        ExprKind::FunctionSet { domain, range } => [domain, range].get(index).copied(),
        ExprKind::Record(fields) | ExprKind::RecordSet(fields) => fields.get(index).map(|(_, value)| value),
        ExprKind::BoxAction { action, subscript } | ExprKind::AngleAction { action, subscript } => {
            [action, subscript].get(index).copied()
        }
        ExprKind::Fairness { subscript, action, .. } => [subscript, action].get(index).copied(),
        ExprKind::Quantifier { bounds, .. }
        | ExprKind::Map { bounds, .. }
        | ExprKind::Function { bounds, .. } => bounds.get(index).map(|bound| &bound.set),
        _ => None,
    };
    found.map(Place::Expr)
}

fn bound(expr: &Expr) -> Option<(Vec<&Ident>, &Expr)> {
    match &*expr.kind {
        ExprKind::Quantifier { bounds, body, .. }
        | ExprKind::Map { bounds, body }
        | ExprKind::Function { bounds, body } => Some((names_of(bounds), body)),
        ExprKind::Unbounded { names, body, .. } | ExprKind::Lambda { params: names, body } => {
            Some((names.iter().collect(), body))
        }
        ExprKind::Choose { pattern, body, .. } | ExprKind::Filter { pattern, body, .. } => {
            Some((names_in(pattern).collect(), body))
        }
        _ => None,
    }
}

fn names_of(bounds: &[ast::Bound]) -> Vec<&Ident> {
    bounds.iter().flat_map(|bound| names_in(&bound.pattern)).collect()
}

fn names_in(pattern: &Pattern) -> std::slice::Iter<'_, Ident> {
    match pattern {
        Pattern::Names(names) | Pattern::Tuple(names) => names.iter(),
    }
}

/// A labelled expression.
struct Labelled<'a> {
    /// The names bound on the way to it.
    bound: Vec<&'a Ident>,
    /// The LETs on the way to it.
    lets: Vec<&'a [Unit]>,
    /// The label's own parameters.
    params: &'a [Ident],
    body: &'a Expr,
}

/// The expression below `place` that has this label.
fn find_label<'a>(place: Place<'a>, label: &str) -> Option<Labelled<'a>> {
    let mut stack = match place {
        Place::Expr(expr) => vec![(Vec::new(), Vec::new(), expr)],
        Place::Function(function) => vec![(names_of(&function.bounds), Vec::new(), &function.body)],
        Place::Arm(..) | Place::Field(_) => Vec::new(),
    };
    while let Some((names, lets, expr)) = stack.pop() {
        if let ExprKind::Label { name, params, body } = &*expr.kind {
            if name.name == label {
                return Some(Labelled { bound: names, lets, params, body });
            }
            // Labels inside of a labelled expression can be named only through that label.
            continue;
        }
        let mut below = Vec::new();
        crate::refs::children(expr, &mut below);
        let inner = bound(expr);
        for child in below {
            let (mut names, mut lets) = (names.clone(), lets.clone());
            if let Some((bound, body)) = &inner
                && std::ptr::eq(*body, child)
            {
                names.extend(bound);
            }
            if let ExprKind::Let { units, .. } = &*expr.kind {
                lets.push(units.as_slice());
            }
            stack.push((names, lets, child));
        }
    }
    None
}
