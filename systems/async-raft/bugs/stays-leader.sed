# A leader that hears of a newer term from an answer goes on.
# file: src/core/replication.rs
s/^        if term > self\.core\.current_term \{$/        if false \&\& term > self.core.current_term {/
