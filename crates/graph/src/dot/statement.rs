//! Finds nodes and edges in tokens.

use super::ImportError;
use super::lex::{Lexer, Token, describe};

/// Attributes with their values, as they are in the text.
pub(super) type Attributes<'t> = Vec<(&'t str, &'t str)>;

/// A node, an edge, or an attribute of the graph, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement<'t> {
    Node { id: &'t str, attributes: Attributes<'t>, line: usize },
    Edge { source: &'t str, target: &'t str, attributes: Attributes<'t>, line: usize },
    Setting { name: &'t str, value: &'t str },
}

/// The value of the attribute with this name.
pub(super) fn attribute<'t>(attributes: &Attributes<'t>, name: &str) -> Option<&'t str> {
    attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
}

/// Reads statements one by one.
pub(super) struct Statements<'t> {
    lexer: Lexer<'t>,
    /// The names of the graphs whose braces are open.
    open: Vec<&'t str>,
}

impl<'t> Statements<'t> {
    /// Reads the head of a graph: `strict digraph DiskGraph {`.
    pub(super) fn new(text: &'t str) -> Result<Self, ImportError> {
        let mut lexer = Lexer::new(text);
        let mut first = lexer.next()?;
        if first == Some(Token::Word("strict")) {
            first = lexer.next()?;
        }
        if first != Some(Token::Word("digraph")) {
            return lexer.error("not a dump of TLC's in DOT: it does not start with `digraph`");
        }
        if !matches!(lexer.peek()?, Some(Token::Sign(_))) {
            lexer.next()?;
        }
        lexer.expect('{')?;
        Ok(Statements { lexer, open: vec![""] })
    }

    /// The next statement outside of legends and ranks. `None` at the end of the graph.
    pub(super) fn next(&mut self) -> Result<Option<Statement<'t>>, ImportError> {
        while !self.open.is_empty() {
            let statement = match self.lexer.next()? {
                Some(Token::Sign('{')) => {
                    self.open.push("");
                    None
                }
                Some(Token::Sign('}')) => {
                    self.open.pop();
                    None
                }
                Some(Token::Sign(';' | ',')) => None,
                Some(Token::Word("subgraph")) => {
                    self.subgraph()?;
                    None
                }
                Some(Token::Word(id) | Token::Quoted(id)) => self.statement(id)?,
                None => return self.lexer.error("the graph has no closing `}`; is the dump cut off?"),
                token => {
                    return self
                        .lexer
                        .error(format!("a node or an edge was expected, and {} was found", describe(token)));
                }
            };
            if statement.is_some() && !self.open.contains(&"cluster_legend") {
                return Ok(statement);
            }
        }
        match self.lexer.next()? {
            None => Ok(None),
            token => self.lexer.error(format!("{} follows the end of the graph", describe(token))),
        }
    }

    fn subgraph(&mut self) -> Result<(), ImportError> {
        let name = match self.lexer.peek()? {
            Some(Token::Word(name) | Token::Quoted(name)) => {
                self.lexer.next()?;
                name
            }
            _ => "",
        };
        self.lexer.expect('{')?;
        self.open.push(name);
        Ok(())
    }

    fn statement(&mut self, id: &'t str) -> Result<Option<Statement<'t>>, ImportError> {
        let line = self.lexer.line();
        if self.lexer.eat('=')? {
            let value = self.id("a value")?;
            return Ok(Some(Statement::Setting { name: id, value }));
        }
        if self.lexer.peek()? == Some(Token::Arrow) {
            self.lexer.next()?;
            let target = self.id("a node")?;
            let attributes = self.attributes()?;
            return Ok(Some(Statement::Edge { source: id, target, attributes, line }));
        }
        let attributes = self.attributes()?;
        // A node without attributes is a member of a rank.
        let is_node = !matches!(id, "node" | "edge" | "graph") && !attributes.is_empty();
        Ok(is_node.then_some(Statement::Node { id, attributes, line }))
    }

    fn id(&mut self, expected: &str) -> Result<&'t str, ImportError> {
        match self.lexer.next()? {
            Some(Token::Word(id) | Token::Quoted(id)) => Ok(id),
            token => self.lexer.error(format!("{expected} was expected, and {} was found", describe(token))),
        }
    }

    /// Parses `[label="…",style = filled]`, if it comes next.
    fn attributes(&mut self) -> Result<Attributes<'t>, ImportError> {
        let mut attributes = Vec::new();
        if !self.lexer.eat('[')? {
            return Ok(attributes);
        }
        while !self.lexer.eat(']')? {
            let name = self.id("an attribute")?;
            let value = if self.lexer.eat('=')? { self.id("a value")? } else { "" };
            attributes.push((name, value));
            while self.lexer.eat(',')? || self.lexer.eat(';')? {}
        }
        Ok(attributes)
    }
}
