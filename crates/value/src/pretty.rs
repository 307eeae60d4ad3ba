//! Values as TLC prints them in traces, over several lines if they do not fit into one.

use crate::handle::Value;
use crate::store::Store;
use crate::view::View;

/// How to lay out a composite value over several lines.
struct Style {
    open: &'static str,
    close: &'static str,
    separator: &'static str,
    /// The text between the halves of a pair.
    arrow: &'static str,
}

const SET: Style = Style { open: "{ ", close: " }", separator: ",", arrow: "" };
const TUPLE: Style = Style { open: "<< ", close: " >>", separator: ",", arrow: "" };
const FUNCTION: Style = Style { open: "( ", close: " )", separator: " @@", arrow: " :>" };
const RECORD: Style = Style { open: "[ ", close: " ]", separator: ",", arrow: " |->" };
/// The indent of the right half of a pair when it has a line of its own.
const ARROW_INDENT: usize = 4;

/// A value as text on one line, and its parts in case the line is too long.
struct Node {
    flat: String,
    parts: Parts,
}

enum Parts {
    None,
    List(&'static Style, Vec<Node>),
    Pairs(&'static Style, Vec<(Node, Node)>),
}

/// The space for a value. There are `width` columns. The last line must leave `trailer` of them free. Lines after the
/// first start with `indent` spaces.
#[derive(Clone, Copy)]
struct Room {
    width: usize,
    trailer: usize,
    indent: usize,
}

impl Store {
    /// The value over as many lines as TLC would use. Lines after the first start with `indent` spaces.
    pub fn show_pretty(&self, value: Value, indent: usize, width: usize) -> String {
        let flat = self.show(value);
        if flat.chars().count() <= width {
            return flat;
        }
        let mut out = String::new();
        format(&mut out, &self.node(value), Room { width, trailer: 0, indent });
        out
    }

    fn node(&self, value: Value) -> Node {
        let flat = self.show(value);
        let parts = match self.view(value) {
            // A long interval is printed as `lo..hi` and has no parts.
            View::Interval { .. } if !flat.starts_with('{') => Parts::None,
            View::Interval { lo, hi } => self.list(&SET, self.interval_items(lo, hi).iter()),
            View::Set(elems) => self.list(&SET, elems.iter()),
            View::Tuple(elems) => self.list(&TUPLE, elems.iter()),
            View::Record { shape, values } if self.are_names(shape) => {
                let name =
                    |name| Node { flat: self.string_text(name).unwrap_or("").to_owned(), parts: Parts::None };
                Parts::Pairs(
                    &RECORD,
                    shape.iter().zip(values).map(|(n, v)| (name(n), self.node(v))).collect(),
                )
            }
            View::Record { .. } | View::Function { .. } => match self.parts(value) {
                Some(parts) => {
                    let pairs = parts.domain.iter().zip(parts.values);
                    Parts::Pairs(&FUNCTION, pairs.map(|(a, v)| (self.node(a), self.node(v))).collect())
                }
                None => Parts::None,
            },
            _ if value.is_lazy() && flat.starts_with('{') => match self.normalize(value) {
                Ok(normal) => return self.node(normal),
                Err(_) => Parts::None,
            },
            _ => Parts::None,
        };
        Node { flat, parts }
    }

    fn list(&self, style: &'static Style, elems: impl Iterator<Item = Value>) -> Parts {
        Parts::List(style, elems.map(|elem| self.node(elem)).collect())
    }
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

fn format(out: &mut String, node: &Node, room: Room) {
    if columns(&node.flat) + room.trailer <= room.width {
        out.push_str(&node.flat);
        return;
    }
    let (style, n) = match &node.parts {
        Parts::None => {
            out.push_str(&node.flat);
            return;
        }
        Parts::List(style, nodes) => (style, nodes.len()),
        Parts::Pairs(style, pairs) => (style, pairs.len()),
    };
    let inner = Room {
        width: room.width.saturating_sub(style.open.len()),
        trailer: room.trailer + style.close.len(),
        indent: room.indent + style.open.len(),
    };
    out.push_str(style.open);
    for index in 0..n {
        let last = index + 1 == n;
        match &node.parts {
            Parts::None => {}
            Parts::List(_, nodes) => {
                let trailer = if last { inner.trailer } else { style.separator.len() };
                format(out, &nodes[index], Room { trailer, ..inner });
            }
            Parts::Pairs(_, pairs) => format_pair(out, &pairs[index], style, inner, last),
        }
        if !last {
            out.push_str(style.separator);
            new_line(out, inner.indent);
        }
    }
    out.push_str(style.close);
}

fn format_pair(out: &mut String, (left, right): &(Node, Node), style: &Style, room: Room, last: bool) {
    let trailer = if last { room.trailer } else { style.separator.len() };
    let arrow = style.arrow.len();
    if columns(&left.flat) + arrow + 1 + columns(&right.flat) + trailer <= room.width {
        out.push_str(&left.flat);
        out.push_str(style.arrow);
        out.push(' ');
        out.push_str(&right.flat);
        return;
    }
    if columns(&left.flat) + arrow <= room.width {
        out.push_str(&left.flat);
    } else {
        format(out, left, Room { trailer: room.trailer + arrow, ..room });
    }
    out.push_str(style.arrow);
    let indent = room.indent + ARROW_INDENT;
    new_line(out, indent);
    format(out, right, Room { width: room.width.saturating_sub(ARROW_INDENT), trailer, indent });
}

fn new_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}
