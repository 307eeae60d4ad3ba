------------------- MODULE temporal_refinement_two_level --------------------
\* An instance of an instance.
EXTENDS Naturals
VARIABLES a, b
vars == <<a, b>>
Middle == INSTANCE temporal_refinement_middle WITH h <- a, m <- b
Spec == Middle!Spec
Refines == Middle!Clock!Spec /\ Middle!Spec
=============================================================================
