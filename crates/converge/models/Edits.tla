------------------------------- MODULE Edits --------------------------------
(***************************************************************************)
(* Who edits a replicated data type, and who gets which edits.             *)
(*                                                                         *)
(* An edit makes an update. Updates are delivered late, in any order,      *)
(* twice, to anybody, or never. Replicas pull the whole state of another   *)
(* one, or sync both ways. They are saved, and start again from what they  *)
(* have saved. At any point all this may end: then everybody syncs with    *)
(* everybody, which is no action of the model.                             *)
(*                                                                         *)
(* Replicas are not interchangeable: data types resolve conflicts by the   *)
(* names of replicas.                                                      *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS Replicas,   \* a set of replicas
          Ops,        \* how many edits are made at most
          Edits,      \* what edits there are: texts that the data type knows
          Deliveries, \* how many updates are delivered at most
          Pulls,      \* how often replicas pull at most
          Syncs,      \* how often replicas sync at most
          Saves,      \* how often replicas are saved at most
          Loads       \* how often replicas start again at most

VARIABLES made,       \* how many edits were made
          left,       \* how often the rest may still happen
          over        \* whether this is the end

Init == /\ made = 0
        /\ left = [deliver |-> Deliveries, pull |-> Pulls, sync |-> Syncs, save |-> Saves, load |-> Loads]
        /\ over = FALSE

Edit(r, e) == /\ ~over /\ made < Ops
              /\ made' = made + 1
              /\ UNCHANGED <<left, over>>

Use(what) == /\ ~over
             /\ left[what] > 0
             /\ left' = [left EXCEPT ![what] = @ - 1]
             /\ UNCHANGED <<made, over>>

\* There is nothing to hand on before the first edit.
Deliver(r, k) == k <= made /\ Use("deliver")
Pull(r, s) == made > 0 /\ r # s /\ Use("pull")
Sync(r, s) == made > 0 /\ r # s /\ Use("sync")
Save(r) == made > 0 /\ Use("save")
Load(r) == made > 0 /\ Use("load")

End == /\ ~over /\ made > 0
       /\ over' = TRUE
       /\ UNCHANGED <<made, left>>

Next == \/ \E r \in Replicas, e \in Edits : Edit(r, e)
        \/ \E r \in Replicas, k \in 1..made : Deliver(r, k)
        \/ \E r, s \in Replicas : Pull(r, s)
        \/ \E r, s \in Replicas : Sync(r, s)
        \/ \E r \in Replicas : Save(r)
        \/ \E r \in Replicas : Load(r)
        \/ End
Done == over
=============================================================================
