------------------ MODULE temporal_step_always_angle_parse ------------------
\* [] before an action that is not of the form [A]_v.
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Spec == Init /\ [][Next]_n
Bad == []<<Next>>_n
=============================================================================
