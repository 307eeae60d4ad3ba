//! The names of a cluster's nodes. Libraries know nodes by number.

use std::sync::Arc;

use kilter_testbed::NodeName;
use serde_json::Value as Json;

/// The names of all nodes. The library numbers them from 1 in this order.
#[derive(Clone)]
pub struct Names(Arc<[NodeName]>);

impl Names {
    /// Numbers nodes.
    pub fn new(names: &[String]) -> Names {
        Names(names.iter().map(|name| name.as_str().into()).collect())
    }

    /// The number of a node.
    pub fn id(&self, name: &NodeName) -> u64 {
        let place = self.0.iter().position(|other| other == name);
        1 + place.expect("a node of this cluster") as u64
    }

    /// The numbers of all nodes.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        1..=self.0.len() as u64
    }

    /// The name of the node with this number; `none` if there is none.
    pub fn show(&self, id: u64) -> Json {
        self.0.get(place(id)).map_or(Json::from("none"), |name| Json::from(&**name))
    }
}

/// Where the node with this number is among the names. No node has the number 0.
pub(crate) fn place(id: u64) -> usize {
    usize::try_from(id).unwrap_or(usize::MAX).wrapping_sub(1)
}
