----------------------------- MODULE UpdateTerm -----------------------------
(* Raft with a mistake that the published specification had: taking over a newer term is an action of its own, which a server *)
(* may take any time before it takes in the message. No implementation does that.                                            *)
EXTENDS Raft

UpdateTerm(m) ==
    /\ Newer(m.mdest, m.mterm)
    /\ TakeOverTerm(m.mdest, m.mterm)
    /\ BecomeFollower(m.mdest)
    /\ UNCHANGED <<logVars, snapshotVars, messages, count>>

BrokenNext == Next \/ \E m \in DOMAIN messages : UpdateTerm(m)
BrokenSpec == Init /\ [][BrokenNext]_vars
=============================================================================
