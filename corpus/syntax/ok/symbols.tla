---- MODULE symbols ----
Synonyms == <<a \union b, a \cup b, a \intersect b, a \cap b, a =< b, a \leq b, a <= b, a \geq b, a >= b>>
More == <<a /= b, a # b, a \equiv b, a <=> b, \lnot a, \neg a, ~a, a \land b, a \lor b>>
Circled == <<a (+) b, a \oplus b, a (-) b, a \ominus b, a (.) b, a \odot b, a (/) b, a \oslash b, a (\X) b>>
Relations == <<a \prec b, a \succ b, a \preceq b, a \succeq b, a \sim b, a \simeq b, a \ll b, a \gg b>>
Subsets == <<a \subset b, a \subseteq b, a \supset b, a \supseteq b, a \sqsubset b, a \sqsubseteq b>>
Others == <<a \asymp b, a \approx b, a \cong b, a \doteq b, a \propto b, a |- b, a |= b, a -| b, a =| b>>
Assign == <<a := b, a ::= b, a <: b, a :> b>>
Loose == <<a !! b, a ## b, a $ b, a $$ b, a ?? b, a \sqcap b, a \sqcup b, a \uplus b, a \wr b>>
Arithmetic == <<a ++ b, a -- b, a ** b, a // b, a / b, a \div b, a %% b, a | b, a || b, a & b, a && b, a ^^ b>>
Stars == <<a \star b, a \bullet b, a \bigcirc b, a \o b>>
Dots == <<a .. b, a ... b>>
NoBlanks == <<a+b, a-b, -a, a*b, a/b, 1..2, a\b, a\in b, x\inS, a=>b, a/\b, a\/b, ~a>>
Nonfix == <<+(a, b), \cup(a, b), ^+(a), -.(a)>>
AsArgument == F(+, 3)
AsArguments == F(\cup, -, -., ', SUBSET, ~, =)
Lambda == F(LAMBDA x, y : x + y, 1)
====
