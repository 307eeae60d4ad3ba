//! Shapes: how a value of the specification is spelled by the implementation, as a short text in `kilter.toml`.
//!
//! ```text
//! shape  = "any" | "int" | "bool" | "string" | "node"
//!        | "set of" shape | "seq of" shape | "map of" shape "to" shape
//!        | "{" field "," … "}"                                    a record
//!        | "one of {" NAME ":" "{" … "}" "," … "} by" FIELD source  records of several kinds
//!        | shape "or" NAME                                        `null` stands for a constant; binds before `of`
//!        | "(" shape ")"
//! field  = NAME ":" shape source
//! source = "=" (NAME | "@from" | "@to")                           if the implementation calls it differently
//! ```

use kilter_value::Value;

/// How a value is spelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// By the constants, then names of model values, then as JSON has it: lists are sequences, objects records.
    Any,
    /// A number.
    Int,
    /// A boolean.
    Bool,
    /// A string, and never a model value.
    Text,
    /// A node's name.
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
        /// The field that tells them apart; it is a field of the record too.
        by: String,
        /// What the implementation calls it.
        from: Source,
        /// What the field says, and the other fields then.
        kinds: Vec<(Value, Vec<Field>)>,
    },
    /// `null`, or anything of a shape.
    Or(Box<Shape>, Value),
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the specification.
    pub name: String,
    /// What it holds.
    pub shape: Shape,
    /// Where the implementation has it.
    pub from: Source,
}

/// Where the implementation has a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In a field.
    Field(String),
    /// It is who sent the message.
    From,
    /// It is who the message is for.
    To,
}

impl Shape {
    /// Whether a value depends on who has sent the message that it is in.
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

/// A text that is no shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// What is wrong.
    pub message: String,
    /// Where: an offset in the text.
    pub at: usize,
    /// The name that nobody knows, if that is what is wrong.
    pub unknown: Option<String>,
}

/// Reads a shape; `constant` says what a name stands for.
pub fn parse(text: &str, constant: &dyn Fn(&str) -> Option<Value>) -> Result<Shape, ShapeError> {
    let mut parser = Parser { text, at: 0, constant, depth: 0 };
    let shape = parser.shape()?;
    match parser.peek() {
        "" => Ok(shape),
        rest => Err(parser.expected("the end", rest)),
    }
}

/// More than anybody writes, less than the stack holds.
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
            let name = self.next();
            shape = Shape::Or(Box::new(shape), self.constant(name)?);
        }
        self.depth -= 1;
        Ok(shape)
    }

    fn of(&mut self) -> Result<Box<Shape>, ShapeError> {
        self.expect("of")?;
        Ok(Box::new(self.shape()?))
    }

    /// The fields of a record after its brace.
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
            let name = self.name()?;
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

    /// Between entries a comma; after the last one it may stand or not.
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

    fn constant(&self, name: &str) -> Result<Value, ShapeError> {
        (self.constant)(name).ok_or_else(|| ShapeError {
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

    /// The next word or sign, empty at the end; stays before it.
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

    /// An error about the word that comes next.
    fn expected(&self, wanted: &str, found: &str) -> ShapeError {
        let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        ShapeError { message: format!("{wanted} is expected here, not {found}"), at: self.at, unknown: None }
    }

    /// An error about the word that was just read.
    fn expected_before(&self, wanted: &str, found: &str) -> ShapeError {
        ShapeError { at: self.at - found.len(), ..self.expected(wanted, found) }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}
