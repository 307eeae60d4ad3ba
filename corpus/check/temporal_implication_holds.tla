--------------------- MODULE temporal_implication_holds ---------------------
\* If it is asked again and again, it is answered again and again.
VARIABLE pc
Init == pc = "idle"
Ask == pc = "idle" /\ pc' = "asked"
Answer == pc = "asked" /\ pc' = "idle"
Next == Ask \/ Answer
Spec == Init /\ [][Next]_pc
Served == []<>(pc = "asked") /\ []<>(pc = "idle") => []<>(pc = "idle")
Premise == <>[](pc = "idle") \/ []<>(pc = "asked")
=============================================================================
