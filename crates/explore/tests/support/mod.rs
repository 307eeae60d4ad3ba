//! Random small systems.

use std::sync::Arc;

use kilter_base::Rng;
use kilter_explore::{Fault, Kind, Machines, Peer, Properties, Setup, View, swap};
use kilter_testbed::{Call, Machine, NodeName, Outbox};
use serde_json::{Map, Value as Json, json};

const VALUES: u8 = 3;
const KINDS: u8 = 3;

/// A number below `bound`.
fn below(rng: &mut Rng, bound: u8) -> u8 {
    rng.below(usize::from(bound)) as u8
}

/// What an event does in a state of the registers that it looks at: new contents, and messages to others.
#[derive(Clone)]
struct Rule {
    registers: [u8; 2],
    sends: Vec<(usize, u8)>,
}

/// What all nodes of a system do: a rule for each node, kind and state of the registers; none if it does nothing then.
struct Tables {
    on_message: Vec<Option<Rule>>,
    on_action: Vec<Option<Rule>>,
    n_actions: u8,
}

impl Tables {
    fn random(rng: &mut Rng, n_nodes: u8) -> Tables {
        let n_rules = usize::from(n_nodes * KINDS * VALUES * VALUES);
        let mut rule = |sends_max: u8, rest: u8| {
            if below(rng, rest) == 0 {
                return None;
            }
            let registers = [below(rng, VALUES), below(rng, VALUES)];
            let n_sends = below(rng, sends_max + 1);
            let sends = (0..n_sends).map(|_| (usize::from(below(rng, n_nodes)), below(rng, KINDS))).collect();
            Some(Rule { registers, sends })
        };
        let on_message = (0..n_rules).map(|_| rule(1, 4)).collect();
        let on_action = (0..n_rules).map(|_| rule(2, 3)).collect();
        Tables { on_message, on_action, n_actions: 1 + below(rng, 2) }
    }
}

/// A node that does what its tables say.
#[derive(Clone)]
pub struct Node {
    me: usize,
    registers: [u8; 2],
    used: u8,
    /// It has once had its first register at 1.
    hit: bool,
    tables: Arc<Tables>,
}

impl std::hash::Hash for Node {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.me, self.registers, self.used, self.hit).hash(state);
    }
}

/// The registers that a kind looks at: the first, the second, both.
fn looks_at(kind: u8) -> (bool, bool) {
    (kind != 1, kind != 0)
}

impl Node {
    fn place(&self, kind: u8) -> usize {
        let (first, second) = looks_at(kind);
        let value =
            |looks: bool, register: usize| if looks { usize::from(self.registers[register]) } else { 0 };
        ((self.me * usize::from(KINDS) + usize::from(kind)) * usize::from(VALUES) + value(first, 0))
            * usize::from(VALUES)
            + value(second, 1)
    }

    /// Whether a kind is possible now.
    fn is_open(&self, rules: &[Option<Rule>], kind: u8) -> bool {
        let guard = Node {
            registers: [self.registers[0], if kind == 1 { self.registers[1] } else { 0 }],
            ..self.clone()
        };
        rules[guard.place(kind)].is_some()
    }

    fn apply(&mut self, rule: &Rule, kind: u8, life: u8, outbox: &mut Outbox<(u8, u8)>) {
        let (first, second) = looks_at(kind);
        if first {
            self.registers[0] = rule.registers[0];
            self.hit |= rule.registers[0] == 1;
        }
        if second {
            self.registers[1] = rule.registers[1];
        }
        if life > 0 {
            rule.sends.iter().for_each(|(to, kind)| outbox.send_to(*to, (*kind, life - 1)));
        }
    }
}

impl Machine for Node {
    type Action = u8;
    type Message = (u8, u8);

    fn actions(&self) -> Vec<u8> {
        let can = |action: &u8| {
            self.used >> action & 1 == 0 && self.is_open(&self.tables.on_action, action % KINDS)
        };
        (0..self.tables.n_actions).filter(can).collect()
    }

    fn call(&self, action: &u8) -> Call {
        Call::new("act", [json!(action)])
    }

    fn act(&mut self, action: u8, outbox: &mut Outbox<(u8, u8)>) -> Result<(), String> {
        self.used |= 1 << action;
        let kind = action % KINDS;
        if let Some(rule) = self.tables.on_action[self.place(kind)].clone() {
            self.apply(&rule, kind, 2, outbox);
        }
        Ok(())
    }

    fn handler(&self, (kind, _): &(u8, u8)) -> Option<Call> {
        self.is_open(&self.tables.on_message, *kind).then(|| Call::new("receive", []))
    }

    fn handle(&mut self, (kind, life): (u8, u8), outbox: &mut Outbox<(u8, u8)>) -> Result<(), String> {
        if let Some(rule) = self.tables.on_message[self.place(kind)].clone() {
            self.apply(&rule, kind, life, outbox);
        }
        Ok(())
    }

    fn request(&mut self, _: &str, _: &[Json], _: &mut Outbox<(u8, u8)>) -> Result<(), String> {
        Ok(())
    }

    fn variables(&self) -> Map<String, Json> {
        Map::new()
    }

    fn show(message: &(u8, u8)) -> Json {
        json!(message)
    }

    fn restart(&mut self) -> Result<(), String> {
        self.registers = [0, 0];
        Ok(())
    }

    /// Whatever the fault, a register is another one afterwards.
    fn suffer(&mut self, _: Fault) -> bool {
        self.registers[1] = (self.registers[1] + 1) % VALUES;
        true
    }
}

impl Peer for Node {
    /// Every second action is a timer; that matters only where timers are patient.
    fn kind(action: &u8) -> Kind {
        if action % 2 == 1 { Kind::Timer } else { Kind::Step }
    }

    fn content(message: &(u8, u8)) -> u64 {
        u64::from(message.0)
    }

    fn swapped(&self, one: usize, other: usize) -> Node {
        Node { me: swap(self.me, one, other), ..self.clone() }
    }

    fn swapped_message(message: &(u8, u8), _: usize, _: usize) -> (u8, u8) {
        *message
    }
}

/// What a system is like.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what a case has, each by its name")]
pub struct Case {
    pub seed: u64,
    pub goal: bool,
    pub safety: bool,
    pub recover: bool,
    pub in_order: bool,
    pub patient: bool,
}

/// A system from a seed.
pub fn system(case: Case) -> Machines<Node> {
    let mut rng = Rng::from_seed(case.seed);
    let n_nodes = 2 + below(&mut rng, 2);
    let tables = Arc::new(Tables::random(&mut rng, n_nodes));
    let (one, other) = (below(&mut rng, VALUES), below(&mut rng, VALUES));
    let names: Arc<[NodeName]> = (0..n_nodes).map(|node| format!("n{node}").into()).collect();
    let never: (String, kilter_explore::machines::Predicate<Node>) = (
        "never both".to_owned(),
        Box::new(move |view: &View<'_, Node>| {
            view.node(0).registers[1] != one || view.node(1).registers[1] != other || one + other == 0
        }),
    );
    let goal = |view: &View<'_, Node>| view.node(0).hit || !view.up().any(|(node, _)| node == 0);
    Machines::new(Setup {
        names,
        boot: Box::new(move |me| Node {
            me,
            registers: [0, 0],
            used: 0,
            hit: false,
            tables: Arc::clone(&tables),
        }),
        in_order: case.in_order,
        recover: case.recover,
        patient: case.patient,
        requests: Vec::new(),
        properties: Properties {
            safety: if case.safety { vec![never] } else { Vec::new() },
            goal: case.goal.then(|| Box::new(goal) as kilter_explore::machines::Predicate<Node>),
            sight: case.safety.then(|| Box::new(|node: &Node| u64::from(node.registers[1])) as Box<_>),
        },
    })
}

/// Without goal, safety, and all the rest.
pub const PLAIN: Case =
    Case { seed: 0, goal: false, safety: false, recover: false, in_order: false, patient: false };
