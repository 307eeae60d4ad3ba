---- MODULE precedence ----
AndOr == a \/ b /\ c
Implies == a => b => c
Equal == 1 = 2 = 3
InIn == a \in b \in c
CupCap == a \cup b \cap c
CupMinus == a \cup b \ c
PlusMod == a + b % c
ModMod == a % b % c
TimesDiv == a * b \div c
PowerPower == a ^ b ^ c
TimesMinus == a * -b
PowerMinus == a ^ -b
BoxPrime == []a'
UnchangedPrime == UNCHANGED a'
SubsetPlus == SUBSET a * b
ProductTimes == a \X b * c
EquivLeads == a <=> b ~> c
RangeRange == a .. b .. c
TwoAtOnce == (a \/ b /\ c) + (1 = 2 = 3)
====
