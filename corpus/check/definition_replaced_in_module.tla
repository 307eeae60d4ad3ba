------------------- MODULE definition_replaced_in_module -------------------
EXTENDS definition_replaced_core
MCSize == 3
=============================================================================
