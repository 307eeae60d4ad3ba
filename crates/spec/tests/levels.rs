//! Level checking.

#![allow(missing_docs, clippy::needless_raw_string_hashes, reason = "tests, as expect-test writes them")]

use crate::common;

use common::check;
use expect_test::expect;

#[test]
fn levels_of_definitions() {
    check(
        "---- MODULE Root ----
VARIABLE x
CONSTANT C
A == C
B == x
P(a) == a
D == P(x)
E == P(x')
F == ENABLED E
G == [][E]_x /\\ WF_x(E)
En(a) == ENABLED a
H == En(x' = 1)
====",
        "",
        expect![[r#"
            C == FALSE  \* constant
            A == C  \* constant
            B == x  \* state
            P(a.0) == a.0  \* constant
            D == P(x)  \* state
            E == P(x')  \* action
            F == Enabled(E)  \* state
            G == And(Always([E]_(x)), WF_(x)(E))  \* temporal
            En(a.1) == Enabled(a.1)  \* state
            H == En(Eq(x', 1))  \* state
        "#]],
    );
}

#[test]
fn level_errors() {
    check(
        "---- MODULE Root ----
EXTENDS Naturals
VARIABLE x
CONSTANT C
H(p) == p'
I == H(x')
J == [](x' = x)
K == ENABLED (x' = 1)
Q == ENABLED ([]K)
R == (x' = 1) ~> (x = 2)
S == <>[](x' = 1)
T == \\A i \\in {x'} : []K
T3 == WF_x(x' = 1) /\\ x' = 1
T8 == {i \\in {1} : []K}
T10 == <<[]K, 1>>
T12 == ([]K) \\in {1}
T13 == UNCHANGED (x')
T14 == LET O(y) == y' IN O(x) + O(x')
T15 == (x')'
ASSUME x = 1
ASSUME C = x'
====",
        "CONSTANT C = 1",
        expect![[r#"
            error: spec:6:8: this argument of `H` must be at most a state function, but this is an action
            error: spec:7:9: `[]` is applied to an action that is not of the form `[A]_v`
            error: spec:9:15: the operand of ENABLED must be at most an action, but this is a temporal formula
            error: spec:10:7: an action stands where only a temporal formula or a state predicate is allowed
            error: spec:11:11: `[]` is applied to an action that is not of the form `[A]_v`
            error: spec:12:6: the set of a quantified temporal formula contains a prime
            error: spec:13:7: `/\` joins an action and a temporal formula
              help: put the action into `[][…]_vars`
            error: spec:14:20: an operand of this expression must be at most an action, but this is a temporal formula
            error: spec:15:10: an operand of this expression must be at most an action, but this is a temporal formula
            error: spec:16:9: an operand of this expression must be at most an action, but this is a temporal formula
            error: spec:17:19: the operand of UNCHANGED must be at most a state function, but this is an action
            error: spec:18:35: this argument of `O` must be at most a state function, but this is an action
            error: spec:19:9: the operand of `'` must be at most a state function, but this is an action
            error: spec:20:8: an assumption must be at most a constant, but this is a state function
            error: spec:21:8: an assumption must be at most a constant, but this is an action
        "#]],
    );
}

#[test]
fn level_limits_pass_through_definitions() {
    check(
        "---- MODULE Root ----
VARIABLE x
Inner(p) == p'
Outer(q) == Inner(<<q>>)
A == Outer(x)
B == Outer(x')
Apply(Op(_)) == Op(1)'
C == Apply(LAMBDA a : x)
D == Apply(LAMBDA a : x')
====",
        "",
        expect![[r#"
            error: spec:6:12: this argument of `Outer` must be at most a state function, but this is an action
            error: spec:9:6: this argument of `Apply` must be at most a state function, but this is an action
        "#]],
    );
}

#[test]
fn formulas_of_the_configuration_have_levels() {
    check(
        "---- MODULE Root ----
VARIABLE x
Init == x' = 0
Next == [](x = 0)
Inv == x' = x
Sym == x
Fine == x = 0
====",
        "INIT Init NEXT Next INVARIANT Inv CONSTRAINT Inv SYMMETRY Sym PROPERTY Fine VIEW Inv",
        expect![[r#"
            config error: cfg:1:6: the initial predicate `Init` must be at most a state function, but is an action
            config error: cfg:1:16: the next-state action `Next` must be at most an action, but is a temporal formula
            config error: cfg:1:82: the view `Inv` must be at most a state function, but is an action
            config error: cfg:1:31: the invariant `Inv` must be at most a state function, but is an action
            config error: cfg:1:46: the constraint `Inv` must be at most a state function, but is an action
            config error: cfg:1:59: the symmetry set `Sym` must be at most a constant, but is a state function
        "#]],
    );
}
