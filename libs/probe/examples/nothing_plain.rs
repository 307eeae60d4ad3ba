//! A replica that counts votes, without a probe. `tests/nothing.rs` compares its machine code with that of `nothing_probed`.

struct Replica {
    id: u64,
    term: u64,
    votes: u64,
}

impl Replica {
    fn time_out(&mut self) -> u64 {
        self.term += 1;
        self.term
    }

    fn handle_vote(&mut self, vote: u64) {
        if vote == self.term {
            self.votes += 1;
        }
    }

    fn win(&mut self, quorum: u64) -> bool {
        let mut tries = 0;
        while self.votes < quorum && tries < self.id {
            tries += 1;
            self.votes += tries;
        }
        self.votes == quorum
    }
}

/// All of it, on unknown input.
#[inline(never)]
pub fn entry(id: u64, vote: u64, quorum: u64) -> u64 {
    let mut replica = Replica { id, term: vote, votes: 0 };
    let term = replica.time_out();
    replica.handle_vote(vote);
    replica.handle_vote(quorum);
    if replica.win(quorum) { term } else { replica.votes }
}
