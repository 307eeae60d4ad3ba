--------------------- MODULE temporal_leads_to_avoided ----------------------
\* Nobody stops, but the answer is avoided by a loop of waiting.
EXTENDS Naturals
VARIABLES pc, t
vars == <<pc, t>>
Init == pc = "idle" /\ t = 0
Ask == pc = "idle" /\ pc' = "asked" /\ t' = t
Answer == pc = "asked" /\ pc' = "idle" /\ t' = t
Tick == pc = "asked" /\ t' = 1 - t /\ pc' = pc
Next == Ask \/ Answer \/ Tick
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Answered == (pc = "asked") ~> (pc = "idle")
=============================================================================
