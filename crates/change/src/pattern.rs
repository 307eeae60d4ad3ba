//! The patterns of the paper's Table 1, and three of our own.

/// A pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    /// P1: steps through an added block, and the steps after them.
    AddBlock,
    /// P2: all steps of states where a step through a deleted block is gone.
    DeleteBlock,
    /// P3: a variable was added; what its blocks do falls under P1 and P2, and the initial states are new.
    AddVariable,
    /// P4: a variable was deleted; what its blocks did falls under P1 and P2.
    DeleteVariable,
    /// P5: steps of an action whose code was changed.
    ModifyCode,
    /// P6: an action, and another one right after it.
    AllowSequence,
    /// P7: all that follows an action.
    ForbidSequence,
    /// No pattern of the paper: steps that constants, constraints or the initial predicate have added or taken away.
    Model,
    /// No pattern of the paper: steps that no run has confirmed.
    Unconfirmed,
    /// No pattern of the paper: all steps, because a change could not be attributed.
    All,
}

impl Pattern {
    /// What the paper calls it.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::AddBlock => "P1",
            Pattern::DeleteBlock => "P2",
            Pattern::AddVariable => "P3",
            Pattern::DeleteVariable => "P4",
            Pattern::ModifyCode => "P5",
            Pattern::AllowSequence => "P6",
            Pattern::ForbidSequence => "P7",
            Pattern::Model => "model",
            Pattern::Unconfirmed => "unconfirmed",
            Pattern::All => "all",
        }
    }

    /// Which steps it selects, as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Pattern::AddBlock => "steps through added basic blocks, and the steps right after them",
            Pattern::DeleteBlock => "all steps of states where a step through a deleted basic block is gone",
            Pattern::AddVariable => "steps of initial states, where added variables get their first values",
            Pattern::DeleteVariable => "nothing but what P1 and P2 say about the changed basic blocks",
            Pattern::ModifyCode => "steps of actions whose code was changed",
            Pattern::AllowSequence => "steps of the first action, and of the second right after it",
            Pattern::ForbidSequence => "all steps right after the first action",
            Pattern::Model => {
                "steps that constants, constraints or the initial predicate have added or taken away"
            }
            Pattern::Unconfirmed => "steps that the record does not confirm",
            Pattern::All => "all steps, because a change could not be attributed",
        }
    }
}
