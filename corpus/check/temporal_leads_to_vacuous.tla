--------------------- MODULE temporal_leads_to_vacuous ----------------------
\* The left side never holds: true, and worth a warning.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Never == (n = 7) ~> (n = 8)
=============================================================================
