//! The probe, and the beginning of an action.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use kilter_protocol::Environment;
use serde::Serialize;
use serde_json::Value as Json;

use crate::Ending;
use crate::action::{Action, to_json};
use crate::link::{self, held};
use crate::probe::desk::Desk;
use crate::probe::step::{Asked, Offered, Step, Times};
use crate::probe::traced::Traced;
use crate::trace::Tracer;
use crate::variables::{Report, Variables};

/// Holds the actions of a program until the testbed lets them go. Clones are the same probe. It connects when it is
/// first used.
#[derive(Clone, Default)]
pub struct Probe {
    control: Option<Arc<Control>>,
    /// Set if nobody is in control, and actions are written to a file.
    traced: Option<Arc<Traced>>,
}

struct Control {
    environment: Environment,
    n_parties: AtomicUsize,
    lost: fn(&Ending),
    desk: OnceLock<Option<Arc<Desk>>>,
}

impl Probe {
    /// Makes a probe that nobody controls.
    pub fn absent() -> Probe {
        Probe::default()
    }

    /// The probe of this process. The testbed that has started the process controls it, if one has. It is always the
    /// same, because there is one environment. `#[action]` uses it by default.
    pub fn global() -> &'static Probe {
        static GLOBAL: OnceLock<Probe> = OnceLock::new();
        GLOBAL.get_or_init(|| match link::environment() {
            Some(environment) => Probe::controlled(environment, link::exit),
            None => Probe {
                control: None,
                traced: Tracer::of_environment()
                    .map(|tracer| Arc::new(Traced { tracer, variables: Mutex::new(Report::of_texts()) })),
            },
        })
    }

    /// Makes a probe under the control of a testbed. When the testbed says stop or goes away, `lost` is called, which
    /// should end the process. If it returns, everything goes on uncontrolled.
    pub fn controlled(environment: Environment, lost: fn(&Ending)) -> Probe {
        let n_parties = AtomicUsize::new(0);
        let control = Control { environment, n_parties, lost, desk: OnceLock::new() };
        Probe { control: Some(Arc::new(control)), traced: None }
    }

    /// Whether a testbed decides when events happen.
    pub fn is_controlled(&self) -> bool {
        self.control.is_some()
    }

    /// Sets the number of threads or tasks that ever begin actions, take requests, or wait in [`Probe::idle`]. When all
    /// of them wait, the testbed is told that the node stands still, and need not find out by a timeout. This has to
    /// come before anything else.
    pub fn parties(&self, n: usize) {
        if let Some(control) = &self.control {
            control.n_parties.store(n, Ordering::Relaxed);
        }
    }

    /// Describes an action that is about to be taken.
    pub fn action(&self, name: &'static str) -> Offering<'_> {
        let is_watched = self.is_controlled() || self.traced.is_some();
        Offering { probe: self, action: is_watched.then(|| Action::new(name)) }
    }

    /// Reports that the current action sends a message. Call it beside each real send to another node.
    pub fn sent(&self, to: &str, message: &(impl Serialize + ?Sized)) {
        if let Some(desk) = self.desk() {
            desk.link.sent(to, to_json(message));
        } else if let Some(traced) = &self.traced {
            traced.tracer.sent(to, to_json(message));
        }
    }

    /// The vector clock to put into a message that is sent now, for lines whose order `kilter follow` then knows. `None` if the node
    /// writes no trace.
    pub fn clock(&self) -> Option<Json> {
        self.traced.as_ref().map(|traced| traced.tracer.clock())
    }

    /// Takes in the vector clock of a message: to be called within the action that takes the message in, before anything is sent.
    pub fn heard(&self, clock: &Json) {
        if let Some(traced) = &self.traced {
            traced.tracer.heard(clock);
        }
    }

    /// Reports that a message of another node has arrived. Only useful with [`Probe::parties`].
    pub fn received(&self) {
        if let Some(desk) = self.desk() {
            desk.received();
        }
    }

    /// Calls `wait`, which waits for something from outside: it reads a socket, or takes from a channel.
    pub fn idle<R>(&self, wait: impl FnOnce() -> R) -> R {
        let desk = self.desk();
        desk.inspect(|desk| desk.idle_begins());
        let result = wait();
        desk.inspect(|desk| desk.idle_ends());
        result
    }

    /// Like [`Probe::idle`], for tasks.
    pub async fn idle_async<R>(&self, wait: impl Future<Output = R>) -> R {
        let desk = self.desk();
        desk.inspect(|desk| desk.idle_begins());
        let result = wait.await;
        desk.inspect(|desk| desk.idle_ends());
        result
    }

    /// Waits for a request of the testbed for something that the node does not do by itself. `None` at once if there is
    /// no testbed.
    pub fn next_request(&self) -> Option<Asked> {
        let desk = self.desk()?;
        let request = desk.wait_for_request()?;
        let step = Step::running(desk.clone(), request.id);
        Some(Asked { action: request.action, args: request.args, step })
    }

    /// Reports the node's variables when no action has been taken, as after the start.
    pub fn report(&self, variables: &impl Variables) {
        if let Some(desk) = self.desk() {
            desk.hold(variables);
            desk.report();
        } else if let Some(traced) = &self.traced {
            traced.hold(variables);
            traced.tracer.start(&held(&traced.variables));
        }
    }

    /// Sets the value of a variable. It is reported with the next action that is done.
    pub fn show(&self, name: &str, value: &(impl Serialize + ?Sized)) {
        if let Some(desk) = self.desk() {
            desk.hold_one(name, value);
        } else if let Some(traced) = &self.traced {
            held(&traced.variables).add(name, value);
        }
    }

    fn desk(&self) -> Option<&Arc<Desk>> {
        let control = self.control.as_ref()?;
        let connect = || {
            let n_parties = control.n_parties.load(Ordering::Relaxed);
            Desk::connect(&control.environment, n_parties, control.lost).map(Arc::new)
        };
        control.desk.get_or_init(connect).as_ref()
    }
}

/// An action that is being described. It is offered when it begins.
#[must_use = "an action that does not begin is not offered"]
pub struct Offering<'p> {
    probe: &'p Probe,
    action: Option<Action>,
}

impl Offering<'_> {
    /// Adds an argument.
    pub fn arg(mut self, value: impl Serialize) -> Self {
        self.action = self.action.map(|action| action.arg(value));
        self
    }

    /// Sets the variables before the action. They are reported if nothing was reported yet.
    pub fn holding(self, variables: &impl Variables) -> Self {
        if let Some(desk) = self.probe.desk() {
            desk.hold(variables);
        } else if let Some(traced) = &self.probe.traced {
            traced.hold(variables);
            traced.tracer.start(&held(&traced.variables));
        }
        self
    }

    /// Waits until the testbed lets the action go.
    pub fn begin(self) -> Step {
        if let Some(step) = self.traced() {
            return step;
        }
        match self.offered() {
            Some((desk, action)) => Offered::new(desk, &action).wait().step(),
            None => Step::absent(),
        }
    }

    /// The action, begun, if nobody is in control and it is written to a file.
    fn traced(&self) -> Option<Step> {
        let traced = self.probe.traced.as_ref()?;
        let action = self.action.clone()?;
        traced.tracer.start(&held(&traced.variables));
        traced.tracer.begin(&action);
        Some(Step::traced(Arc::clone(traced), action))
    }

    /// Like [`Offering::begin`], for tasks. A task that is cancelled while it waits withdraws its offer.
    pub async fn begin_async(self) -> Step {
        if let Some(step) = self.traced() {
            return step;
        }
        match self.offered() {
            Some((desk, action)) => Offered::new(desk, &action).answered().await.step(),
            None => Step::absent(),
        }
    }

    /// Offers the action with the message that it takes in, as often as the testbed wants it: usually once, never if
    /// the message is lost, again if it comes twice. The message must be equal to what the sender gave to
    /// [`Probe::sent`].
    pub fn taking(mut self, message: &(impl Serialize + ?Sized)) -> Times {
        self.action = self.action.map(|action| action.message(message));
        match self.traced() {
            Some(step) => Times::once(step),
            None => Times::new(self.offered()),
        }
    }

    /// The desk and the action. `None` if there is no testbed.
    fn offered(self) -> Option<(Arc<Desk>, Action)> {
        let desk = self.action.is_some().then(|| self.probe.desk()).flatten();
        desk.cloned().zip(self.action)
    }
}
