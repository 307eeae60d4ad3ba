//! Writes one path in the Informal Trace Format.

use kilter_value::Store;
use serde_json::{Value as Json, json};

use super::{Shown, json};
use crate::graph::{EdgeId, StateGraph, StateId};
use crate::values::RestoreError;

/// Writes the behavior that starts in `start` and takes `edges`. Each edge must start where the one before it ends.
pub fn to_itf(graph: &StateGraph, start: StateId, edges: &[EdgeId]) -> Result<Json, RestoreError> {
    let store = Store::new();
    let shown = Shown::new(graph, &store)?;
    let mut states = vec![with_meta(json::to_json(&shown, start), json!({ "index": 0 }))];
    let mut at = start;
    for (index, edge) in edges.iter().enumerate() {
        assert_eq!(graph.source(*edge), at, "a path is without gaps");
        at = graph.target(*edge);
        let args = json::args_to_json(&shown, *edge);
        let meta = json!({ "index": index + 1, "action": graph.action_of(*edge).name, "args": args });
        states.push(with_meta(json::to_json(&shown, at), meta));
    }
    Ok(json!({
        "#meta": { "format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
                   "source": graph.origin() },
        "vars": graph.variables(), "states": states,
    }))
}

fn with_meta(mut state: Json, meta: Json) -> Json {
    if let Some(fields) = state.as_object_mut() {
        fields.insert("#meta".to_owned(), meta);
    }
    state
}
