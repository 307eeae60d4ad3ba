---------------------- MODULE temporal_instance_named -----------------------
\* Properties of a named instance with substitution.
EXTENDS Naturals
VARIABLE n
Part == INSTANCE temporal_instance_module_part WITH Top <- 3, v <- n
Spec == Part!Behavior
Full == Part!Full
Fills == Part!Fills
=============================================================================
