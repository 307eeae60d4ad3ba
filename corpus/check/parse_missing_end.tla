---- MODULE parse_missing_end ----
VARIABLE x
Init == x = 0
Next == x' = x
