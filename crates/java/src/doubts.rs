//! What is right in a table, and may do something else than its author thinks.

use crate::class::Method;
use crate::jars::Jars;
use crate::table::{Point, Table};

/// One sentence for each point at which a thread waits while it holds the monitor of a synchronized method.
pub fn doubts(table: &Table, jars: &Jars) -> Vec<String> {
    let offered = table.points.iter().filter(|point| point.action.is_some() && point.call.is_none());
    let mut doubts: Vec<String> = offered.filter(|point| is_synchronized(point, jars)).map(doubt).collect();
    doubts.dedup();
    doubts
}

fn doubt(point: &Point) -> String {
    let method = point.method.split('(').next().unwrap_or_default();
    let mut names = method.rsplit('.');
    let (name, class) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    format!(
        "`{class}.{name}` is synchronized: a thread that waits there holds the monitor, and others wait for that. \
         To hold it before, name the caller: in = \"…\", call = \"{class}.{name}\""
    )
}

/// Whether all methods that the point may be in are synchronized.
fn is_synchronized(point: &Point, jars: &Jars) -> bool {
    let method = point.method.split('(').next().unwrap_or_default().trim();
    let Some((class, name)) = method.rsplit_once('.') else { return false };
    let Some(Ok(class)) = jars.class(class) else { return false };
    let mut methods = class.methods.iter().filter(|method| method.name == name).peekable();
    methods.peek().is_some() && methods.all(|method: &Method| method.is_synchronized)
}
