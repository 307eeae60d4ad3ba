----------------------- MODULE parse_unclosed_comment -----------------------
VARIABLE x
(* this comment has no end
Init == x = 0
Next == x' = x
=============================================================================
