# A node that has just heard of a leader votes for others.
# file: src/engine/engine_impl.rs
s/^            if now <= vote_utime \+ lease \{$/            if false \&\& now <= vote_utime + lease {/
