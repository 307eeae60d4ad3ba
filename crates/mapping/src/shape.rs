//! Shapes say how the implementation writes a value of the specification. A shape is a short text in `kilter.toml`.
//!
//! ```text
//! shape  = "any" | "int" | "bool" | "string" | "node"
//!        | "set of" shape | "seq of" shape | "map of" shape "to" shape
//!        | "{" field "," … "}"                                    a record
//!        | "one of {" NAME ":" "{" … "}" "," … "} by" FIELD source  records of several kinds
//!        | shape "or" NAME                                        `null` stands for a constant; binds before `of`.
//!                                                                 A string may have its quotes
//!        | "(" shape ")"
//! field  = NAME ":" shape source
//! source = "=" (NAME | "@from" | "@to")                           if the implementation calls it differently
//! ```

use kilter_value::Value;

/// How the implementation writes a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As a constant, then as a model value, then as JSON: lists are sequences, and objects are records.
    Any,
    /// A number.
    Int,
    /// A boolean.
    Bool,
    /// A string that is never a model value.
    Text,
    /// The name of a node.
    Node,
    /// A list without order.
    Set(Box<Shape>),
    /// A list.
    Seq(Box<Shape>),
    /// An object, or a list of pairs.
    Map(Box<Shape>, Box<Shape>),
    /// An object.
    Record(Vec<Field>),
    /// Objects of several kinds, told apart by a field.
    OneOf {
        /// The field that tells the kinds apart. It is also a field of the record.
        by: String,
        /// Where the implementation has this field.
        from: Source,
        /// For each value of that field, the other fields.
        kinds: Vec<(Value, Vec<Field>)>,
    },
    /// `null` for this value, or anything of the shape.
    Or(Box<Shape>, Value),
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the specification.
    pub name: String,
    /// The shape of its value.
    pub shape: Shape,
    /// Where the implementation has it.
    pub from: Source,
}

/// Where the implementation has a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In this field.
    Field(String),
    /// In the message's sender.
    From,
    /// In the message's receiver.
    To,
}

impl Shape {
    /// Whether a value depends on the sender of the message that it is in.
    pub fn asks_for_sender(&self) -> bool {
        let in_fields = |fields: &[Field]| {
            fields.iter().any(|field| field.from == Source::From || field.shape.asks_for_sender())
        };
        match self {
            Shape::Any | Shape::Int | Shape::Bool | Shape::Text | Shape::Node => false,
            Shape::Set(inner) | Shape::Seq(inner) | Shape::Or(inner, _) => inner.asks_for_sender(),
            Shape::Map(key, inner) => key.asks_for_sender() || inner.asks_for_sender(),
            Shape::Record(fields) => in_fields(fields),
            Shape::OneOf { kinds, .. } => kinds.iter().any(|(_, fields)| in_fields(fields)),
        }
    }
}

/// The error for a text that is not a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// What is wrong.
    pub message: String,
    /// The offset in the text, in bytes.
    pub at: usize,
    /// The unknown name, if that is what is wrong.
    pub unknown: Option<String>,
}

/// Parses a shape. `constant` returns the value of a name.
pub fn parse(text: &str, constant: &dyn Fn(&str) -> Option<Value>) -> Result<Shape, ShapeError> {
    let mut parser = Parser { text, at: 0, constant, depth: 0 };
    let shape = parser.shape()?;
    match parser.peek() {
        "" => Ok(shape),
        rest => Err(parser.expected("the end", rest)),
    }
}

/// The most shapes inside of each other. Nobody writes more, and the stack holds them.
const DEPTH_MAX: u32 = 64;

struct Parser<'t> {
    text: &'t str,
    at: usize,
    constant: &'t dyn Fn(&str) -> Option<Value>,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn shape(&mut self) -> Result<Shape, ShapeError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error("the shape is nested too deeply"));
        }
        let mut shape = match self.next() {
            "any" => Shape::Any,
            "int" => Shape::Int,
            "bool" => Shape::Bool,
            "string" => Shape::Text,
            "node" => Shape::Node,
            "set" => Shape::Set(self.of()?),
            "seq" => Shape::Seq(self.of()?),
            "map" => {
                let key = self.of()?;
                self.expect("to")?;
                Shape::Map(key, Box::new(self.shape()?))
            }
            "one" => self.one_of()?,
            "{" => Shape::Record(self.fields()?),
            "(" => {
                let inner = self.shape()?;
                self.expect(")")?;
                inner
            }
            word => {
                let known =
                    "any, int, bool, string, node, set of, seq of, map of, one of, or a record in braces";
                return Err(self.expected_before(&format!("a shape ({known})"), word));
            }
        };
        while self.peek() == "or" {
            self.next();
            let name = self.constant_name();
            shape = Shape::Or(Box::new(shape), self.constant(name)?);
        }
        self.depth -= 1;
        Ok(shape)
    }

    fn of(&mut self) -> Result<Box<Shape>, ShapeError> {
        self.expect("of")?;
        Ok(Box::new(self.shape()?))
    }

    /// Parses the fields of a record after its brace.
    fn fields(&mut self) -> Result<Vec<Field>, ShapeError> {
        let mut fields = Vec::new();
        while self.peek() != "}" {
            let name = self.name()?.to_owned();
            self.expect(":")?;
            let shape = self.shape()?;
            let from = self.source(&name)?;
            fields.push(Field { name, shape, from });
            self.comma()?;
        }
        self.next();
        Ok(fields)
    }

    fn one_of(&mut self) -> Result<Shape, ShapeError> {
        self.expect("of")?;
        self.expect("{")?;
        let mut kinds = Vec::new();
        while self.peek() != "}" {
            let name = self.constant_name();
            let kind = self.constant(name)?;
            self.expect(":")?;
            self.expect("{")?;
            kinds.push((kind, self.fields()?));
            self.comma()?;
        }
        self.next();
        self.expect("by")?;
        let by = self.name()?.to_owned();
        let from = self.source(&by)?;
        Ok(Shape::OneOf { by, from, kinds })
    }

    fn source(&mut self, name: &str) -> Result<Source, ShapeError> {
        if self.peek() != "=" {
            return Ok(Source::Field(name.to_owned()));
        }
        self.next();
        Ok(match self.peek() {
            "@from" => {
                self.next();
                Source::From
            }
            "@to" => {
                self.next();
                Source::To
            }
            _ => Source::Field(self.name()?.to_owned()),
        })
    }

    /// Parses the comma between entries. It is optional after the last one.
    fn comma(&mut self) -> Result<(), ShapeError> {
        match self.peek() {
            "," => {
                self.next();
                Ok(())
            }
            "}" => Ok(()),
            other => Err(self.expected("`,` or `}`", other)),
        }
    }

    /// The name of a constant. A string may be written with its quotes, as in the specification.
    fn constant_name(&mut self) -> &'t str {
        let quote = self.peek();
        if quote != "\"" && quote != "'" {
            return self.next();
        }
        let rest = &self.text[self.at..];
        let length = rest[1..].find(quote).map_or(1, |end| end + 2);
        self.at += length;
        &rest[..length]
    }

    fn constant(&self, name: &str) -> Result<Value, ShapeError> {
        let plain = name.trim_matches(['"', '\'']);
        (self.constant)(plain).ok_or_else(|| ShapeError {
            message: format!("`{name}` is no constant, model value or string of the specification"),
            at: self.at - name.len(),
            unknown: Some(name.to_owned()),
        })
    }

    fn name(&mut self) -> Result<&'t str, ShapeError> {
        let word = self.next();
        if word.starts_with(is_word) { Ok(word) } else { Err(self.expected_before("a name", word)) }
    }

    fn expect(&mut self, wanted: &str) -> Result<(), ShapeError> {
        let word = self.next();
        if word == wanted { Ok(()) } else { Err(self.expected_before(&format!("`{wanted}`"), word)) }
    }

    /// The next word or sign, without taking it. Empty at the end.
    fn peek(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let rest = rest.trim_start();
        self.at = self.text.len() - rest.len();
        let length = match rest.chars().next() {
            None => 0,
            Some(first) if is_word(first) || first == '@' => {
                1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1)
            }
            Some(first) => first.len_utf8(),
        };
        &rest[..length]
    }

    fn next(&mut self) -> &'t str {
        let word = self.peek();
        self.at += word.len();
        word
    }

    fn error(&self, message: &str) -> ShapeError {
        ShapeError { message: message.to_owned(), at: self.at, unknown: None }
    }

    /// An error about the next word.
    fn expected(&self, wanted: &str, found: &str) -> ShapeError {
        let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        ShapeError { message: format!("{wanted} is expected here, not {found}"), at: self.at, unknown: None }
    }

    /// An error about the last word.
    fn expected_before(&self, wanted: &str, found: &str) -> ShapeError {
        ShapeError { at: self.at - found.len(), ..self.expected(wanted, found) }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}
