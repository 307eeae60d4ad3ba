---- MODULE ending ----
A == (1 <
