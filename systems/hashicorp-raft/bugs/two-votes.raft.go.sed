# A node votes again in a term in which it has voted.
s/if lastVoteTerm == req\.Term && lastVoteCandBytes != nil \{/if false \&\& lastVoteTerm == req.Term \&\& lastVoteCandBytes != nil {/
