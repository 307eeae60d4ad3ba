//! The examples of the paper, with its numbers.

use std::sync::Arc;

use kilter_explore::{
    Explorer, Likeness, Machines, Options, Peer, Properties, Search, Setup, Subject, Unwatched, View, swap,
};
use kilter_testbed::{Call, Machine, NodeName, Outbox};
use serde_json::{Map, Value as Json, json};

/// A node of Figure 4, where the leader broadcasts, or of Figure 3, where a node that has a block hands it on to one
/// that does not.
#[derive(Clone, Hash)]
struct Node {
    me: usize,
    n_nodes: usize,
    hands_on: bool,
    /// The nodes that have the block, as far as this node knows. Empty if this node does not have it.
    holders: Vec<usize>,
    handed_on: bool,
}

impl Node {
    fn has_it(&self) -> bool {
        !self.holders.is_empty()
    }
}

impl Machine for Node {
    type Action = usize;
    type Message = Vec<usize>;

    fn actions(&self) -> Vec<usize> {
        if !self.hands_on || !self.has_it() || self.handed_on {
            return Vec::new();
        }
        (0..self.n_nodes).filter(|node| !self.holders.contains(node)).collect()
    }

    fn call(&self, to: &usize) -> Call {
        Call::new("hand on", [json!(to)])
    }

    fn act(&mut self, to: usize, outbox: &mut Outbox<Vec<usize>>) -> Result<(), String> {
        self.handed_on = true;
        outbox.send_to(to, self.holders.clone());
        Ok(())
    }

    fn handler(&self, _: &Vec<usize>) -> Option<Call> {
        Some(Call::new("receive", []))
    }

    fn handle(&mut self, mut holders: Vec<usize>, _: &mut Outbox<Vec<usize>>) -> Result<(), String> {
        holders.push(self.me);
        holders.sort_unstable();
        self.holders = holders;
        Ok(())
    }

    fn request(&mut self, _: &str, _: &[Json], _: &mut Outbox<Vec<usize>>) -> Result<(), String> {
        Ok(())
    }

    fn variables(&self) -> Map<String, Json> {
        Map::from_iter([("holders".to_owned(), json!(self.holders))])
    }

    fn show(message: &Vec<usize>) -> Json {
        json!(message)
    }

    fn restart(&mut self) -> Result<(), String> {
        Ok(())
    }
}

impl Peer for Node {
    fn wake(&mut self, outbox: &mut Outbox<Vec<usize>>) -> Result<(), String> {
        if self.me == 0 {
            self.holders = vec![0];
        }
        if self.me == 0 && !self.hands_on {
            (1..self.n_nodes).for_each(|node| outbox.send_to(node, vec![0]));
        }
        Ok(())
    }

    fn role(&self) -> u64 {
        u64::from(self.me > 0)
    }

    fn aim(to: &usize) -> Option<usize> {
        Some(*to)
    }

    fn content(message: &Vec<usize>) -> u64 {
        message.len() as u64
    }

    fn swapped(&self, one: usize, other: usize) -> Node {
        let mut node = self.clone();
        node.me = swap(node.me, one, other);
        node.holders = Node::swapped_message(&self.holders, one, other);
        node
    }

    fn swapped_message(holders: &Vec<usize>, one: usize, other: usize) -> Vec<usize> {
        let mut holders: Vec<usize> = holders.iter().map(|node| swap(*node, one, other)).collect();
        holders.sort_unstable();
        holders
    }

    fn swapped_action(to: &usize, one: usize, other: usize) -> usize {
        swap(*to, one, other)
    }
}

fn system(n_nodes: usize, hands_on: bool) -> Machines<Node> {
    let names: Arc<[NodeName]> = ["A", "B", "C", "D"][..n_nodes].iter().map(|name| (*name).into()).collect();
    let goal = |view: &View<'_, Node>| view.n_messages() == 0 && view.up().all(|(_, node)| node.has_it());
    Machines::new(Setup {
        names,
        boot: Box::new(move |me| Node { me, n_nodes, hands_on, holders: Vec::new(), handed_on: false }),
        in_order: false,
        recover: false,
        patient: false,
        requests: Vec::new(),
        properties: Properties { safety: Vec::new(), goal: Some(Box::new(goal)), sight: None },
    })
}

/// The sequences that are explored, in order and as the paper writes them, and the number of those that fail.
fn sequences(system: Machines<Node>, options: &Options) -> (Vec<String>, u64) {
    let mut found = Vec::new();
    let mut explorer = Explorer::new(system, options);
    explorer.at_end = Some(Box::new(|system, events, _| {
        let names = system.nodes();
        let text = events.iter().filter_map(|event| {
            let told = system.describe(event);
            let (from, to) = (told.from.map(|from| names[from].clone()), &names[told.target]);
            match from {
                Some(from) if told.fault => Some(format!("Omit{from}{to}")),
                Some(from) => Some(format!("{from}-{to}")),
                None if told.fault => Some(format!("Crash{to}")),
                None => None, // A node has chosen whom to tell. The paper does not count that as an event.
            }
        });
        found.push(text.collect::<Vec<_>>().join(","));
    }));
    let explored = explorer.run(&mut Unwatched).expect("state machines can be run");
    assert_eq!(explored.counts.sequences, found.len() as u64);
    found.sort();
    (found, explored.counts.failing)
}

fn options(search: Search, peers: Option<Likeness>, faults: u32) -> Options {
    Options { search, peers, faults, depth: 3, ..Options::default() }
}

#[test]
fn without_faults_there_are_two_sequences() {
    let (found, failing) = sequences(system(3, false), &options(Search::Dfs, None, 0));
    assert_eq!(found, ["A-B,A-C", "A-C,A-B"]);
    assert_eq!(failing, 0);
}

#[test]
fn with_one_fault_there_are_the_four_of_table_2() {
    let (found, failing) = sequences(system(3, false), &options(Search::Dfs, None, 1));
    assert_eq!(found, ["A-B,CrashA", "A-B,OmitAC", "A-C,CrashA", "A-C,OmitAB"]);
    assert_eq!(failing, 4);
}

#[test]
fn reductions_leave_one_and_two() {
    for (search, peers) in [
        (Search::Dpor, None),
        (Search::Dfs, Some(Likeness::Symmetric)),
        (Search::Dfs, Some(Likeness::Claimed)),
        (Search::Dpor, Some(Likeness::Symmetric)),
    ] {
        let (found, _) = sequences(system(3, false), &options(search, peers, 0));
        assert_eq!(found.len(), 1, "{search:?} {peers:?}: {found:?}");
        let (found, failing) = sequences(system(3, false), &options(search, peers, 1));
        assert_eq!((found.len(), failing), (2, 2), "{search:?} {peers:?}: {found:?}");
    }
}

#[test]
fn breadth_first_finds_the_same_sequences() {
    // Sequences that have not reached their end are given up and not counted.
    let (found, failing) = sequences(system(3, false), &options(Search::Bfs, None, 1));
    assert_eq!((found.len(), failing), (4, 4), "{found:?}");
}

#[test]
fn the_chain_of_four_nodes_has_six_sequences_and_one_with_peers() {
    let chain = |search, peers| {
        let options = Options { depth: 10, ..options(search, peers, 0) };
        sequences(system(4, true), &options).0
    };
    let all = ["A-B,B-C,C-D", "A-B,B-D,D-C", "A-C,C-B,B-D", "A-C,C-D,D-B", "A-D,D-B,B-C", "A-D,D-C,C-B"];
    assert_eq!(chain(Search::Dfs, None), all);
    assert_eq!(chain(Search::Dpor, None), all, "nothing here is independent");
    for likeness in [Likeness::Claimed, Likeness::Alike, Likeness::Symmetric] {
        assert_eq!(chain(Search::Dfs, Some(likeness)).len(), 1);
        assert_eq!(chain(Search::Dpor, Some(likeness)).len(), 1);
    }
}
