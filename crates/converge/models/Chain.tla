------------------------------- MODULE Chain --------------------------------
(***************************************************************************)
(* Replicas copy each other along links that are set by hand, and are      *)
(* driven apart and back together.                                         *)
(*                                                                         *)
(* The behaviors up to Done, up to exchanging replicas in equal state, are *)
(* the schedules of Kilter's chain models.                                 *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS Replicas,   \* a set of replicas
          Nobody,     \* whom a replica copies that copies nobody
          Ops,        \* how many writes are made in all
          Start,      \* "apart" or "chain"
          Faults,     \* some of "crash", "pause", "cut"
          Scope,      \* whom a fault strikes: "one" or "others"
          Resyncs,    \* some of "online", "offline"
          Direction   \* which links may be set: "any" or "latest"

VARIABLES write,      \* the last write that a replica has seen
          status,     \* "up", "paused" or "down"
          source,     \* whom a replica copies
          used        \* how many writes have been made

vars == <<write, status, source, used>>

\* The replicas one after the other. It only says who copies whom at the beginning.
Order == CHOOSE order \in [1..Cardinality(Replicas) -> Replicas] : \A i, j \in DOMAIN order : order[i] = order[j] => i = j
Before(r) == LET i == CHOOSE i \in DOMAIN Order : Order[i] = r IN IF i = 1 THEN Nobody ELSE Order[i - 1]

TypeOK == /\ write \in [Replicas -> 0..Ops]
          /\ status \in [Replicas -> {"up", "paused", "down"}]
          /\ source \in [Replicas -> Replicas \cup {Nobody}]
          /\ used \in 0..Ops

Init == /\ write = [r \in Replicas |-> 0]
        /\ status = [r \in Replicas |-> "up"]
        /\ source = [r \in Replicas |-> IF Start = "chain" THEN Before(r) ELSE Nobody]
        /\ used = 0

\* Whether r copies s, if in several hops, or is s.
RECURSIVE Copies(_, _, _)
Copies(src, r, s) == r = s \/ (src[r] # Nobody /\ Copies(src, src[r], s))

\* Wherever target and source both run, the target has what the source has.
RECURSIVE Flowing(_, _, _, _)
Flowing(w, st, src, r) ==
    IF st[r] = "up" /\ src[r] # Nobody /\ st[src[r]] = "up" THEN Flowing(w, st, src, src[r]) ELSE w[r]
Settled(w, st, src) == [r \in Replicas |-> Flowing(w, st, src, r)]

Whole == /\ \A r \in Replicas : status[r] = "up"
         /\ Cardinality({r \in Replicas : source[r] = Nobody}) = 1

\* The replica w, which copies nobody, is written to.
Written(w, st, src) ==
    /\ used < Ops
    /\ st[w] = "up" /\ src[w] = Nobody
    /\ used' = used + 1
    /\ status' = st
    /\ source' = src
    /\ write' = Settled([write EXCEPT ![w] = used + 1], st, src)

\* One fault, or none where replicas are apart already; then a write.
PartNone(w) == Scope = "one" /\ ~Whole /\ Written(w, status, source)

PartOne(fault, victim, w) ==
    /\ Scope = "one"
    /\ status[victim] = "up"
    /\ CASE fault = "cut" -> source[victim] # Nobody /\ Written(w, status, [source EXCEPT ![victim] = Nobody])
         [] fault = "crash" -> Written(w, [status EXCEPT ![victim] = "down"], source)
         [] fault = "pause" -> Written(w, [status EXCEPT ![victim] = "paused"], source)

\* All links go. By a cut everybody runs by himself, otherwise all fail but the one that is written to.
PartOthers(fault, w) ==
    /\ Scope = "others"
    /\ LET fails == CASE fault = "cut" -> "up" [] fault = "crash" -> "down" [] fault = "pause" -> "paused"
       IN  Written(w, [r \in Replicas |-> IF r = w THEN "up" ELSE fails], [r \in Replicas |-> Nobody])

\* The links that can be set once `who`, which copies nobody, runs: as target, or, when just woken, as source.
Links(who, st) ==
    IF source[who] # Nobody THEN {} ELSE
    {<<t, s>> \in Replicas \X Replicas :
        /\ st[t] = "up" /\ st[s] = "up"
        /\ source[t] = Nobody
        /\ ~Copies(source, s, t)
        /\ t = who \/ (s = who /\ status[who] # "up")
        /\ Direction = "any" \/ write[s] >= write[t]}

Awake(who) == [status EXCEPT ![who] = "up"]

Wake(who) ==
    /\ status[who] # "up"
    /\ Links(who, Awake(who)) = {}
    /\ status' = Awake(who)
    /\ write' = Settled(write, status', source)
    /\ UNCHANGED <<source, used>>

Join(who, link, resync) ==
    /\ status' = Awake(who)
    /\ source' = [source EXCEPT ![link[1]] = link[2]]
    /\ write' = Settled(write, status', source')
    /\ UNCHANGED used

Next == \/ \E w \in Replicas : PartNone(w)
        \/ \E w \in Replicas, fault \in Faults : PartOthers(fault, w)
        \/ \E w \in Replicas, fault \in Faults, victim \in Replicas : PartOne(fault, victim, w)
        \/ \E who \in Replicas : Wake(who)
        \/ \E who \in Replicas : \E link \in Links(who, Awake(who)), resync \in Resyncs : Join(who, link, resync)

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

\* No circles of links.
NoCircles == \A r \in Replicas : \E s \in Replicas : source[s] = Nobody /\ Copies(source, r, s)
Flows == write = Settled(write, status, source)

\* Here a schedule ends: all writes are made, and everybody is there again.
Done == used = Ops /\ Whole
Ends == <>Done

Interchangeable == Permutations(Replicas)
=============================================================================
