---- MODULE string_order_view ----
EXTENDS Integers, TLC
VARIABLES x, z, w
Init == x = {1, 2} /\ z = {1, 2} /\ w = "r s"
Act0 == x' = z /\ w' = "p" /\ z' = {0} /\ PrintT(<<"A0", x, z, w>>)
Act1 ==
  /\ UNCHANGED z
  /\ x' \in SUBSET (x \cap (0..1))
  /\ w' \in {"q", w}
  /\ PrintT(<<"A1", x, z, w, x', w'>>)
Next ==
  \/ Act0
  \/ Act1
Vw == <<z, x>>
====
