---- MODULE Braces ----
EXTENDS Naturals, Sequences, TLC

(* --fair algorithm Braces {
     variables tries = 0, seen = {}, text = "some words";
     define { Limit == 5 }
     macro note(what) { seen := seen \cup {what}; }
     procedure again(n) {
       Again: tries := tries + n;
              return;
     }
     procedure unused() { Never: return; }
     {
       Loop: while (tries < 3) {
               either { call again(1); } or { with (x \in 1..2) { note(x); } };
             };
       assert tries <= Limit;
     }
   }
*)
\* BEGIN TRANSLATION (chksum(pcal) = "7c28162a" /\ chksum(tla) = "c042aadc")
CONSTANT defaultInitValue
VARIABLES pc, tries, seen, text, stack

(* define statement *)
Limit == 5

VARIABLE n

vars == << pc, tries, seen, text, stack, n >>

Init == (* Global variables *)
        /\ tries = 0
        /\ seen = {}
        /\ text = "some words"
        (* Procedure again *)
        /\ n = defaultInitValue
        /\ stack = << >>
        /\ pc = "Loop"

Again == /\ pc = "Again"
         /\ tries' = tries + n
         /\ pc' = Head(stack).pc
         /\ n' = Head(stack).n
         /\ stack' = Tail(stack)
         /\ UNCHANGED << seen, text >>

again == Again

Never == /\ pc = "Never"
         /\ pc' = Head(stack).pc
         /\ stack' = Tail(stack)
         /\ UNCHANGED << tries, seen, text, n >>

unused == Never

Loop == /\ pc = "Loop"
        /\ IF tries < 3
              THEN /\ \/ /\ /\ n' = 1
                            /\ stack' = << [ procedure |->  "again",
                                             pc        |->  "Loop",
                                             n         |->  n ] >>
                                         \o stack
                         /\ pc' = "Again"
                         /\ seen' = seen
                      \/ /\ \E x \in 1..2:
                              seen' = (seen \cup {x})
                         /\ pc' = "Loop"
                         /\ UNCHANGED <<stack, n>>
              ELSE /\ Assert(tries <= Limit, 
                             "Failure of assertion at line 17, column 8.")
                   /\ pc' = "Done"
                   /\ UNCHANGED << seen, stack, n >>
        /\ UNCHANGED << tries, text >>

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == again \/ unused \/ Loop
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ WF_vars(Next)

Termination == <>(pc = "Done")

\* END TRANSLATION 
====
