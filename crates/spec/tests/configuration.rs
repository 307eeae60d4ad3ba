//! What a configuration can say.

#![allow(missing_docs, clippy::needless_raw_string_hashes, reason = "tests, as expect-test writes them")]

use crate::common;

use common::check;
use expect_test::expect;

const COUNTER: &str = "---- MODULE Counter ----
EXTENDS Naturals
CONSTANTS N, Node, F(_)
VARIABLE x
vars == <<x>>
Init == x = 0
Step(n) == x' = x + n
Next == \\E n \\in Node : Step(n)
Fair == \\A n \\in Node : WF_vars(Step(n))
Spec == Init /\\ [][Next]_vars /\\ Fair
Inv == x < N
Small == x < 10
SmallNat == 0..3
Twice(a) == a * 2
====";

#[test]
fn a_specification_is_taken_apart() {
    check(
        COUNTER,
        "SPECIFICATION Spec INVARIANT Inv CONSTRAINT Small
CONSTANTS N = 3 Node = {1, 2} F <- Twice Nat <- SmallNat",
        expect![[r#"
            N == 3  \* constant
            Node == {1, 2}  \* constant
            F(F.0) == Twice(F.0)  \* constant
            vars == <<x>>  \* state
            Init == Eq(x, 0)  \* state
            Step(n.1) == Eq(x', +(x, n.1))  \* action
            Next == \E(n.2 \in Node : Step(n.2))  \* action
            Fair == \A(n.3 \in Node : WF_(vars)(Step(n.3)))  \* temporal
            Spec == And(Init, Always([Next]_(vars)), Fair)  \* temporal
            Inv == <(x, N)  \* state
            Small == <(x, 10)  \* state
            SmallNat == ..(0, 3)  \* constant
            Twice(a.4) == *(a.4, 2)  \* constant
            Nat == SmallNat  \* constant
            init Init: Init
            next Next: Next
            fairness Spec: \A(n.3 \in Node : WF_(vars)(Step(n.3)))
            invariant Inv: Inv
            constraint Small: Small
        "#]],
    );
}

#[test]
fn constants_of_all_kinds() {
    check(
        "---- MODULE Root ----
CONSTANTS A, B, C, D, F(_, _)
Def == <<A, B, C, D, F(A, 1)>>
Other == 1
====",
        "CONSTANTS A = a B = {b1, b2, {3}} C = \"text\" D = -5 F(a, 1) = TRUE F(a, 2) = FALSE Other = 7",
        expect![[r#"
            A == a  \* constant
            B == {b1, b2, {3}}  \* constant
            C == "text"  \* constant
            D == -5  \* constant
            F(F.0, F.1) == CASE(And(Eq(F.0, a), Eq(F.1, 1)) -> TRUE [] And(Eq(F.0, a), Eq(F.1, 2)) -> FALSE)  \* constant
            Def == <<A, B, C, D, F(A, 1)>>  \* constant
            Other == 7  \* constant
        "#]],
    );
}

#[test]
fn every_constant_needs_a_value() {
    check(
        COUNTER,
        "SPECIFICATION Spec CONSTANT N = 3",
        expect![[r#"
        config error: spec:3:14: constant `Node` has no value in the configuration
          help: add a line `CONSTANT Node = …`
        config error: spec:3:20: constant `F` has no value in the configuration
          help: add a line `CONSTANT F <- …`
    "#]],
    );
}

#[test]
fn unknown_names() {
    check(
        COUNTER,
        "SPECIFICATION Spek INVARIANTS Inw Step x PROPERTY Nothing
CONSTANTS N = 3 Node = {1} F <- Twise Nod = 3 Natt <- SmallNat
Node <- SmallNat",
        expect![[r#"
            config warning: cfg:2:17: `Node` is set twice
              cfg:3:1: this one counts
            config error: cfg:2:33: the replacement `Twise` is not defined
              help: a definition with a similar name exists: `Twice`
            config warning: cfg:2:39: the specification has no constant `Nod`; its value is not used
              help: a constant with a similar name exists: `Node`
            config error: cfg:2:47: the replaced definition `Natt` is not defined
              help: a definition with a similar name exists: `Nat`
            config error: cfg:1:15: the specification `Spek` is not defined
              help: a definition with a similar name exists: `Spec`
            config error: cfg:1:31: the invariant `Inw` is not defined
              help: a definition with a similar name exists: `Inv`
            config error: cfg:1:35: the invariant `Step` takes 1 argument, so it cannot stand here
              help: name a definition without parameters
            config error: cfg:1:40: the invariant `x` is not a definition
            config error: cfg:1:51: the property `Nothing` is not defined
        "#]],
    );
}

#[test]
fn a_keyword_with_a_slip_is_no_name() {
    check(
        COUNTER,
        "SPECIFICATION Spec CONSTANTS N = 3 Node = {1} F <- Twice PROPERTY Spec INVARIANTZ Inv",
        expect![[r#"
            config error: cfg:1:72: the property `INVARIANTZ` is not defined
              help: there is a keyword with a similar name: `INVARIANT`
        "#]],
    );
}

#[test]
fn replacements_must_fit() {
    check(
        COUNTER,
        "SPECIFICATION Spec CONSTANTS N <- Twice F = 3 Node <- SmallNat SmallNat <- Nat Nat <- SmallNat",
        expect![[r#"
            config error: cfg:1:35: `N` takes no arguments, but its replacement takes 1 argument
            config error: cfg:1:41: `F` takes 1 argument, so it cannot be set to a value
              help: define an operator in the specification and write `F <- Operator`
            config error: cfg:1:55: `SmallNat` replaces another definition and is replaced itself
            config error: cfg:1:76: `Nat` replaces another definition and is replaced itself
            config error: cfg:1:87: `SmallNat` replaces another definition and is replaced itself
        "#]],
    );
}

#[test]
fn replacement_in_one_module() {
    check(
        "---- MODULE Root ----
EXTENDS Naturals
I == INSTANCE Inner
MyOp == 2
Mine == {1}
Use == I!Get
Op == 3
====
---- MODULE Inner ----
EXTENDS Naturals
Op == 1
Get == {Op} \\cup Nat
====",
        "CONSTANTS Op <- [Inner] MyOp Nat <- [Inner] Mine",
        expect![[r#"
            MyOp == 2  \* constant
            Mine == {1}  \* constant
            Use == Get  \* constant
            Op == 3  \* constant
            Get == Cup({Op}, Nat)  \* constant
            Op == MyOp  \* constant
            Nat == Mine  \* constant
        "#]],
    );
}

#[test]
fn replacement_in_an_unknown_module() {
    check(
        COUNTER,
        "CONSTANTS N = 1 Node = {} F <- Twice Nat <- [Natural] SmallNat Nut <- [Naturals] SmallNat",
        expect![[r#"
            config error: cfg:1:46: the specification uses no module `Natural`
              help: a module with a similar name exists: `Naturals`
            config error: cfg:1:64: the replaced definition `Nut` is not defined
              help: a definition with a similar name exists: `Nat`
        "#]],
    );
}

#[test]
fn specification_and_init_exclude_each_other() {
    check(
        COUNTER,
        "SPECIFICATION Spec INIT Init CONSTANTS N = 1 Node = {} F <- Twice",
        expect![[r#"
        config error: cfg:1:15: the configuration gives both SPECIFICATION and INIT or NEXT
          help: keep SPECIFICATION, or keep INIT and NEXT
    "#]],
    );
}

#[test]
fn behaviors_are_needed_to_check_something() {
    check(
        COUNTER,
        "INVARIANT Inv CONSTANTS N = 1 Node = {} F <- Twice",
        expect![[r#"
        config error: the configuration has no initial predicate
          help: add `SPECIFICATION Spec`, or both `INIT Init` and `NEXT Next`
    "#]],
    );
    check(
        COUNTER,
        "INIT Init INVARIANT Inv CONSTANTS N = 1 Node = {} F <- Twice",
        expect![[r#"
        config error: the configuration has no next-state action
          help: add `SPECIFICATION Spec`, or both `INIT Init` and `NEXT Next`
    "#]],
    );
}

#[test]
fn specifications_through_definitions_parameters_and_let() {
    check(
        "---- MODULE Root ----
VARIABLE x
Next(n) == x' = n
Safe(i, n) == x = i /\\ [][Next(n)]_x
Fair(Op(_)) == WF_x(Op(1))
Spec == LET two == 2 IN
        /\\ Safe(1, two)
        /\\ Fair(Next)
        /\\ x \\in {1}
        /\\ <>(x = 1)
====",
        "SPECIFICATION Spec",
        expect![[r#"
            Next(n.0) == Eq(x', n.0)  \* action
            Safe(i.1, n.2) == And(Eq(x, i.1), Always([Next(n.2)]_(x)))  \* temporal
            Fair(Op.3) == WF_(x)(Op.3(1))  \* temporal
            Spec == LET two == 2  \* constant IN And(Safe(1, two), Fair(Next), In(x, {1}), Eventually(Eq(x, 1)))  \* temporal
            init Spec: And(LET two == 2  \* constant IN Eq(x, 1), LET two == 2  \* constant IN In(x, {1}))
            next Spec: LET two == 2  \* constant IN Next(two)
            fairness Spec: LET two == 2  \* constant IN WF_(x)(Next(1))
            fairness Spec: LET two == 2  \* constant IN Eventually(Eq(x, 1))
        "#]],
    );
}

#[test]
fn specifications_that_cannot_be_used() {
    check(
        "---- MODULE Root ----
VARIABLE x
Spec == x = 0 /\\ [][x' = 1]_x /\\ [][x' = 2]_x /\\ [](x = 1)
====",
        "SPECIFICATION Spec",
        expect![[r#"
            config error: spec:3:37: the specification has a second conjunct of the form `[][Next]_vars`
              spec:3:21: the first
            config error: spec:3:50: a conjunct of the specification has the form `[]P` with a state predicate P
              help: make P an INVARIANT, or a CONSTRAINT if behaviors that violate it are to be left out
        "#]],
    );
    check(
        "---- MODULE Root ----
VARIABLE x
Act == x' = 0
Spec == \\EE y : x = y
====",
        "SPECIFICATION Spec",
        expect![[r#"
            config error: spec:4:9: a specification with hidden variables (`\EE` or `\AA`) cannot be checked
        "#]],
    );
    check(
        "---- MODULE Root ----
VARIABLE x
Act == x' = 0
====",
        "SPECIFICATION Act",
        expect![[r#"
            config error: spec:3:8: a conjunct of the specification is an action
              help: a specification has the form `Init /\ [][Next]_vars /\ Fairness`
        "#]],
    );
}
