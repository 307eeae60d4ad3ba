---- MODULE literals ----
Numbers == <<0, 12, 007, \b101, \B11, \o17, \hFF, \Hab>>
Decimals == <<1.5, 0.25>>
Strings == <<"", "a b", "tab\t", "quote\"", "back\\slash", "new\nline", "\r\f", "(* no comment *)", "\\* none">>
Names == <<1a, a1, a_b, _a, __a1, 2nd_x, TRUE, FALSE, BOOLEAN, STRING, Nat>>
RangeOfDigits == 1..10
====
