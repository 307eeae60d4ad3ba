//! An action, from its offer to its end.

use std::future;
use std::sync::Arc;
use std::task::Poll;

use serde_json::Value as Json;

use crate::action::Action;
use crate::probe::desk::{Answer, Desk};
use crate::probe::traced::Traced;
use crate::variables::Variables;

/// An action that was let go. It is done when `end` is called, or when this is dropped.
#[must_use = "the action is done as soon as this is dropped"]
pub struct Step {
    running: Option<(Arc<Desk>, u64)>,
    traced: Option<(Arc<Traced>, Action)>,
}

impl Step {
    pub(super) fn running(desk: Arc<Desk>, id: u64) -> Step {
        Step { running: Some((desk, id)), traced: None }
    }

    /// Makes an action that nobody controls.
    pub(super) fn absent() -> Step {
        Step { running: None, traced: None }
    }

    /// Makes an action that nobody controls and that is written to a file.
    pub(super) fn traced(traced: Arc<Traced>, action: Action) -> Step {
        Step { running: None, traced: Some((traced, action)) }
    }

    /// Ends the action. The node now holds these variables.
    pub fn end(self, variables: &impl Variables) {
        if let Some((desk, _)) = &self.running {
            desk.hold(variables);
        } else if let Some((traced, _)) = &self.traced {
            traced.hold(variables);
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if let Some((desk, id)) = self.running.take() {
            desk.done(id, false);
        } else if let Some((traced, action)) = self.traced.take() {
            traced.done(&action);
        }
    }
}

/// A request of the testbed.
pub struct Asked {
    /// The name of the request.
    pub action: String,
    /// Its arguments, in order.
    pub args: Vec<Json>,
    /// The step to end when it is done.
    pub step: Step,
}

impl Asked {
    /// The node does not know what it is asked for, and does nothing.
    pub fn refuse(mut self) {
        if let Some((desk, id)) = self.step.running.take() {
            desk.done(id, true);
        }
    }
}

/// An action with its message, as often as the testbed wants it.
pub struct Times {
    /// Whether more may come.
    more: bool,
    /// The desk and the action. `None` if there is no testbed.
    offered: Option<(Arc<Desk>, Action)>,
    /// The only step, if there is no testbed.
    only: Option<Step>,
}

impl Times {
    pub(super) fn new(offered: Option<(Arc<Desk>, Action)>) -> Times {
        Times { more: true, offered, only: None }
    }

    /// An action that nobody controls.
    pub(super) fn once(step: Step) -> Times {
        Times { more: true, offered: None, only: Some(step) }
    }

    /// Like [`Iterator::next`], for tasks.
    pub async fn next_async(&mut self) -> Option<Step> {
        if !std::mem::take(&mut self.more) {
            return None;
        }
        match &self.offered {
            None => Some(self.only.take().unwrap_or_else(Step::absent)),
            Some((desk, action)) => {
                let answered = Offered::new(desk.clone(), action).answered().await;
                self.take(answered)
            }
        }
    }

    fn take(&mut self, answered: Answered) -> Option<Step> {
        let answer = answered.answer;
        self.more = answer == Answer::Twice;
        // A lost message is done without having been taken in.
        let step = answered.step();
        (answer != Answer::Drop).then_some(step)
    }
}

/// Blocks until the testbed lets the action go. Each step must have ended before the next one is asked for, as in a
/// `for` loop.
impl Iterator for Times {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if !std::mem::take(&mut self.more) {
            return None;
        }
        match &self.offered {
            None => Some(self.only.take().unwrap_or_else(Step::absent)),
            Some((desk, action)) => {
                let answered = Offered::new(desk.clone(), action).wait();
                self.take(answered)
            }
        }
    }
}

/// An offer that stands. Dropping it withdraws the offer, because the task that waits for it was cancelled.
pub(super) struct Offered {
    desk: Arc<Desk>,
    id: u64,
    answered: bool,
}

impl Offered {
    pub(super) fn new(desk: Arc<Desk>, action: &Action) -> Offered {
        let id = desk.offer(action);
        Offered { desk, id, answered: false }
    }

    /// Blocks until there is an answer.
    pub(super) fn wait(mut self) -> Answered {
        let answer = self.desk.wait(self.id);
        self.take(answer)
    }

    /// Waits until there is an answer, for tasks.
    pub(super) async fn answered(mut self) -> Answered {
        let answer = future::poll_fn(|context| match self.desk.poll(self.id, context.waker()) {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        })
        .await;
        self.take(answer)
    }

    fn take(&mut self, answer: Answer) -> Answered {
        self.answered = true;
        Answered { desk: self.desk.clone(), id: self.id, answer }
    }
}

impl Drop for Offered {
    fn drop(&mut self) {
        if !self.answered {
            self.desk.withdraw(self.id);
        }
    }
}

/// An offer and its answer.
pub(super) struct Answered {
    desk: Arc<Desk>,
    id: u64,
    answer: Answer,
}

impl Answered {
    /// The action, let go. An action without a message has no other answer, because nothing can be lost or come twice.
    pub(super) fn step(self) -> Step {
        Step::running(self.desk, self.id)
    }
}
