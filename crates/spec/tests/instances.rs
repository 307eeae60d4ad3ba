//! INSTANCE in all its forms.

#![allow(missing_docs, clippy::needless_raw_string_hashes, reason = "tests, as expect-test writes them")]

use crate::common;

use common::check;
use expect_test::expect;

#[test]
fn substitution_by_expression_makes_a_definition() {
    check(
        "---- MODULE Root ----
VARIABLE x
I == INSTANCE Inner WITH y <- x, N <- 3
Op == I!Next
====
---- MODULE Inner ----
CONSTANT N
VARIABLE y
Next == y' = N
====",
        "",
        expect![[r#"
            I!N == 3  \* constant
            Op == I!Next  \* action
            I!Next == Eq(x', I!N)  \* action
        "#]],
    );
}

#[test]
fn implicit_substitution_goes_by_name() {
    check(
        "---- MODULE Root ----
VARIABLE x
CONSTANT N
INSTANCE Inner
Op == Next
====
---- MODULE Inner ----
CONSTANT N
VARIABLE x
Next == x' = N
====",
        "",
        expect![[r#"
            N == FALSE  \* constant
            Op == Next  \* action
            Next == Eq(x', N)  \* action
        "#]],
    );
}

#[test]
fn missing_and_unknown_substitutions() {
    check(
        "---- MODULE Root ----
VARIABLE x
I == INSTANCE Inner WITH Y <- x, N <- 1, N <- 2
====
---- MODULE Inner ----
CONSTANT N
VARIABLE y
Next == y' = N
====",
        "",
        expect![[r#"
            error: spec:3:6: instance of `Inner` without a substitution for `y`
              spec:7:10: declared here
              help: add `WITH y <- …`, or define or declare `y` before this line
            error: spec:3:26: module `Inner` declares no constant or variable `Y`
              help: a parameter with a similar name exists: `y`
            error: spec:3:42: `N` is substituted twice
        "#]],
    );
}

#[test]
fn parametrised_instances_pass_their_parameters_on() {
    check(
        "---- MODULE Root ----
VARIABLE x
I(k) == INSTANCE Inner WITH y <- x, N <- k
Op(a) == I(a)!J({a})!Get
====
---- MODULE Inner ----
CONSTANT N
VARIABLE y
J(j) == INSTANCE Most WITH M <- <<N, j>>
Help == N
====
---- MODULE Most ----
CONSTANT M
Twice(n) == {M, n}
Get == {M, Twice(1)}
====",
        "",
        expect![[r#"
            Op(a.0) == I!J!Get(a.0, {a.0})  \* constant
            I!J!Get(k.1, j.2) == {I!J!M(k.1, j.2), I!J!Twice(k.1, j.2, 1)}  \* constant
            I!J!M(k.3, j.4) == <<k.3, j.4>>  \* constant
            I!J!Twice(k.5, j.6, n.7) == {I!J!M(k.5, j.6), n.7}  \* constant
        "#]],
    );
}

#[test]
fn operators_are_substituted() {
    check(
        "---- MODULE Root ----
EXTENDS Naturals
Sum(a, b) == a + b
I == INSTANCE Inner WITH F <- Sum, G <- \\cup, H <- LAMBDA a : a * 2
J == INSTANCE Inner WITH F <- +, G <- I!F2, H <- I!H2
All == <<I!Use, J!Use>>
====
---- MODULE Inner ----
CONSTANTS F(_, _), G(_, _), H(_)
F2(a, b) == F(b, a)
H2(a) == H(a)
Fold(Op(_, _)) == Op(1, 2)
Use == <<F(1, 2), G({1}, {2}), H(3), Fold(F), Fold(F2)>>
====",
        "",
        expect![[r#"
            Sum(a.0, b.1) == +(a.0, b.1)  \* constant
            All == <<I!Use, J!Use>>  \* constant
            I!Use == <<Sum(1, 2), I!G({1}, {2}), I!H(3), I!Fold(Sum), I!Fold(I!F2)>>  \* constant
            J!Use == <<+(1, 2), J!G({1}, {2}), J!H(3), J!Fold(+), J!Fold(J!F2)>>  \* constant
            I!G(x.4, x.5) == Cup(x.4, x.5)  \* constant
            I!H(a.6) == *(a.6, 2)  \* constant
            I!Fold(Op.7) == Op.7(1, 2)  \* constant
            I!F2(a.8, b.9) == Sum(b.9, a.8)  \* constant
            J!G(x.10, x.11) == I!F2(x.10, x.11)  \* constant
            J!H(x.12) == I!H2(x.12)  \* constant
            J!Fold(Op.13) == Op.13(1, 2)  \* constant
            J!F2(a.14, b.15) == +(b.15, a.14)  \* constant
            I!H2(a.18) == I!H(a.18)  \* constant
        "#]],
    );
}

#[test]
fn an_operator_is_wanted() {
    check(
        "---- MODULE Root ----
One(a) == a
I == INSTANCE Inner WITH F <- One
J == INSTANCE Inner WITH F <- 3
K == INSTANCE Inner WITH F <- LAMBDA a, b, c : a
L == {J!Use, K!Use}
====
---- MODULE Inner ----
CONSTANT F(_, _)
Use == F(1, 2)
====",
        "",
        expect![[r#"
            error: spec:3:31: `F` must be substituted by an operator that takes 2 arguments
            error: spec:4:31: an operator that takes 2 arguments is expected here
              help: give the name of an operator, or a LAMBDA
            error: spec:5:31: an operator that takes 2 arguments is expected here
              help: give the name of an operator, or a LAMBDA
        "#]],
    );
}

#[test]
fn instances_in_let_capture_bound_names() {
    check(
        "---- MODULE Root ----
Op(a) == \\E b \\in {1} : LET I(c) == INSTANCE Inner WITH N <- <<a, b, c>> IN I(4)!Get
====
---- MODULE Inner ----
CONSTANT N
Help(h) == {N, h}
Get == Help(5)
====",
        "",
        expect![[r#"
            Op(a.0) == \E(b.1 \in {1} : LET I!Get(c.2) == I!Help(c.2, 5)  \* constant; I!Help(c.3, h.4) == {I!N(c.3), h.4}  \* constant; I!N(c.5) == <<a.0, b.1, c.5>>  \* constant IN I!Get(4))  \* constant
        "#]],
    );
}

#[test]
fn nested_modules_see_what_is_around_them() {
    check(
        "---- MODULE Root ----
CONSTANT C
Before == C
---- MODULE Inner ----
CONSTANT D
Op == {Before, D}
====
I == INSTANCE Inner WITH D <- 7
Use == I!Op
====",
        "CONSTANT C = 1",
        expect![[r#"
            C == 1  \* constant
            Before == C  \* constant
            Use == I!Op  \* constant
            I!Op == {Before, I!D}  \* constant
            I!D == 7  \* constant
        "#]],
    );
}

#[test]
fn local_definitions_are_not_exported() {
    check(
        "---- MODULE Root ----
EXTENDS Outer
I == INSTANCE Outer
A == Hidden
B == I!Hidden
C == I!Shown
D == I!Len(<<>>)
====
---- MODULE Outer ----
LOCAL INSTANCE Sequences
LOCAL Hidden == 1
Shown == Hidden
====",
        "",
        expect![[r#"
            error: spec:4:6: `Hidden` is not defined
            error: spec:5:8: `I` defines no `Hidden`
            error: spec:7:8: `I` defines no `Len`
        "#]],
    );
}

#[test]
fn a_diamond_is_one_definition() {
    check(
        "---- MODULE Root ----
EXTENDS Left, Right
Op == <<Base, n>>
====
---- MODULE Left ----
EXTENDS Bottom
====
---- MODULE Right ----
EXTENDS Bottom
====
---- MODULE Bottom ----
CONSTANT n
Base == n
====",
        "CONSTANT n = 1",
        expect![[r#"
            n == 1  \* constant
            Base == n  \* constant
            Op == <<Base, n>>  \* constant
        "#]],
    );
}

#[test]
fn names_through_instances() {
    check(
        "---- MODULE Root ----
VARIABLE x
I == INSTANCE Inner
J(a) == INSTANCE Inner
A == I!Nxt
B == K!Next
C == I
D == J!Next
E == J(1)!Next
F == x!Next
====
---- MODULE Inner ----
VARIABLE x
Next == x' = x
====",
        "",
        expect![[r#"
            error: spec:5:8: `I` defines no `Nxt`
              help: a definition with a similar name exists: `Next`
            error: spec:6:6: `K` is not defined
            error: spec:7:6: `I` is an instance, not a value
              help: name one of its definitions: `I!Op`
            error: spec:8:6: `J` takes 1 argument, but 0 are given
            error: spec:10:6: `x` is not an instance, so `x!…` means nothing
        "#]],
    );
}

#[test]
fn configuration_reaches_into_instances() {
    check(
        "---- MODULE Root ----
VARIABLE x
I == INSTANCE Inner WITH y <- x
====
---- MODULE Inner ----
VARIABLE y
Init == y = 0
Next == y' = y
Inv == y = 0
Spec == Init /\\ [][Next]_y /\\ WF_y(Next)
====",
        "SPECIFICATION I!Spec INVARIANT I!Inv",
        expect![[r#"
            I!Spec == And(I!Init, Always([I!Next]_(x)), WF_(x)(I!Next))  \* temporal
            I!Inv == Eq(x, 0)  \* state
            I!Init == Eq(x, 0)  \* state
            I!Next == Eq(x', x)  \* action
            init I!Init: I!Init
            next I!Next: I!Next
            fairness I!Spec: WF_(x)(I!Next)
            invariant I!Inv: I!Inv
        "#]],
    );
}

#[test]
fn levels_of_substitutions() {
    check(
        "---- MODULE Root ----
EXTENDS Naturals
VARIABLE x
g(a) == a + x
I1 == INSTANCE Inner WITH C <- x, y <- 1, G <- g
I2 == INSTANCE Inner WITH C <- 1, y <- x', G <- LAMBDA a : a
I3 == INSTANCE Plain WITH C <- x'
Op == I2!Op3(x')
====
---- MODULE Inner ----
EXTENDS Naturals
CONSTANT C, G(_)
VARIABLE y
Op == C + y
Op2 == G(1)'
Op3(a) == a'
====
---- MODULE Plain ----
CONSTANT C
Op == C
====",
        "",
        expect![[r#"
            error: spec:8:14: this argument of `I2!Op3` must be at most a state function, but this is an action
            error: spec:5:32: what is substituted for `C` must be at most a constant, but this is a state function
            error: spec:5:48: what is substituted for `G` must be at most a constant, but this is a state function
            error: spec:6:40: what is substituted for `y` must be at most a state function, but this is an action
        "#]],
    );
}

#[test]
fn modules_in_a_circle_and_missing_ones() {
    check(
        "---- MODULE Root ----
EXTENDS Natural, Other
I == INSTANCE Nowhere
====
---- MODULE Other ----
EXTENDS Root
====",
        "",
        expect![[r#"
            error: spec:2:9: module `Natural` was not found
              help: a module with a similar name exists: `Naturals`
            error: spec:3:15: module `Nowhere` was not found
              help: looked for `Nowhere.tla` beside the specification, in the --library folders, and among the built-in modules
            error: spec:6:9: modules depend on each other in a circle: Root -> Other -> Root
        "#]],
    );
}
