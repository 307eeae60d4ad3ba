------------------------ MODULE definition_replaced ------------------------
\* A definition, not a constant, is replaced.
EXTENDS Naturals
VARIABLE x
Limit == 1000000
Double(n) == n * n
MCLimit == 8
MCDouble(n) == 2 * n
Init == x = 1
Next == IF x < Limit THEN x' = Double(x) ELSE x' = 1
=============================================================================
