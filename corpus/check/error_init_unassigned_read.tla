--------------------- MODULE error_init_unassigned_read ---------------------
EXTENDS Naturals
VARIABLES x, y
Init == x = y + 1 /\ y = 0
Next == UNCHANGED <<x, y>>
=============================================================================
