//! The patterns of the paper's Table 1, and three of our own.

/// A rule that selects the steps to test after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    /// P1: steps through an added block, and the steps after them.
    AddBlock,
    /// P2: all steps of states where a step through a deleted block is gone.
    DeleteBlock,
    /// P3: a variable was added. P1 and P2 handle its blocks. The initial states are new.
    AddVariable,
    /// P4: a variable was deleted. P1 and P2 handle its blocks.
    DeleteVariable,
    /// P5: steps of an action whose code was changed.
    ModifyCode,
    /// P6: steps of an action, and steps of another action right after them.
    AllowSequence,
    /// P7: all steps right after an action.
    ForbidSequence,
    /// Not in the paper: steps that constants, constraints or the initial predicate have added or removed.
    Model,
    /// Not in the paper: steps that no run has confirmed.
    Unconfirmed,
    /// Not in the paper: all steps, because it is not known which action a change belongs to.
    All,
}

impl Pattern {
    /// The name in the paper, such as `P1`. Our own patterns have a word instead.
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

    /// Which steps the pattern selects, in words.
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
