---------------------- MODULE operators_on_states_passed ----------------------
\* Prime and UNCHANGED as arguments.
EXTENDS Naturals
VARIABLES x, y
Apply(F(_), v) == F(v)
Of(F(_)) == F(x)
Init == x = 0 /\ y = 0
Up == x < 3 /\ x' = x + 1 /\ UNCHANGED y
Down == x = 3 /\ x' = 0 /\ y' = 1 - y
Next == Up \/ Down
Spec == Init /\ [][Next]_<<x, y>>
Steps == [][Of(') # x /\ (Apply(UNCHANGED, y) <=> x < 3)]_<<x, y>>
=============================================================================
