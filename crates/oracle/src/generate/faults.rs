//! Expressions that have no value. Most of them stand behind `=>`, so that they are evaluated only where its left side
//! is true.

use super::action::Module;
use super::expr::Maker;
use crate::model::{Binary, Expr, Model, Unary};

impl Maker {
    /// Puts a fault into an invariant, a constraint, an assumption or an action.
    pub fn fault(&mut self, model: &mut Model, module: &Module) {
        let fault = self.broken();
        // The fault must not be noticed where the predicate is false.
        let guarded = |maker: &mut Maker| {
            let pred = maker.predicate(module);
            Expr::binary(Binary::Implies, pred, fault.clone())
        };
        match self.rng.below(4) {
            0 => {
                let pred = guarded(self);
                model.invariants.push(("InvFault".to_owned(), pred));
            }
            1 => {
                let pred = guarded(self);
                model.constraints.push(("ConstrFault".to_owned(), pred));
            }
            2 => model.assumes.push(fault),
            _ => {
                let number = self.rng.below(model.behaviors.actions.len());
                let pred = guarded(self);
                if let Expr::And(conjuncts) = &mut model.behaviors.actions[number].body {
                    conjuncts.insert(0, pred);
                }
            }
        }
    }

    /// A Boolean expression without a value.
    fn broken(&mut self) -> Expr {
        let eq = |left: Expr, right: Expr| Expr::binary(Binary::Eq, left, right);
        let string = || Expr::Str(self.stock.strings[0].clone());
        let bound = |set: Expr| Box::new(("none".to_owned(), set));
        let string = string();
        match self.rng.below(12) {
            0 => eq(string, Expr::Int(1)),
            1 => eq(Expr::Int(1), Expr::Bool(true)),
            2 => eq(
                Expr::Choose(bound(Expr::Set(vec![Expr::Int(1)])), Box::new(Expr::Bool(false))),
                Expr::Int(1),
            ),
            3 => eq(Expr::call("Head", vec![Expr::Tuple(Vec::new())]), Expr::Int(1)),
            4 => eq(
                Expr::Apply(Box::new(Expr::Tuple(vec![Expr::Int(1)])), Box::new(Expr::Int(2))),
                Expr::Int(1),
            ),
            5 => Expr::Case(vec![(Expr::Bool(false), Expr::Bool(true))], None),
            6 => Expr::binary(Binary::Lt, Expr::Int(1), string),
            7 => eq(Expr::binary(Binary::Mod, Expr::Int(1), Expr::Int(0)), Expr::Int(0)),
            8 => eq(
                Expr::Field(
                    Box::new(Expr::Rec(vec![(self.stock.fields[0].clone(), Expr::Int(1))])),
                    self.stock.fields[1].clone(),
                ),
                Expr::Int(1),
            ),
            9 => Expr::binary(Binary::In, Expr::Int(1), Expr::Int(1)),
            10 => eq(Expr::unary(Unary::Domain, Expr::Int(1)), Expr::Set(Vec::new())),
            _ => Expr::cond(Expr::Int(1), Expr::Bool(true), Expr::Bool(false)),
        }
    }
}
