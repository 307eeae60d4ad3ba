----------------- MODULE temporal_property_weak_from_strong -----------------
\* Strong fairness gives weak fairness.
VARIABLE lamp
Init == lamp = "off"
On == lamp = "off" /\ lamp' = "on"
Off == lamp = "on" /\ lamp' = "off"
Break == lamp = "on" /\ lamp' = "broken"
Next == On \/ Off \/ Break
Spec == Init /\ [][Next]_lamp /\ SF_lamp(Break) /\ SF_lamp(Off)
Fair == WF_lamp(Break) /\ WF_lamp(Off)
=============================================================================
