//! Where the formulas of `[follow]` stand in the mapping. They are checked as a module that nobody has written, so errors
//! would have places in a text that nobody can see.

use std::path::Path;

use kilter_base::{Diagnostics, FileId, SourceFile, Sources, Span};

use crate::diagnostics::Problems;

/// The name of the module with the formulas.
pub(crate) const FORMULAS: &str = "[follow]";

/// How a text is spelled in the mapping.
type Spelled = fn(&str) -> String;

/// Problems with formulas, at their places in the mapping.
pub(crate) fn in_mapping(mut problems: Problems, path: &Path, text: &str) -> Problems {
    let mapping = problems.sources.add(path.display().to_string(), text);
    let mut diagnostics = Diagnostics::default();
    for diagnostic in &problems.diagnostics {
        let mut diagnostic = diagnostic.clone();
        diagnostic.span = diagnostic.span.map(|span| moved(span, &problems.sources, mapping));
        for (span, _) in &mut diagnostic.related {
            *span = moved(*span, &problems.sources, mapping);
        }
        diagnostics.push(diagnostic);
    }
    Problems { diagnostics, ..problems }
}

/// A place in a formula as one in the mapping. A place elsewhere stays what it is, and so does one that is not found.
fn moved(span: Span, sources: &Sources, mapping: FileId) -> Span {
    let module = sources.file(span.file);
    if module.name != FORMULAS {
        return span;
    }
    let text = &sources.file(mapping).text;
    // A whole formula stands between quotation marks; a line of a longer text does not.
    let spellings: [(&str, Spelled); 4] =
        [("\"", escaped), ("\"", str::to_owned), ("'", str::to_owned), ("", str::to_owned)];
    let found = spellings.iter().find_map(|(mark, spelled)| in_text(span, module, text, mark, *spelled));
    found.map_or(span, |(start, end)| Span { file: mapping, start, end })
}

/// Where the text of a span is in another one that spells it so: the line around it must be there.
fn in_text(span: Span, module: &SourceFile, text: &str, mark: &str, spelled: Spelled) -> Option<(u32, u32)> {
    let (start, end) = (span.start as usize, span.end as usize);
    let line_start = module.text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = module.text[start..].find('\n').map_or(module.text.len(), |at| start + at);
    let line = module.text[line_start..line_end].trim();
    let before = module.text[line_start..start].trim_start();
    let at = text.find(&format!("{mark}{}{mark}", spelled(line)))? + mark.len() + spelled(before).len();
    let length = spelled(&module.text[start..end.min(line_end)]).len();
    Some((u32::try_from(at).ok()?, u32::try_from(at + length).ok()?))
}

/// How a text is spelled between quotation marks in TOML.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(mapping: &str, formula: &str, word: &str) -> String {
        let mut sources = Sources::default();
        let file = sources.add(FORMULAS, format!("A ==\n  {formula}\n===="));
        let mapping = sources.add("kilter.toml", mapping);
        let start = sources.file(file).text.find(word).expect("the formula has the word") as u32;
        let span = Span { file, start, end: start + word.len() as u32 };
        let moved = moved(span, &sources, mapping);
        let text = &sources.file(moved.file).text[moved.start as usize..moved.end as usize];
        format!("{} {text}", sources.place(moved))
    }

    #[test]
    fn formulas_are_found_as_they_are_spelled() {
        assert_eq!(
            place("[follow]\nwhere = 'x /\\ lin.y'", "x /\\ lin.y", "lin.y"),
            "kilter.toml:2:15 lin.y"
        );
        assert_eq!(
            place("[follow]\nwhere = \"x /\\\\ lin.y\"", "x /\\ lin.y", "lin.y"),
            "kilter.toml:2:16 lin.y"
        );
        assert_eq!(place("[system]\nmany = 1\nunless = \"m\"", "m", "m"), "kilter.toml:3:11 m");
        assert_eq!(place("definitions = 'A == 1\nB == lin\n'", "B == lin", "lin"), "kilter.toml:2:6 lin");
        assert_eq!(place("[follow]", "x /\\ lin.y", "lin.y"), "[follow]:2:8 lin.y");
    }
}
