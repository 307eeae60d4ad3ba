------------------------------ MODULE Statistics ------------------------------
(* Tests of hypotheses. *)
EXTENDS Naturals

(* Pearson's test: TRUE unless the actual counts differ from the expected ones at the level of significance alpha. *)
ChiSquare(expected, actual, alpha) == CHOOSE b \in BOOLEAN : TRUE
=============================================================================
