---------------------- MODULE temporal_leads_to_unfair ----------------------
\* Fair is only the question, so that an asker may wait for good.
VARIABLE pc
Init == pc = "idle"
Ask == pc = "idle" /\ pc' = "asked"
Answer == pc = "asked" /\ pc' = "idle"
Next == Ask \/ Answer
Spec == Init /\ [][Next]_pc /\ WF_pc(Ask)
Answered == (pc = "asked") ~> (pc = "idle")
=============================================================================
