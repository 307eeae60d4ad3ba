//! A replica that counts votes, with all that a probe offers. `tests/nothing.rs` compares its machine code with that of `nothing_plain`.

use kilter_probe::{Probe, Variables, action};

#[derive(Variables)]
struct Replica {
    id: u64,
    #[variable("currentTerm")]
    term: u64,
    #[variable]
    votes: u64,
}

impl Replica {
    #[action("Timeout", args(self.id))]
    fn time_out(&mut self) -> u64 {
        self.term += 1;
        Probe::global().sent("n2", &self.term);
        self.term
    }

    #[action("HandleVote", args(self.id), message = vote)]
    fn handle_vote(&mut self, vote: u64) {
        if vote == self.term {
            self.votes += 1;
        }
    }

    fn win(&mut self, quorum: u64) -> bool {
        let step = Probe::global().action("Win").arg(self.id).begin();
        let mut tries = Probe::global().shadow("tries", 0);
        while self.votes < quorum && *tries < self.id {
            tries.update(|tries| *tries += 1);
            self.votes += *tries;
        }
        step.end(self);
        self.votes == quorum
    }
}

/// All of it, on unknown input.
#[inline(never)]
pub fn entry(id: u64, vote: u64, quorum: u64) -> u64 {
    let mut replica = Replica { id, term: vote, votes: 0 };
    let term = replica.time_out();
    for step in Probe::global().action("Take").taking(&vote) {
        replica.handle_vote(vote);
        step.end(&replica);
    }
    replica.handle_vote(quorum);
    if replica.win(quorum) { term } else { replica.votes }
}
