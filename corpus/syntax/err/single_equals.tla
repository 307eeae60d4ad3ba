---- MODULE single_equals ----
Single = 1
Fine == 1
Call(x) = x
====
