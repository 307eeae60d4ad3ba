//! Java's text templates, which TLC uses.

/// Java's `String.format` with strings for arguments: `%s`, `%2$s`, `%-8s`, `%%` and `%n`.
pub(super) fn format_as_java(template: &str, args: &[String]) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = template;
    let mut n_used = 0usize;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let Some(end) = after.find(|c: char| c.is_alphabetic() || c == '%') else {
            return Err(format!("`%{after}` is not a place for a value"));
        };
        let (options, conversion) = (&after[..end], after[end..].chars().next());
        rest = &after[end + conversion.map_or(0, char::len_utf8)..];
        match conversion {
            Some('%') => out.push('%'),
            Some('n') => out.push('\n'),
            Some(upper @ ('s' | 'S')) => {
                let (index, width) = if let Some((index, width)) = options.split_once('$') {
                    (index.parse().map_err(|_| format!("`%{options}s` has no index before the `$`"))?, width)
                } else {
                    n_used += 1;
                    (n_used, options)
                };
                let arg = index.checked_sub(1).and_then(|index| args.get(index));
                let arg = arg.ok_or_else(|| format!("there is no value number {index}"))?;
                let arg = if upper == 'S' { arg.to_uppercase() } else { arg.clone() };
                pad(&mut out, &arg, width)?;
            }
            Some(other) => return Err(format!("`%{options}{other}` is not supported; use `%s`")),
            None => {}
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// Appends a text, padded with spaces to a width. With a negative width the spaces come after the text.
fn pad(out: &mut String, text: &str, width: &str) -> Result<(), String> {
    let width = if width.is_empty() {
        0
    } else {
        width.parse::<i32>().map_err(|_| format!("`{width}` is not a width"))?
    };
    let n_spaces = (width.unsigned_abs() as usize).saturating_sub(text.chars().count());
    let spaces = " ".repeat(n_spaces);
    let (before, behind) = if width < 0 { ("", &*spaces) } else { (&*spaces, "") };
    out.push_str(before);
    out.push_str(text);
    out.push_str(behind);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(template: &str) -> Result<String, String> {
        format_as_java(template, &["a".to_owned(), "bc".to_owned()])
    }

    #[test]
    fn values_take_their_turn_or_have_a_number() {
        assert_eq!(formatted("%s-%s%n").as_deref(), Ok("a-bc\n"));
        assert_eq!(formatted("%2$s %s %1$s 100%%").as_deref(), Ok("bc a a 100%"));
        assert_eq!(formatted("[%3s|%-4s]é").as_deref(), Ok("[  a|bc  ]é"));
    }

    #[test]
    fn a_template_without_a_value_is_an_error() {
        assert_eq!(formatted("%3$s"), Err("there is no value number 3".to_owned()));
        assert_eq!(formatted("%0$s"), Err("there is no value number 0".to_owned()));
        assert!(formatted("%d").is_err());
        assert!(formatted("50 %").is_err());
    }
}
