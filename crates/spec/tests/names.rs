//! Scopes, arities, and the messages about wrong names.

#![allow(missing_docs, clippy::needless_raw_string_hashes, reason = "tests, as expect-test writes them")]

use crate::common;

use common::check;
use expect_test::expect;

#[test]
fn bound_names_and_patterns() {
    check(
        "---- MODULE Root ----
EXTENDS Naturals
A == {x + y : x \\in 1..2, <<y, z>> \\in {<<1, 2>>}}
B == [x, y \\in {1}, <<a, b>> \\in {} |-> x]
C == CHOOSE <<p, q>> \\in {} : p = q
D == CHOOSE x : x \\notin {1}
E == [f \\in {1} |-> f][1]
F(f, G(_)) == [f EXCEPT ![1] = @ + 1, !.a[2, 3] = G(@)].field
G == F(<<1>>, LAMBDA x : x)
====",
        "",
        expect![[r#"
            A == {+(x.0, y.1) : x.0 \in ..(1, 2), <<y.1, z.2>> \in {<<1, 2>>}}  \* constant
            B == [x.3, y.4 \in {1}, <<a.5, b.6>> \in {} |-> x.3]  \* constant
            C == CHOOSE(<<p.7, q.8>> \in {} : Eq(p.7, q.8))  \* constant
            D == CHOOSE(x.9 : NotIn(x.9, {1}))  \* constant
            E == [f.10 \in {1} |-> f.10][1]  \* constant
            F(f.11, G.12) == [f.11 EXCEPT ![1] = (@.13) +(@.13, 1), !["a", <<2, 3>>] = (@.14) G.12(@.14)]."field"  \* constant
            G == F(<<1>>, LAMBDA x.15 : x.15)  \* constant
        "#]],
    );
}

#[test]
fn a_field_stands_once_in_a_record() {
    check(
        "---- MODULE Root ----
A == [a |-> 1, b |-> 2, a |-> 3]
B == [c : {1}, c : {2}]
====",
        "",
        expect![[r#"
            error: spec:2:25: the field `a` stands twice in this record
              spec:2:7: first here
            error: spec:3:16: the field `c` stands twice in this record
              spec:3:7: first here
        "#]],
    );
}

#[test]
fn junctions_and_chains_are_one_node() {
    check(
        "---- MODULE Root ----
A == /\\ TRUE
     /\\ FALSE
     /\\ \\/ TRUE
        \\/ FALSE
B == TRUE /\\ FALSE /\\ TRUE
C == TRUE \\/ (FALSE \\/ TRUE)
D == {1} \\X {2} \\X {3}
E == [a : BOOLEAN, b : STRING]
F == <<\\b101, \\o17, \\hfF>>
====",
        "",
        expect![[r#"
            A == And(TRUE, FALSE, Or(TRUE, FALSE))  \* constant
            B == And(TRUE, FALSE, TRUE)  \* constant
            C == Or(TRUE, Or(FALSE, TRUE))  \* constant
            D == Product({1}, {2}, {3})  \* constant
            E == ["a" : {FALSE, TRUE}, "b" : STRING]  \* constant
            F == <<5, 15, 255>>  \* constant
        "#]],
    );
}

#[test]
fn recursion() {
    check(
        "---- MODULE Root ----
EXTENDS Naturals
RECURSIVE Even(_), Odd(_)
Even(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)
fact[n \\in Nat] == IF n = 0 THEN 1 ELSE n * fact[n - 1]
G == LET RECURSIVE H(_)
         H(n) == IF n = 0 THEN 0 ELSE H(n - 1)
         k[i \\in {1}] == k[i]
     IN  H(3)
====",
        "",
        expect![[r#"
            Even(n.0) == IF(Eq(n.0, 0), TRUE, Odd(-(n.0, 1)))  \* constant recursive
            Odd(n.1) == IF(Eq(n.1, 0), FALSE, Even(-(n.1, 1)))  \* constant recursive
            fact == [n.2 \in Nat |-> IF(Eq(n.2, 0), 1, *(n.2, fact[-(n.2, 1)]))]  \* constant recursive
            G == LET H(n.3) == IF(Eq(n.3, 0), 0, H(-(n.3, 1)))  \* constant recursive; k == [i.4 \in {1} |-> k[i.4]]  \* constant recursive IN H(3)  \* constant
        "#]],
    );
}

#[test]
fn recursive_declarations_must_be_kept() {
    check(
        "---- MODULE Root ----
RECURSIVE F(_), G(_)
F(a, b) == 1
H == LET RECURSIVE K(_) IN 1
====",
        "",
        expect![[r#"
            error: spec:3:1: `F` is declared RECURSIVE with 1 argument but defined with 2 arguments
            error: spec:2:17: `G` is declared RECURSIVE but not defined
            error: spec:4:20: `K` is declared RECURSIVE but not defined
        "#]],
    );
}

#[test]
fn undefined_names_come_with_a_hint() {
    check(
        "---- MODULE Root ----
DropMessage == 1
A == DropMesage
B == 1 + 1
C == Len(<<>>)
D == Later
Later == 1
E(message) == mesage
F == Nope(Nopes, 1)
G == @
====",
        "",
        expect![[r#"
            error: spec:3:6: `DropMesage` is not defined
              help: a definition with a similar name exists: `DropMessage`
            error: spec:4:8: `+` is not defined
              help: module `Naturals` defines it: add `EXTENDS Naturals`
            error: spec:5:6: `Len` is not defined
              help: module `Sequences` defines it: add `EXTENDS Sequences`
            error: spec:6:6: `Later` is used before it is defined
              spec:7:1: defined here
              help: move the definition up, or declare it before with `RECURSIVE Later`
            error: spec:8:15: `mesage` is not defined
              help: a definition with a similar name exists: `message`
            error: spec:9:6: `Nope` is not defined
            error: spec:10:6: `@` has no meaning here
              help: it stands for the old value inside EXCEPT
        "#]],
    );
}

#[test]
fn no_name_may_be_defined_twice() {
    check(
        "---- MODULE Root ----
EXTENDS Naturals
CONSTANT C
VARIABLE x
F == 1
F == 2
H(F) == F
I == \\E x \\in {1} : TRUE
J == LET H == 1 IN H
K(q) == \\A q \\in {1} : q
L == \\A m \\in {1}, m \\in {2} : m
M == \\A m \\in {1}, n \\in {m} : n
P == {w \\in {1} : \\E w \\in {2} : w}
Nat == 3
a + b == 3
a \\cup b == 4
VARIABLE C
====",
        "CONSTANT C = 1",
        expect![[r#"
            error: spec:6:1: `F` is already defined or declared
              spec:5:1: first here
            error: spec:14:1: `Nat` is already defined or declared
              <built-in>/Naturals.tla:4:1: first here
            error: spec:15:3: `+` is already defined or declared
              <built-in>/Naturals.tla:6:3: first here
            error: spec:16:3: `\cup` belongs to the language and cannot be redefined
            error: spec:17:10: `C` is already defined or declared
              spec:3:10: first here
            error: spec:7:3: `F` is already defined or declared
              spec:5:1: first here
            error: spec:8:9: `x` is already defined or declared
              spec:4:10: first here
            error: spec:9:10: `H` is already defined or declared
              spec:7:1: first here
            error: spec:9:20: `H` takes 1 argument, but 0 are given
            error: spec:10:12: `q` is already defined or declared
              spec:10:3: first here
            error: spec:11:20: `m` is already defined or declared
              spec:11:9: first here
            error: spec:12:27: `m` is not defined
            error: spec:13:22: `w` is already defined or declared
              spec:13:7: first here
        "#]],
    );
}

#[test]
fn arities() {
    check(
        "---- MODULE Root ----
VARIABLE x
f(a) == a
g(op(_)) == op(1)
A == f
B == x(1)
C == f(1, 2)
D == g(1)
E == g(LAMBDA a, b : a)
F == g(x)
H(op(_)) == op
I == f(f)
J == g(\\cup)
K == g(SUBSET)
====",
        "",
        expect![[r#"
            error: spec:5:6: `f` takes 1 argument, but 0 are given
            error: spec:6:6: `x` takes no arguments, but 1 is given
              help: a function is applied with square brackets: `f[x]`
            error: spec:7:6: `f` takes 1 argument, but 2 are given
            error: spec:8:8: an operator that takes 1 argument is expected here
              help: give the name of an operator, or a LAMBDA
            error: spec:9:8: an operator that takes 1 argument is expected here
              help: give the name of an operator, or a LAMBDA
            error: spec:10:8: an operator that takes 1 argument is expected here
              help: give the name of an operator, or a LAMBDA
            error: spec:11:13: `op` takes 1 argument, but 0 are given
            error: spec:12:8: `f` takes 1 argument, but 0 are given
            error: spec:13:8: an operator that takes 1 argument is expected here
              help: give the name of an operator, or a LAMBDA
        "#]],
    );
}

#[test]
fn literals() {
    check(
        "---- MODULE Root ----
A == 2147483647
B == 2147483648
C == \\hFFFFFFFF
D == 1.5
====",
        "",
        expect![[r#"
            error: spec:3:6: the number `2147483648` is too large
              help: numbers range from -2147483648 to 2147483647
            error: spec:4:6: the number `\hFFFFFFFF` is too large
              help: numbers range from -2147483648 to 2147483647
            error: spec:5:6: the decimal number `1.5` cannot be evaluated; only integers can
        "#]],
    );
}

#[test]
fn user_operators() {
    check(
        "---- MODULE Root ----
a \\oplus b == <<a, b>>
-. a == {a}
a ^+ == [x \\in {a} |-> x]
A == (1 \\oplus 2)^+
B == - 3
C(_ \\prec _) == 1 \\prec 2
D == C(\\oplus)
====",
        "",
        expect![[r#"
            \oplus(a.0, b.1) == <<a.0, b.1>>  \* constant
            -.(a.2) == {a.2}  \* constant
            ^+(a.3) == [x.4 \in {a.3} |-> x.4]  \* constant
            A == ^+(\oplus(1, 2))  \* constant
            B == -.(3)  \* constant
            C(\prec.5) == \prec.5(1, 2)  \* constant
            D == C(\oplus)  \* constant
        "#]],
    );
}

#[test]
fn named_subexpressions() {
    check(
        "---- MODULE Root ----
EXTENDS Naturals
VARIABLE x
Op(a) == /\\ x = a
         /\\ \\E i \\in {a} : lab(i) :: x < i
         /\\ IF a = 1 THEN LET y == a IN <<y, 2>> ELSE <<>>
A == Op(1)!1
B == Op(2)!2!(5)
C == Op(3)!lab(7)
D == Op(4)!3!2!1
E == Op(5)!1!>>
F == Op(6)!:
THEOREM Thm == x = x
I == Thm!:
====",
        "",
        expect![[r#"
            Op(a.0) == And(Eq(x, a.0), \E(i.1 \in {a.0} : <(x, i.1)), IF(Eq(a.0, 1), LET y == a.0  \* constant IN <<y, 2>>, <<>>))  \* state
            A == Op!1(1)  \* state
            B == Op!(2, 5)  \* state
            C == Op!lab(3, 7)  \* state
            D == Op!1(4)  \* constant
            E == Op!>>(5)  \* constant
            F == Op(6)  \* state
            Thm == Eq(x, x)  \* state
            I == Thm  \* state
            Op!1(a.4) == Eq(x, a.4)  \* state
            Op!(a.5, i.6) == <(x, i.6)  \* state
            Op!lab(a.7, i.8) == <(x, i.8)  \* state
            Op!1(a.9) == LET y == a.9  \* constant IN <<y, 2>>  \* constant
            Op!>>(a.10) == a.10  \* constant
        "#]],
    );
}

#[test]
fn names_of_no_subexpression() {
    check(
        "---- MODULE Root ----
Op(a) == a /\\ (\\E i \\in {a} : i)
A == Op(1)!3
B == Op(1)!nolab
C == Op!1
D == Op(1)!2!1!1
E == Op(1)!2!@
====",
        "",
        expect![[r#"
            error: spec:3:12: `!3` names no subexpression here
            error: spec:4:12: `!nolab` names no subexpression here
            error: spec:5:6: `1` takes 1 argument, but 0 are given
            error: spec:7:14: the name of a subexpression has arguments in one place and none in another
              help: give arguments everywhere, or nowhere to name an operator
        "#]],
    );
}

#[test]
fn names_that_lead_nowhere_in_lets_and_cases() {
    check(
        "---- MODULE Root ----
Op(a) == LET k(b) == b IN CASE a = 1 -> k(2) [] OTHER -> k(3)
A == Op(1)!2
B == Op(1)!:!l(3)
C == Op(1)!k(3)
D == Op(1)!:!k(3, 4)
E == Op(1)!1!1
F == Op(1)!1!2!1
G == Op(1)!:!k
====",
        "",
        expect![[r#"
            error: spec:3:12: `!2` names no subexpression here
            error: spec:4:14: `!l` names no subexpression here
            error: spec:5:12: `!k` names no subexpression here
            error: spec:6:14: `k` takes 1 argument, but 2 are given
            error: spec:7:14: an arm of a CASE is no expression
              help: name its condition by `!1`, its value by `!2`
            error: spec:8:16: `!1` names no subexpression here
            error: spec:9:14: the name of a subexpression has arguments in one place and none in another
              help: give arguments everywhere, or nowhere to name an operator
        "#]],
    );
}

#[test]
fn parts_of_definitions_that_are_not_complete() {
    check(
        "---- MODULE Root ----
RECURSIVE A, B, C(_)
A == <<B!1, 2>>
B == <<A!1, 2>>
C(n) == IF n = 0 THEN 1 ELSE C(n - 1)!3
D[n \\in {1}] == <<D!(1), n>>
E == LET RECURSIVE f(_) f(n) == <<f(n)!1>> IN f(1)!1
====",
        "",
        expect![[r#"
            error: spec:3:8: a part of `B` is named before the end of its definition
              help: define the part by itself, and use that in both places
            error: spec:5:30: a part of `C` is named before the end of its definition
              help: define the part by itself, and use that in both places
            error: spec:6:19: a part of `D` is named before the end of its definition
              help: define the part by itself, and use that in both places
            error: spec:7:35: a part of `f` is named before the end of its definition
              help: define the part by itself, and use that in both places
        "#]],
    );
}

#[test]
fn assumptions_and_theorems() {
    check(
        "---- MODULE Root ----
EXTENDS Base
CONSTANT C
ASSUME C = 1
ASSUME Named == C \\in {1}
THEOREM Named
THEOREM Thm == C = 2
Use == Thm
====
---- MODULE Base ----
ASSUME TRUE
====",
        "CONSTANT C = 1",
        expect![[r#"
            C == 1  \* constant
            Named == In(C, {1})  \* constant
            Thm == Eq(C, 2)  \* constant
            Use == Thm  \* constant
            assume spec:11:8: TRUE
            assume spec:4:8: Eq(C, 1)
            assume Named: In(C, {1})
        "#]],
    );
}
