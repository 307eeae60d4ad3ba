------------------- MODULE temporal_property_strong_holds -------------------
VARIABLE lamp
Init == lamp = "off"
On == lamp = "off" /\ lamp' = "on"
Off == lamp = "on" /\ lamp' = "off"
Break == lamp = "on" /\ lamp' = "broken"
Next == On \/ Off \/ Break
Spec == Init /\ [][Next]_lamp /\ WF_lamp(On) /\ SF_lamp(Break)
Fair == SF_lamp(Break)
=============================================================================
