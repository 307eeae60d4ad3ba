---- MODULE unassigned_prime_in_abstract_fairness_abstract ----
VARIABLE v
ANext == v' # v
ASpec == WF_v(ANext)
====
