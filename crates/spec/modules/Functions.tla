------------------------------ MODULE Functions ------------------------------
(* Operators on functions. *)
EXTENDS Integers, Folds
LOCAL INSTANCE FiniteSets

Restrict(f, S) == [x \in S |-> f[x]]

(* f on those arguments that pass the test. *)
RestrictDomain(f, Test(_)) == Restrict(f, {x \in DOMAIN f : Test(x)})

(* f on those arguments whose values pass the test. *)
RestrictValues(f, Test(_)) == Restrict(f, {x \in DOMAIN f : Test(f[x])})

IsRestriction(narrow, wide) ==
  /\ DOMAIN narrow \subseteq DOMAIN wide
  /\ \A x \in DOMAIN narrow : narrow[x] = wide[x]

Range(f) == {f[x] : x \in DOMAIN f}

(* T applied to the values of f and g at each argument of f. *)
Pointwise(f, g, T(_, _)) == [x \in DOMAIN f |-> T(f[x], g[x])]

(* Maps each t of T back to an argument in S; to any one if t is not a value of f. *)
Inverse(f, S, T) ==
  LET range == Range(f)
  IN [t \in T |-> CHOOSE s \in S : t \in range => f[s] = t]

AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))

(* No two arguments have the same value. *)
IsInjective(f) == Cardinality(Range(f)) = Cardinality(DOMAIN f)

Injection(S, T) == {f \in [S -> T] : IsInjective(f)}

Surjection(S, T) == {f \in [S -> T] : T \subseteq Range(f)}

Bijection(S, T) == {f \in Injection(S, T) : T \subseteq Range(f)}

ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}
-----------------------------------------------------------------------------
(* op(fun[xn], ... op(fun[x2], op(fun[x1], base))), where x1, x2, ... are the indices in the order of CHOOSE. *)
FoldFunctionOnSet(op(_, _), base, fun, indices) ==
  LET RECURSIVE Fold(_, _)
      Fold(S, acc) == IF S = {} THEN acc ELSE LET x == CHOOSE x \in S : TRUE IN Fold(S \ {x}, op(fun[x], acc))
  IN Fold(indices, base)

FoldFunction(op(_, _), base, fun) == FoldFunctionOnSet(op, base, fun, DOMAIN fun)

SumFunctionOnSet(fun, indices) == FoldFunctionOnSet(+, 0, fun, indices)

SumFunction(fun) == SumFunctionOnSet(fun, DOMAIN fun)
=============================================================================
