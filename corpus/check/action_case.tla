---------------------------- MODULE action_case ----------------------------
VARIABLE s
Init == s = "red"
Next == CASE s = "red" -> s' = "green"
          [] s = "green" -> s' \in {"amber", "flash"}
          [] s = "amber" -> s' = "red"
          [] OTHER -> s' = "off"
=============================================================================
