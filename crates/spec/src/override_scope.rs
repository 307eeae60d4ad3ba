//! Decides which references to a definition are affected when the configuration replaces it.
//!
//! TLC replaces what a name of the root module stands for. In the text of a module, a name means the definition of that
//! module, in every instance of it. So a replaced definition of an extended module is also replaced inside of instances
//! of that module, but not where it is named through an instance, as `I!Op`. A definition that the root imports by
//! INSTANCE is replaced for the root only, not inside of the module that it comes from.

use std::collections::BTreeMap;

use crate::elaborate::Elaborator;
use crate::ir::{Arg, DefBody, DefId, Expr, ExprKind, OpArg};
use crate::scope::{ItemId, ItemKind, ScopeKind, WorldId};
use crate::walk::children_mut;

const ROOT: WorldId = WorldId(0);

/// Separates the references to `def` that a replacement affects from the others.
pub(crate) fn separate(el: &mut Elaborator<'_>, def: DefId) {
    let Some(item) = el.item_of.get(&def).copied() else { return };
    if matches!(el.items[item].kind, ItemKind::Constant | ItemKind::Substitute(_)) {
        // Declared names have no copies, because instances substitute for them.
        return;
    }
    let Some(world) = world_of(el, item) else { return };
    if world == ROOT {
        for (copy, inside) in copies(el, item) {
            redirect(el, inside, copy, def);
        }
    } else {
        let original = el.spec.defs[def].clone();
        let original = el.spec.defs.push(original);
        el.item_of.insert(original, item);
        redirect(el, world, def, original);
    }
}

/// The copies of an item's text in instances, with their worlds.
fn copies(el: &Elaborator<'_>, item: ItemId) -> Vec<(DefId, WorldId)> {
    let (span, module) = (el.items[item].span, &el.items[item].module);
    el.item_of
        .iter()
        .filter(|(_, other)| el.items[**other].span == span && el.items[**other].module == *module)
        .filter_map(|(def, other)| Some((*def, world_of(el, *other)?)))
        .filter(|(_, world)| *world != ROOT)
        .collect()
}

/// The world in which the text of an item stands.
fn world_of(el: &Elaborator<'_>, item: ItemId) -> Option<WorldId> {
    let mut scope = Some(&el.items[item].scope);
    while let Some(inner) = scope {
        if let ScopeKind::Module { linked, .. } = inner.kind {
            return Some(el.linked[linked].world);
        }
        scope = inner.parent.as_ref();
    }
    None
}

/// Makes the text of a world refer to `to` instead of `from`.
fn redirect(el: &mut Elaborator<'_>, inside: WorldId, from: DefId, to: DefId) {
    let surplus = el.spec.defs[from].params.len().saturating_sub(el.spec.defs[to].params.len());
    let rule = Rule { from, to, surplus };
    let texts: BTreeMap<DefId, ItemId> = el.item_of.clone();
    for (def, item) in texts {
        if world_of(el, item) == Some(inside)
            && let DefBody::Expr(body) = &mut el.spec.defs[def].body
        {
            rule.expr(body);
        }
    }
}

/// Turns calls of one definition into calls of another, which lacks the first `surplus` parameters.
struct Rule {
    from: DefId,
    to: DefId,
    surplus: usize,
}

impl Rule {
    fn expr(&self, expr: &mut Expr) {
        match &mut *expr.kind {
            ExprKind::Call { def, args } => {
                if *def == self.from {
                    *def = self.to;
                    args.drain(..self.surplus.min(args.len()));
                }
                self.operators(args);
            }
            ExprKind::CallLocal { args, .. } => self.operators(args),
            _ => {}
        }
        for child in children_mut(expr) {
            self.expr(child);
        }
    }

    fn operators(&self, args: &mut [Arg]) {
        for arg in args {
            if let Arg::Op(OpArg::Def { def, leading }) = arg {
                if *def == self.from {
                    *def = self.to;
                    leading.drain(..self.surplus.min(leading.len()));
                }
                self.operators(leading);
            }
        }
    }
}
