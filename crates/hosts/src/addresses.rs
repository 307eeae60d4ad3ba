//! The file that says where the processes of a search are.

/// The addresses of all processes, such as `10.0.0.1:7400`, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses(Vec<String>);

/// The file can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// A line is no address.
    #[error(
        "line {line}: `{text}` is no address; each line names a process by its host and port, such as 10.0.0.1:7400"
    )]
    NoAddress {
        /// The number of the line, from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// Two lines have the same address.
    #[error("line {line}: `{text}` stands there twice; each process needs a port of its own")]
    Twice {
        /// The number of the second line, from 1.
        line: usize,
        /// The address.
        text: String,
    },
    /// There is no address at all.
    #[error("there is no address; each line names a process by its host and port, such as 10.0.0.1:7400")]
    Empty,
}

impl Addresses {
    /// Reads the addresses, one a line. Empty lines and what follows a `#` do not count.
    pub fn parse(text: &str) -> Result<Addresses, Unreadable> {
        let mut all: Vec<String> = Vec::new();
        // Some editors begin a file with a mark that nobody sees.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split('#').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            let has_port = |(host, port): (&str, &str)| {
                !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
            };
            if !text.rsplit_once(':').is_some_and(has_port) || text.contains(char::is_whitespace) {
                return Err(Unreadable::NoAddress { line, text: text.to_owned() });
            }
            if all.iter().any(|other| other == text) {
                return Err(Unreadable::Twice { line, text: text.to_owned() });
            }
            all.push(text.to_owned());
        }
        if all.is_empty() { Err(Unreadable::Empty) } else { Ok(Addresses(all)) }
    }

    /// The number of processes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Never: there is always an address.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The address of a process.
    pub fn of(&self, process: usize) -> &str {
        &self.0[process]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stand_one_a_line() {
        let marked = Addresses::parse("\u{feff}a:1\r\nb:2\r\n").expect("it is right");
        assert_eq!((marked.of(0), marked.of(1)), ("a:1", "b:2"));
        let read = Addresses::parse("# two machines\n10.0.0.1:7400\n\n  host-2:7401 # the other\n")
            .expect("it is right");
        assert_eq!((read.len(), read.of(0), read.of(1)), (2, "10.0.0.1:7400", "host-2:7401"));
    }

    #[test]
    fn what_is_no_address_is_told_with_its_line() {
        let line_of = |text: &str| match Addresses::parse(text) {
            Err(Unreadable::NoAddress { line, .. } | Unreadable::Twice { line, .. }) => line,
            Err(Unreadable::Empty) => 0,
            Ok(read) => panic!("{read:?}"),
        };
        assert_eq!(line_of("a:1\nb\n"), 2);
        assert_eq!(line_of("a:1\nb:0"), 2);
        assert_eq!(line_of(":7"), 1);
        assert_eq!(line_of("a:1 b:2"), 1);
        assert_eq!(line_of("a:1\n\na:1"), 3);
        assert_eq!(line_of("# nothing\n"), 0);
    }
}
