---------------------------- MODULE assume_only ----------------------------
EXTENDS Naturals, Sequences
ASSUME Len(<<1, 2>>) = 2
ASSUME \A s \in SUBSET {1, 2} : s \subseteq {1, 2}
=============================================================================
