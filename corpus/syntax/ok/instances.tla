---- MODULE instances ----
INSTANCE M
LOCAL INSTANCE M
INSTANCE M WITH a <- 1, b <- x + 1
INSTANCE M WITH + <- F, F <- +, -. <- G, G <- LAMBDA x : x
I == INSTANCE M
J(p, F(_)) == INSTANCE M WITH a <- p
LOCAL K == INSTANCE M
LastIsOperator == INSTANCE M WITH F <- -
b == 1
LastIsPrefix == INSTANCE M WITH F <- SUBSET
c == 2
---- MODULE Inner ----
EXTENDS Naturals
VARIABLE w
    ---- MODULE Innermost ----
    d == w
    ====
e == 1
====
f == INSTANCE Inner WITH w <- 1
====
