------------------------- MODULE theorem_and_proof -------------------------
\* Theorems and proofs are skipped.
EXTENDS Naturals, TLAPS
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Spec == Init /\ [][Next]_x
Inv == x \in {0, 1}
THEOREM Safe == Spec => []Inv
<1>1. Init => Inv
  BY DEF Init, Inv
<1>2. Inv /\ [Next]_x => Inv'
  <2>1. SUFFICES ASSUME Inv, Next PROVE Inv'
    OBVIOUS
  <2>2. CASE x = 0
    BY <2>2 DEF Next, Inv
  <2>3. QED
    BY <2>1, <2>2, SMT
<1>3. QED
  BY <1>1, <1>2, PTL DEF Spec
LEMMA 1 + 1 = 2
PROOF OBVIOUS
=============================================================================
