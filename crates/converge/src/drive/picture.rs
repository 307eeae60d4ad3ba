//! Draws the replicas over time, as text.

use super::Ledger;
use super::standing::{Standing, Status};
use crate::step::Step;
use crate::store::{Contents, number_of};

/// A row: what happened, and for each replica its status and what it should hold after that.
#[derive(Clone, Debug)]
pub struct Frame {
    label: String,
    cells: Vec<String>,
}

fn numbers(writes: &[u8]) -> String {
    let numbers: Vec<String> = writes.iter().map(ToString::to_string).collect();
    if numbers.is_empty() { "·".to_owned() } else { numbers.join(" ") }
}

impl Frame {
    /// Makes the row after a step.
    pub fn new(step: Option<&Step>, standing: &Standing, ledger: &Ledger) -> Self {
        let cells = standing.names().map(|name| {
            let status = match standing.of(name) {
                Status::Up => "",
                Status::Paused => " (paused)",
                Status::Cut => " (cut off)",
                Status::Down => " (down)",
            };
            let source =
                standing.source[name.index()].map(|source| format!(" ←{source}")).unwrap_or_default();
            format!("{}{source}{status}", numbers(&ledger.writes[name.index()]))
        });
        let label = step.map_or_else(|| "start".to_owned(), ToString::to_string);
        Self { label, cells: cells.collect() }
    }

    /// Makes the row with what was found on the replicas in the end.
    pub fn found(found: &[Contents]) -> Self {
        let cells = found.iter().map(|contents| {
            let mut writes: Vec<u8> = contents.values().filter_map(|value| number_of(value)).collect();
            writes.sort_unstable();
            writes.dedup();
            numbers(&writes)
        });
        Self { label: "found".to_owned(), cells: cells.collect() }
    }
}

/// Draws all rows, with one column for each replica.
pub fn draw(frames: &[Frame]) -> String {
    let n_columns = frames.iter().map(|frame| frame.cells.len()).max().unwrap_or(0);
    let mut rows = vec![Frame {
        label: "step".to_owned(),
        cells: (0..n_columns as u8).map(|index| char::from(b'A' + index).to_string()).collect(),
    }];
    rows.extend_from_slice(frames);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.cells.get(column)).map(|it| it.chars().count()).max()
    };
    let widths: Vec<usize> = (0..n_columns).map(|column| width(column).unwrap_or(0)).collect();
    let first = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
    let line = |row: &Frame| {
        let cells: Vec<String> =
            row.cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{:first$}  {}", row.label, cells.join("  ")).trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
