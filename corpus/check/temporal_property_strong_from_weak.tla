----------------- MODULE temporal_property_strong_from_weak -----------------
\* Weak fairness of an action does not give its strong fairness.
VARIABLE lamp
Init == lamp = "off"
On == lamp = "off" /\ lamp' = "on"
Off == lamp = "on" /\ lamp' = "off"
Break == lamp = "on" /\ lamp' = "broken"
Next == On \/ Off \/ Break
Spec == Init /\ [][Next]_lamp /\ WF_lamp(On \/ Off) /\ WF_lamp(Break)
Fair == SF_lamp(Break)
=============================================================================
