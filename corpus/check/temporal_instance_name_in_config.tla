------------------ MODULE temporal_instance_name_in_config ------------------
\* The configuration takes plain names only.
EXTENDS Naturals
VARIABLE n
Part == INSTANCE temporal_instance_module_part WITH Top <- 3, v <- n
Spec == Part!Behavior
=============================================================================
