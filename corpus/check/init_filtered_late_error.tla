---------------------- MODULE init_filtered_late_error ----------------------
\* A filter of a set that is not listed is applied element by element: the first ones count before the last one fails.
EXTENDS Naturals
VARIABLE box
Value == [i \in 0..9 |-> IF i = 8 THEN "none" ELSE i]
Init == box \in {b \in [size : 0..9] : Value[b.size] % 2 = 1}
Next == UNCHANGED box
Small == box.size < 4
=============================================================================
