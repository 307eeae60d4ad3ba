------------------------------ MODULE Relation ------------------------------
(* Relations on a set S, as Boolean functions of pairs; those named ...Under take an operator instead. *)
EXTENDS Naturals, FiniteSets
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE TLC

LOCAL Matrix(op(_, _), S) == [x, y \in S |-> op(x, y)]

IsReflexive(R, S) == \A x \in S : R[x, x]
IsReflexiveUnder(op(_, _), S) == IsReflexive(Matrix(op, S), S)

IsIrreflexive(R, S) == \A x \in S : ~R[x, x]
IsIrreflexiveUnder(op(_, _), S) == IsIrreflexive(Matrix(op, S), S)

IsSymmetric(R, S) == \A x, y \in S : R[x, y] <=> R[y, x]
IsSymmetricUnder(op(_, _), S) == IsSymmetric(Matrix(op, S), S)

IsAntiSymmetric(R, S) == \A x, y \in S : R[x, y] /\ R[y, x] => x = y
IsAntiSymmetricUnder(op(_, _), S) == IsAntiSymmetric(Matrix(op, S), S)

IsAsymmetric(R, S) == \A x, y \in S : ~(R[x, y] /\ R[y, x])
IsAsymmetricUnder(op(_, _), S) == IsAsymmetric(Matrix(op, S), S)

IsTransitive(R, S) == \A x, y, z \in S : R[x, y] /\ R[y, z] => R[x, z]
IsTransitiveUnder(op(_, _), S) == IsTransitive(Matrix(op, S), S)

IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyPartiallyOrderedUnder(op(_, _), S) == IsStrictlyPartiallyOrdered(Matrix(op, S), S)

IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrderedUnder(op(_, _), S) == IsPartiallyOrdered(Matrix(op, S), S)

IsStrictlyTotallyOrdered(R, S) ==
  IsStrictlyPartiallyOrdered(R, S) /\ \A x, y \in S : x # y => R[x, y] \/ R[y, x]
IsStrictlyTotallyOrderedUnder(op(_, _), S) == IsStrictlyTotallyOrdered(Matrix(op, S), S)

IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ \A x, y \in S : R[x, y] \/ R[y, x]
IsTotallyOrderedUnder(op(_, _), S) == IsTotallyOrdered(Matrix(op, S), S)
-----------------------------------------------------------------------------
(* The least transitive relation that contains R, by Warshall's algorithm. *)
TransitiveClosure(R, S) ==
  FoldSet(LAMBDA z, C : TLCEval([x, y \in S |-> C[x, y] \/ (C[x, z] /\ C[z, y])]), [x, y \in S |-> R[x, y]], S)

ReflexiveTransitiveClosure(R, S) ==
  LET closure == TransitiveClosure(R, S)
  IN [x, y \in S |-> x = y \/ closure[x, y]]

(* Every element leads to every other. *)
IsConnected(R, S) ==
  LET closure == ReflexiveTransitiveClosure(R, S)
  IN \A x, y \in S : closure[x, y]
=============================================================================
