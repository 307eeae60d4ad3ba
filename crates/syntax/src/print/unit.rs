//! Prints modules, their units, and definitions.

use super::Printer;
use crate::ast::{Bound, Fixity, Ident, Instance, Module, OpDecl, Pattern, Unit, UnitKind};
use crate::operators::by_spelling;

impl Printer {
    pub(super) fn module(&mut self, module: &Module) {
        self.text(&format!("---- MODULE {} ----", module.name.name));
        if !module.extends.is_empty() {
            self.newline(1);
            self.text("EXTENDS ");
            self.idents(&module.extends);
        }
        for unit in &module.units {
            self.newline(1);
            self.unit(unit);
        }
        self.newline(1);
        self.text("====");
    }

    pub(super) fn unit(&mut self, unit: &Unit) {
        match &unit.kind {
            UnitKind::Constants(decls) => self.declarations("CONSTANTS ", decls),
            UnitKind::Recursive(decls) => self.declarations("RECURSIVE ", decls),
            UnitKind::Variables(names) => {
                self.text("VARIABLES ");
                self.idents(names);
            }
            UnitKind::Operator(def) => {
                self.local(def.local);
                self.head(&def.name, def.fixity, &def.params);
                self.text(" == ");
                self.expr(&def.body);
            }
            UnitKind::Function(def) => {
                self.local(def.local);
                self.text(&def.name.name);
                self.text("[");
                self.bounds(&def.bounds);
                self.text("] == ");
                self.expr(&def.body);
            }
            UnitKind::ModuleDef(def) => {
                self.local(def.local);
                self.head(&def.name, Fixity::Nonfix, &def.params);
                self.text(" == ");
                self.instance(&def.instance);
            }
            UnitKind::Instance { local, instance } => {
                self.local(*local);
                self.instance(instance);
            }
            UnitKind::Assume { axiom, name, body } => {
                self.text(if *axiom { "AXIOM " } else { "ASSUME " });
                self.statement_name(name.as_ref());
                self.expr(body);
            }
            UnitKind::Theorem { name, body } => {
                self.text("THEOREM ");
                self.statement_name(name.as_ref());
                match body {
                    Some(body) => self.expr(body),
                    // The parser dropped the statement, so any other stands for it.
                    None => self.text("ASSUME TRUE PROVE TRUE"),
                }
            }
            UnitKind::Module(module) => self.module(module),
            UnitKind::UseOrHide => self.text("USE TRUE"),
            UnitKind::Separator => self.text("----"),
        }
    }

    fn local(&mut self, local: bool) {
        if local {
            self.text("LOCAL ");
        }
    }

    fn statement_name(&mut self, name: Option<&Ident>) {
        if let Some(name) = name {
            self.text(&name.name);
            self.text(" == ");
        }
    }

    fn head(&mut self, name: &Ident, fixity: Fixity, params: &[OpDecl]) {
        match (fixity, params) {
            (Fixity::Prefix, [param]) => self.text(&format!("{} {}", name.name, param.name.name)),
            (Fixity::Postfix, [param]) => self.text(&format!("{} {}", param.name.name, name.name)),
            (Fixity::Infix, [left, right]) => {
                self.text(&format!("{} {} {}", left.name.name, name.name, right.name.name));
            }
            (_, []) => self.text(&name.name),
            _ => {
                self.text(&name.name);
                self.text("(");
                self.commas(params, Self::declaration);
                self.text(")");
            }
        }
    }

    fn declarations(&mut self, keyword: &str, decls: &[OpDecl]) {
        self.text(keyword);
        self.commas(decls, Self::declaration);
    }

    fn declaration(&mut self, decl: &OpDecl) {
        let name = &decl.name.name;
        let fixity = by_spelling(name).map_or(Fixity::Nonfix, |operator| operator.fixity);
        let text = match fixity {
            Fixity::Prefix => format!("{name} _"),
            Fixity::Infix => format!("_ {name} _"),
            Fixity::Postfix => format!("_ {name}"),
            Fixity::Nonfix if decl.arity == 0 => name.to_string(),
            Fixity::Nonfix => format!("{name}({})", vec!["_"; decl.arity as usize].join(", ")),
        };
        self.text(&text);
    }

    fn instance(&mut self, instance: &Instance) {
        self.text(&format!("INSTANCE {}", instance.module.name));
        if !instance.substitutions.is_empty() {
            self.text(" WITH ");
            self.commas(&instance.substitutions, |printer, (name, expr)| {
                printer.text(&format!("{} <- ", name.name));
                printer.expr(expr);
            });
        }
    }

    pub(super) fn idents(&mut self, names: &[Ident]) {
        self.commas(names, |printer, ident| printer.text(&ident.name));
    }

    pub(super) fn bounds(&mut self, bounds: &[Bound]) {
        self.commas(bounds, |printer, bound| {
            printer.pattern(&bound.pattern);
            printer.text(" \\in ");
            printer.expr(&bound.set);
        });
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Names(names) => self.idents(names),
            Pattern::Tuple(names) => {
                self.text("<<");
                self.idents(names);
                self.text(">>");
            }
        }
    }
}
