---- MODULE another_name ----
VARIABLE x
Init == x = 0
Next == x' = x
====
