---------------------------- MODULE VectorClocks ----------------------------
(* Vector clocks: functions from nodes to the number of events of a node that are known. *)
EXTENDS Naturals, Sequences, Functions
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE SequencesExt

(* What a clock says of a node; 0 if nothing is known. *)
LOCAL At(c, n) == IF n \in DOMAIN c THEN c[n] ELSE 0

LOCAL Before(c, d) ==
  LET nodes == DOMAIN c \cup DOMAIN d
  IN /\ \A n \in nodes : At(c, n) <= At(d, n)
     /\ \E n \in nodes : At(c, n) < At(d, n)

LOCAL Concurrent(c, d) ==
  LET nodes == DOMAIN c \cup DOMAIN d
  IN \E m, n \in nodes : m # n /\ At(c, m) < At(d, m) /\ At(c, n) > At(d, n)

(* No entry of the log comes after one that it happened before. *)
IsCausalOrder(log, clock(_)) ==
  \A i \in 1..Len(log) : \A j \in 1..(i - 1) :
    LET c == clock(log[j])
        d == clock(log[i])
    IN Before(c, d) \/ Concurrent(c, d)

(* The log in causal order: round by round, each node's next entry if nothing that is left happened before it. *)
CausalOrder(log, clock(_), node(_), domain(_)) ==
  LET nodes == {node(log[i]) : i \in 1..Len(log)}
      Own(n) == SelectSeq(log, LAMBDA e : node(e) = n)
      queues == [n \in nodes |-> SortSeq(Own(n), LAMBDA a, b : clock(a)[n] < clock(b)[n])]
      \* The number of entries of m that an entry of n waits for.
      Needs(e, m) == IF m \in domain(clock(e)) THEN clock(e)[m] ELSE 0
      Ready(n, done) == \A m \in nodes \ {n} : Needs(queues[n][done[n] + 1], m) <= done[m]
      Step(n, s) ==
        IF s.done[n] < Len(queues[n]) /\ Ready(n, s.done)
        THEN [done |-> [s.done EXCEPT ![n] = @ + 1], out |-> Append(s.out, queues[n][s.done[n] + 1])]
        ELSE s
      RECURSIVE Rounds(_, _)
      Rounds(s, left) ==
        IF left = 0 \/ Len(s.out) = Len(log) THEN s.out ELSE Rounds(FoldSet(Step, s, nodes), left - 1)
  IN Rounds([done |-> [n \in nodes |-> 0], out |-> <<>>], Len(log))
=============================================================================
