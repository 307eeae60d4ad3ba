//! The expressions of a table: texts, numbers, and paths through objects, such as `this.self.currentVote.getId()`.

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A text, a number, `true`, `false` or `null`.
    Literal(String),
    /// A way to a value.
    Path(Path),
    /// Two that are compared.
    Compared(Box<[Expression; 2]>),
    /// Several expressions whose texts are joined, that are conditions, or one of which is chosen.
    Several(Vec<Expression>),
}

/// A way to a value: a root and steps from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Where it begins, with all names up to the first step that is no field: `org.example.Peer.self` is not yet known to be a
    /// class and its field.
    pub names: Vec<String>,
    /// What follows.
    pub steps: Vec<Step>,
}

/// A step from an object to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of a field.
    Field(String),
    /// The result of a method with these arguments.
    Method(String, Vec<Expression>),
    /// The element at a place of an array or a list.
    Element(Box<Expression>),
}

/// Reads an expression. The error says what is wrong with it.
pub fn read(text: &str) -> Result<Expression, String> {
    let mut reader = Reader { text, rest: text };
    let expression = reader.expression()?;
    reader.skip_blanks();
    if reader.rest.is_empty() { Ok(expression) } else { Err(reader.unexpected()) }
}

struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
}

impl Reader<'_> {
    fn expression(&mut self) -> Result<Expression, String> {
        let condition = self.conditions()?;
        if !self.eats("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        if !self.eats(":") {
            return Err(self.unexpected());
        }
        Ok(Expression::Several(vec![condition, then, self.expression()?]))
    }

    /// Comparisons with `&&` and `||` between them. Which binds tighter does not matter here: only the paths in them do.
    fn conditions(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.comparison()?];
        while self.eats("&&") || self.eats("||") {
            parts.push(self.comparison()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Several(parts) })
    }

    fn comparison(&mut self) -> Result<Expression, String> {
        let left = self.sum()?;
        if ["==", "!=", "<", ">"].iter().any(|operator| self.eats(operator)) {
            return Ok(Expression::Compared(Box::new([left, self.sum()?])));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut terms = vec![self.term()?];
        while self.eats("+") {
            terms.push(self.term()?);
        }
        Ok(if terms.len() == 1 { terms.remove(0) } else { Expression::Several(terms) })
    }

    fn term(&mut self) -> Result<Expression, String> {
        self.skip_blanks();
        if let Some(rest) = self.rest.strip_prefix('\'') {
            let (inside, after) = rest.split_once('\'').ok_or("a text in single quotes does not end")?;
            self.rest = after;
            return Ok(Expression::Literal(inside.to_owned()));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let length =
                self.rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(self.rest.len(), |end| end + 1);
            let (number, after) = self.rest.split_at(length);
            self.rest = after;
            return Ok(Expression::Literal(number.to_owned()));
        }
        let path = self.path()?;
        let is_word =
            matches!(path.names[..], [ref name] if matches!(name.as_str(), "true" | "false" | "null"));
        Ok(if is_word && path.steps.is_empty() {
            Expression::Literal(path.names[0].clone())
        } else {
            Expression::Path(path)
        })
    }

    fn path(&mut self) -> Result<Path, String> {
        let mut names = vec![self.name()?];
        let mut steps: Vec<Step> = Vec::new();
        loop {
            if self.rest.starts_with('(') && steps.is_empty() {
                // The last name was a method after all.
                let name = names.pop().unwrap_or_default();
                if names.is_empty() {
                    return Err(format!("`{name}(…)` has nothing that it is called on"));
                }
                steps.push(Step::Method(name, self.arguments()?));
            } else if self.eats("[") {
                let place = self.sum()?;
                if !self.eats("]") {
                    return Err(self.unexpected());
                }
                steps.push(Step::Element(Box::new(place)));
            } else if self.eats(".") {
                let name = self.name()?;
                if self.rest.starts_with('(') {
                    steps.push(Step::Method(name, self.arguments()?));
                } else if steps.is_empty() {
                    names.push(name);
                } else {
                    steps.push(Step::Field(name));
                }
            } else {
                return Ok(Path { names, steps });
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, String> {
        self.eats("(");
        let mut arguments = Vec::new();
        while !self.eats(")") {
            if !arguments.is_empty() && !self.eats(",") {
                return Err(self.unexpected());
            }
            arguments.push(self.sum()?);
        }
        Ok(arguments)
    }

    fn name(&mut self) -> Result<String, String> {
        self.skip_blanks();
        let is_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = self.rest.find(|c| !is_of_name(c)).unwrap_or(self.rest.len());
        if length == 0 {
            return Err(self.unexpected());
        }
        let (name, after) = self.rest.split_at(length);
        self.rest = after;
        Ok(name.to_owned())
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eats(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn unexpected(&self) -> String {
        let rest = self.rest.trim_start();
        let at = self.text.len() - rest.len() + 1;
        match rest.chars().next() {
            Some(found) => format!("`{}`: unexpected `{found}` at character {at}", self.text),
            None => format!("`{}`: something is missing at its end", self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(names: &[&str], steps: Vec<Step>) -> Expression {
        Expression::Path(Path { names: names.iter().map(|name| (*name).to_owned()).collect(), steps })
    }

    #[test]
    fn paths_have_names_and_steps() {
        assert_eq!(read("this.vote.id"), Ok(path(&["this", "vote", "id"], vec![])));
        let get = Step::Method("getId".to_owned(), vec![]);
        assert_eq!(
            read(" peer.vote.getId().x"),
            Ok(path(&["peer", "vote"], vec![get, Step::Field("x".to_owned())]))
        );
        let of = Step::Method("get".to_owned(), vec![Expression::Literal("a".to_owned())]);
        assert_eq!(read("$1.get('a')"), Ok(path(&["$1"], vec![of])));
        let first = Step::Element(Box::new(Expression::Literal("0".to_owned())));
        assert_eq!(read("it.list[0]"), Ok(path(&["it", "list"], vec![first])));
    }

    #[test]
    fn texts_are_joined_and_compared() {
        let literal = |text: &str| Expression::Literal(text.to_owned());
        assert_eq!(read("'n' + $1"), Ok(Expression::Several(vec![literal("n"), path(&["$1"], vec![])])));
        let compared = |one, other| Expression::Compared(Box::new([one, other]));
        assert_eq!(read("x != null"), Ok(compared(path(&["x"], vec![]), literal("null"))));
        assert_eq!(read("-12"), Ok(literal("-12")));
        let comparison = |one: &str, other: &str| compared(path(&[one], vec![]), path(&[other], vec![]));
        let conditions = vec![comparison("$1", "$2"), comparison("$3", "$4"), path(&["x"], vec![])];
        assert_eq!(read("$1 > $2 || $3<$4 && x"), Ok(Expression::Several(conditions)));
        let choice = vec![comparison("$1", "$2"), path(&["x"], vec![]), literal("y")];
        assert_eq!(read("$1 == $2 ? x : 'y'"), Ok(Expression::Several(choice)));
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_place() {
        for (text, expected) in [
            ("", "`` : something is missing at its end"),
            ("a b", "`a b`: unexpected `b` at character 3"),
            ("a.", "`a.`: something is missing at its end"),
            ("'a", "a text in single quotes does not end"),
            ("a[1", "`a[1`: something is missing at its end"),
            ("a ? b", "`a ? b`: something is missing at its end"),
            ("f(1)", "`f(…)` has nothing that it is called on"),
        ] {
            assert_eq!(read(text), Err(expected.replace("` :", "`:")), "{text}");
        }
    }
}
