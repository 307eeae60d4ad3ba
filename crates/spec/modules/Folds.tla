-------------------------------- MODULE Folds --------------------------------
(* The fold that others are made of. *)

(* op(f(x1), op(f(x2), ... op(f(xn), base))), where x1 = choose(S), x2 = choose(S \ {x1}), and so on. *)
MapThenFoldSet(op(_, _), base, f(_), choose(_), S) ==
  LET RECURSIVE Fold(_)
      Fold(T) == IF T = {} THEN base ELSE LET x == choose(T) IN op(f(x), Fold(T \ {x}))
  IN Fold(S)
=============================================================================
