----------------------- MODULE temporal_record_state ------------------------
\* Records, functions and sequences in temporal formulas.
EXTENDS Naturals, Sequences
VARIABLE st
Init == st = [phase |-> "load", items |-> <<>>]
Load == st.phase = "load" /\ Len(st.items) < 2 /\ st' = [st EXCEPT !.items = Append(@, Len(@))]
Turn == st.phase = "load" /\ Len(st.items) = 2 /\ st' = [st EXCEPT !.phase = "ship"]
Ship == st.phase = "ship" /\ st.items # <<>> /\ st' = [st EXCEPT !.items = Tail(@)]
Reset == st.phase = "ship" /\ st.items = <<>> /\ st' = [st EXCEPT !.phase = "load"]
Next == Load \/ Turn \/ Ship \/ Reset
Spec == Init /\ [][Next]_st /\ WF_st(Next)
Ships == [](st.phase = "load" => <>(st.phase = "ship" /\ <>(st.items = <<>>)))
=============================================================================
