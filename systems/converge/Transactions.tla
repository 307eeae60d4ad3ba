---------------------------- MODULE Transactions ----------------------------
(***************************************************************************)
(* Clients write several keys in one transaction. Replicas copy each other *)
(* along links that are set by hand; they crash and lose their links, and  *)
(* come back by a resync or on a copy of a snapshot, in any direction.     *)
(*                                                                         *)
(* A transaction may be made while nothing fails, so that it flows along   *)
(* the links. Transactions share keys: a replica that has a part of one,   *)
(* or keeps an old one, holds values that no order of transactions gives.  *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS Replicas,   \* a set of replicas
          Nobody,     \* whom a replica copies that copies nobody
          Ops,        \* how many transactions are made in all
          Keys,       \* the keys that they write
          Faults,     \* some of "none", "crash", "cut"
          Resyncs     \* some of "online", "offline"

VARIABLES seen,       \* the last transaction that a replica has seen
          status,     \* "up" or "down"
          source,     \* whom a replica copies
          used        \* how many transactions have been made

\* The replicas one after the other: at the beginning, each copies the one before it.
Order == CHOOSE order \in [1..Cardinality(Replicas) -> Replicas] : \A i, j \in DOMAIN order : order[i] = order[j] => i = j
Before(r) == LET i == CHOOSE i \in DOMAIN Order : Order[i] = r IN IF i = 1 THEN Nobody ELSE Order[i - 1]
First == CHOOSE key \in Keys : TRUE

Init == /\ seen = [r \in Replicas |-> 0]
        /\ status = [r \in Replicas |-> "up"]
        /\ source = [r \in Replicas |-> Before(r)]
        /\ used = 0

RECURSIVE Copies(_, _)
Copies(r, s) == r = s \/ (source[r] # Nobody /\ Copies(source[r], s))

\* Wherever a replica and its source both run, the replica has what the source has.
RECURSIVE Flowing(_, _, _, _)
Flowing(w, st, src, r) ==
    IF st[r] = "up" /\ src[r] # Nobody /\ st[src[r]] = "up" THEN Flowing(w, st, src, src[r]) ELSE w[r]
Settled(w, st, src) == [r \in Replicas |-> Flowing(w, st, src, r)]

\* Everybody but w crashes, or everybody runs by himself, and all links go; or nothing fails. Then w gets a transaction on
\* the keys ks.
Transact(fault, w, ks) ==
    /\ used < Ops
    /\ fault = "none" => status[w] = "up" /\ source[w] = Nobody
    /\ used = 0 => First \in ks      \* exchanging keys gives nothing new
    /\ used' = used + 1
    /\ status' = CASE fault = "crash" -> [r \in Replicas |-> IF r = w THEN "up" ELSE "down"]
                   [] fault = "cut" -> [r \in Replicas |-> "up"]
                   [] fault = "none" -> status
    /\ source' = IF fault = "none" THEN source ELSE [r \in Replicas |-> Nobody]
    /\ seen' = Settled([seen EXCEPT ![w] = used + 1], status', source')

\* `who` comes back, if it was away, and is linked: as the one that copies, or, if it was away, as the one that is copied.
Links(who) ==
    {<<t, s>> \in Replicas \X Replicas :
        /\ t = who \/ (s = who /\ status[who] = "down")
        /\ \A r \in {t, s} \ {who} : status[r] = "up"
        /\ source[t] = Nobody
        /\ ~Copies(s, t)}

Join(who, link, resync) ==
    /\ source[who] = Nobody
    /\ status' = [status EXCEPT ![who] = "up"]
    /\ source' = [source EXCEPT ![link[1]] = link[2]]
    /\ seen' = Settled(seen, status', source')
    /\ UNCHANGED used

Next == \/ \E fault \in Faults, w \in Replicas, ks \in (SUBSET Keys) \ {{}} : Transact(fault, w, ks)
        \/ \E who \in Replicas : \E link \in Links(who), resync \in Resyncs : Join(who, link, resync)

\* Here a schedule ends: all transactions are made, everybody runs, and all but one copy another one.
Done == /\ used = Ops
        /\ \A r \in Replicas : status[r] = "up"
        /\ Cardinality({r \in Replicas : source[r] = Nobody}) = 1

Interchangeable == Permutations(Replicas)
=============================================================================
