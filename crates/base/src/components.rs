//! Strongly connected components: Tarjan's algorithm without recursion.

/// Marks a node that is in no component yet.
const NONE: u32 = u32::MAX;
/// The number of visits between two calls of `goes_on`.
const VISITS_PER_GLANCE: u32 = 1 << 16;

/// A directed graph whose nodes are numbers from 0.
pub trait Arcs {
    /// A position among the arcs of a node. The default is before the first arc.
    type Cursor: Default;

    /// The head of the next arc of `node` for whose head `inside` holds. Moves the cursor behind that arc. `None` if
    /// there is no such arc.
    fn next(&self, node: u32, cursor: &mut Self::Cursor, inside: impl Fn(u32) -> bool) -> Option<u32>;
}

/// The list at index `n` holds the heads of the arcs of node `n`.
impl Arcs for [Vec<u32>] {
    type Cursor = usize;

    fn next(&self, node: u32, cursor: &mut usize, inside: impl Fn(u32) -> bool) -> Option<u32> {
        let rest = self[node as usize].get(*cursor..)?;
        let (skipped, head) = rest.iter().enumerate().find(|(_, head)| inside(**head))?;
        *cursor += skipped + 1;
        Some(*head)
    }
}

/// The components of a whole graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of each node. No arc leads to a component with a larger number.
    pub of: Vec<u32>,
    /// How many components there are.
    pub n: u32,
}

impl Components {
    /// The components of a graph with `n_nodes` nodes.
    pub fn new<A: Arcs + ?Sized>(arcs: &A, n_nodes: usize) -> Components {
        let mut components = Components { of: vec![NONE; n_nodes], n: 0 };
        let mut found = |_: &Regions, nodes: &[u32]| {
            for node in nodes {
                components.of[*node as usize] = components.n;
            }
            components.n += 1;
        };
        let all = 0..n_nodes as u32;
        // `goes_on` always answers yes, so the result is always `Ok`.
        let _ = Regions::new(n_nodes).take_apart(0, arcs, all, &mut found, &mut || true);
        components
    }

    /// How many nodes each component has.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.n as usize];
        for component in &self.of {
            sizes[*component as usize] += 1;
        }
        sizes
    }
}

/// The search stopped because `goes_on` said no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Splits regions of nodes into their strongly connected components. Each component becomes a region, which can be
/// split again.
pub struct Regions {
    visits: Vec<Visit>,
    n_regions: u32,
}

/// The search's data about a node. The fields are in one struct because they are read together.
#[derive(Clone, Copy, Default)]
struct Visit {
    region: u32,
    /// The position of the node in the order of visits, from 1. It is 0 before the node is visited.
    order: u32,
    /// The smallest `order` among the nodes of the region that this node is known to reach.
    low: u32,
}

impl Regions {
    /// Puts all nodes into region 0.
    pub fn new(n_nodes: usize) -> Regions {
        Regions { visits: vec![Visit::default(); n_nodes], n_regions: 1 }
    }

    /// The region of a node.
    pub fn of(&self, node: u32) -> u32 {
        self.visits[node as usize].region
    }

    /// Forgets the visits of a component's nodes. The component has become a region, and can now be split again with
    /// other arcs.
    pub fn reset(&mut self, nodes: &[u32]) {
        for node in nodes {
            self.visits[*node as usize].order = 0;
        }
    }

    /// Splits the part of a region that can be reached from `roots`. Each component becomes a region of its own, and
    /// `found` is called with it. Arcs that leave a component lead to components that were found before it. Stops when
    /// `goes_on` answers no.
    pub fn take_apart<A: Arcs + ?Sized>(
        &mut self,
        region: u32,
        arcs: &A,
        roots: impl IntoIterator<Item = u32>,
        found: &mut impl FnMut(&Regions, &[u32]),
        goes_on: &mut impl FnMut() -> bool,
    ) -> Result<(), Stopped> {
        // Nodes whose component is known leave the region. Therefore all visited nodes that are still in the region are
        // on this stack.
        let mut stack: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, A::Cursor)> = Vec::new();
        let mut n_visited = 0_u32;
        for root in roots {
            let Visit { region: at, order, .. } = self.visits[root as usize];
            if at != region || order != 0 {
                continue;
            }
            path.push((root, A::Cursor::default()));
            while let Some((node, cursor)) = path.last_mut() {
                let node = *node;
                let at = node as usize;
                if self.visits[at].order == 0 {
                    n_visited += 1;
                    if n_visited.is_multiple_of(VISITS_PER_GLANCE) && !goes_on() {
                        return Err(Stopped);
                    }
                    self.visits[at] = Visit { region, order: n_visited, low: n_visited };
                    stack.push(node);
                }
                if let Some(child) = self.descend(node, arcs, cursor) {
                    path.push((child, A::Cursor::default()));
                    continue;
                }
                path.pop();
                let Visit { order, low, .. } = self.visits[at];
                if let Some((parent, _)) = path.last() {
                    let parent = &mut self.visits[*parent as usize];
                    parent.low = parent.low.min(low);
                }
                if low == order {
                    self.close(node, &mut stack, found);
                }
            }
        }
        Ok(())
    }

    /// The next node of the region that an arc from `node` leads to and that was not visited yet.
    fn descend<A: Arcs + ?Sized>(&mut self, node: u32, arcs: &A, cursor: &mut A::Cursor) -> Option<u32> {
        let Visit { region, mut low, .. } = self.visits[node as usize];
        let mut child = None;
        while let Some(head) = arcs.next(node, cursor, |head| self.visits[head as usize].region == region) {
            let order = self.visits[head as usize].order;
            if order == 0 {
                child = Some(head);
                break;
            }
            low = low.min(order);
        }
        self.visits[node as usize].low = low;
        child
    }

    /// Moves `root` and the nodes above it on the stack into a new region.
    fn close(&mut self, root: u32, stack: &mut Vec<u32>, found: &mut impl FnMut(&Regions, &[u32])) {
        let start = stack.iter().rposition(|node| *node == root).expect("the root is on the stack");
        for node in &stack[start..] {
            self.visits[*node as usize].region = self.n_regions;
        }
        self.n_regions += 1;
        found(self, &stack[start..]);
        stack.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    /// Computes the closure of the arcs. Two nodes are in one component if each is reached from the other.
    fn naive(arcs: &[Vec<u32>]) -> impl Fn(usize, usize) -> bool {
        let n = arcs.len();
        let mut reaches = vec![false; n * n];
        for (tail, heads) in arcs.iter().enumerate() {
            reaches[tail * n + tail] = true;
            for head in heads {
                reaches[tail * n + *head as usize] = true;
            }
        }
        for via in 0..n {
            for from in 0..n {
                for to in 0..n {
                    reaches[from * n + to] |= reaches[from * n + via] && reaches[via * n + to];
                }
            }
        }
        move |from, to| reaches[from * n + to]
    }

    #[test]
    fn components_are_what_reaches_each_other_and_arcs_lead_down() {
        let mut rng = Rng::from_seed(1);
        for _ in 0..300 {
            let n = 1 + rng.below(12);
            let arcs: Vec<Vec<u32>> =
                (0..n).map(|_| (0..rng.below(4)).map(|_| rng.below(n) as u32).collect()).collect();
            let components = Components::new(arcs.as_slice(), n);
            let reaches = naive(&arcs);
            for a in 0..n {
                for b in 0..n {
                    let same = components.of[a] == components.of[b];
                    assert_eq!(same, reaches(a, b) && reaches(b, a), "{a} and {b} of {arcs:?}");
                    assert!(!reaches(a, b) || components.of[b] <= components.of[a], "{a} to {b} of {arcs:?}");
                }
            }
            assert_eq!(components.sizes().iter().sum::<u32>() as usize, n);
        }
    }

    #[test]
    fn a_component_can_be_taken_apart_again() {
        let ring = [vec![1], vec![2], vec![0]];
        let mut regions = Regions::new(3);
        let mut whole = Vec::new();
        let mut keep = |_: &Regions, nodes: &[u32]| whole.push(nodes.to_vec());
        assert_eq!(regions.take_apart(0, ring.as_slice(), [0], &mut keep, &mut || true), Ok(()));
        assert_eq!(whole, [vec![0, 1, 2]]);
        regions.reset(&whole[0]);
        let cut = [vec![1], vec![2], vec![]];
        let region = regions.of(0);
        let mut n_parts = 0;
        let mut count = |_: &Regions, nodes: &[u32]| n_parts += nodes.len();
        assert_eq!(regions.take_apart(region, cut.as_slice(), [0], &mut count, &mut || true), Ok(()));
        assert_eq!(n_parts, 3);
        assert_ne!(regions.of(0), regions.of(1));
    }
}
