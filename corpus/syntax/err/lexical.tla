---- MODULE lexical ----
Unknown == a ? b
Umlaut == ä
Unterminated == "abc
Escape == "\q"
Fine == 1
====
