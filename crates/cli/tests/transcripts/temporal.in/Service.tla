------------------------------ MODULE Service ------------------------------
EXTENDS Naturals
CONSTANT Clients
VARIABLES waiting, served
vars == <<waiting, served>>

Init == waiting = {} /\ served = {}
Ask(c) == c \notin waiting /\ waiting' = waiting \cup {c} /\ served' = served \ {c}
Serve(c) == c \in waiting /\ waiting' = waiting \ {c} /\ served' = served \cup {c}
Refuse(c) == c \in waiting /\ c \in served /\ UNCHANGED vars
Next == \E c \in Clients : Ask(c) \/ Serve(c) \/ Refuse(c)

Safe == Init /\ [][Next]_vars
ServeSome == \E c \in Clients : Serve(c)
Busy == Safe /\ WF_vars(ServeSome)
Fair == Safe /\ \A c \in Clients : WF_vars(Serve(c)) /\ WF_vars(Refuse(c))

AllServed == \A c \in Clients : c \in waiting ~> c \in served
Confused == waiting \cap served # {}
Patient == Confused ~> waiting = {}
Quiet == <>[](waiting = {})
Abstract == INSTANCE Turns WITH busy <- waiting # {}
Refines == Abstract!Spec
=============================================================================
