//! Draws a sequence as text, with a lane for each node and a row for each event.

use crate::subject::Described;

/// Draws one row for each event, with its text at the right.
pub fn draw(nodes: &[String], events: &[Described]) -> String {
    let width = nodes.iter().map(|name| name.chars().count()).max().unwrap_or(1).max(3) + 2;
    let mut up = vec![true; nodes.len()];
    let head: Vec<String> = nodes.iter().map(|name| format!("{name:<width$}")).collect();
    let mut rows = vec![format!("       {}\n", head.concat().trim_end())];
    for (number, event) in events.iter().enumerate() {
        let lanes = row(event, &up, width);
        rows.push(format!("{:>5}  {lanes}{}\n", number + 1, words(nodes, event)));
        if event.from.is_none() {
            up[event.target] = !event.down;
        }
    }
    rows.concat()
}

fn words(nodes: &[String], event: &Described) -> String {
    match event.from {
        Some(from) => format!("{} to {}: {}", nodes[from], nodes[event.target], event.text),
        None if event.fault => event.text.clone(),
        None => format!("{}: {}", nodes[event.target], event.text),
    }
}

fn row(event: &Described, up: &[bool], width: usize) -> String {
    let mut cells: Vec<char> = Vec::new();
    for is_up in up {
        cells.push(if *is_up { '|' } else { ' ' });
        cells.extend(std::iter::repeat_n(' ', width - 1));
    }
    let to = event.target * width;
    match event.from {
        Some(from) if from != event.target => arrow(&mut cells, from * width, to, event.fault),
        _ if event.fault => cells[to] = 'X',
        _ => cells[to] = '*',
    }
    cells.into_iter().collect()
}

fn arrow(cells: &mut [char], from: usize, to: usize, lost: bool) {
    let (low, high) = (from.min(to), from.max(to));
    for cell in &mut cells[low + 1..high] {
        *cell = '-';
    }
    cells[from] = 'o';
    let head = if to > from { to - 1 } else { to + 1 };
    cells[head] = match (lost, to > from) {
        (true, _) => 'x',
        (false, true) => '>',
        (false, false) => '<',
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str, from: Option<usize>, target: usize, fault: bool) -> Described {
        let down = fault && from.is_none();
        Described { text: text.to_owned(), target, from, fault, down }
    }

    #[test]
    fn messages_steps_and_faults() {
        let nodes = ["n1", "n2", "n3"].map(str::to_owned);
        let events = [
            event("resend", None, 0, false),
            event("hello", Some(0), 2, false),
            event("LOST hello", Some(2), 1, true),
            event("CRASH n1", None, 0, true),
            event("resend", None, 1, false),
        ];
        let expected = "
       n1   n2   n3
    1  *    |    |    n1: resend
    2  o-------->|    n1 to n3: hello
    3  |    |x---o    n3 to n2: LOST hello
    4  X    |    |    CRASH n1
    5       *    |    n2: resend
";
        assert_eq!(format!("\n{}", draw(&nodes, &events)), expected);
    }
}
