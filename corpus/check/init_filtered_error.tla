------------------------ MODULE init_filtered_error -------------------------
\* The filter of the first choice fails for an element in the second half.
EXTENDS Naturals
VARIABLE n
Value == [i \in 0..30 |-> IF i = 25 THEN "none" ELSE i]
Init == n \in {i \in 0..30 : Value[i] % 2 = 0}
Next == n' = n
=============================================================================
