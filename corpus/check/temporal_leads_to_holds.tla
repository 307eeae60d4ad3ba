---------------------- MODULE temporal_leads_to_holds -----------------------
VARIABLE pc
Init == pc = "idle"
Ask == pc = "idle" /\ pc' = "asked"
Answer == pc = "asked" /\ pc' = "idle"
Next == Ask \/ Answer
Spec == Init /\ [][Next]_pc /\ WF_pc(Answer)
Answered == (pc = "asked") ~> (pc = "idle")
=============================================================================
