"""Finds out which functions of a Rust program run. Each function writes its name to a file once.

`mark` adds this to the sources before they are built. `functions` lists the functions, to compare two versions.
"""

import re

MODULE = """//! Says once of each function that it runs, in the file that the environment names.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

static SEEN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

pub fn enter(name: &'static str) {
    let Ok(path) = std::env::var("COVERED") else { return };
    if SEEN.lock().is_ok_and(|mut seen| seen.insert(name)) {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        let _ = file.and_then(|mut file| writeln!(file, "{name}"));
    }
}
"""


def sources(folder):
    """The source files of a program's library. If it has no library, all source files."""
    files = [path for path in sorted(folder.rglob("*.rs")) if path.name not in ("tests.rs", "covered.rs")]
    return [path for path in files if "bin" not in path.relative_to(folder).parts]


def bodies(text):
    """Each function with a body: its name, and the offsets at which the body begins and ends."""
    for found in re.finditer(r"^( *)(?:pub(?:\([a-z]+\))? )?(?:async )?fn (\w+)", text, re.M):
        depth = 0
        for at in range(found.end(), len(text)):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
            if depth == 0 and text[at] in "{;":
                break
        if text[at] == ";":
            continue
        end = text.find(f"\n{found[1]}}}", at)
        one_line = text.find("\n", at)
        if text[at:one_line].rstrip().endswith("}"):
            end = one_line
        yield found[2], at + 1, end


def functions(folder):
    """All functions of a program, as a map from file, name and number among functions of that name to the text."""
    found = {}
    for path in sources(folder):
        text, n_seen = path.read_text(), {}
        for name, begin, end in bodies(text):
            n_seen[name] = n_seen.get(name, 0) + 1
            line = text.rfind("\n", 0, begin) + 1
            found[f"{path.relative_to(folder)} {name} {n_seen[name]}"] = text[line:end]
    return found


def mark(folder):
    """Makes every function report that it runs. Returns the original text of the files."""
    before = {path: path.read_text() for path in sources(folder)}
    for path, text in before.items():
        n_seen, marked, last = {}, "", 0
        for name, begin, _ in bodies(text):
            n_seen[name] = n_seen.get(name, 0) + 1
            marked += text[last:begin] + f' crate::covered::enter("{path.relative_to(folder)} {name} {n_seen[name]}");'
            last = begin
        path.write_text(marked + text[last:])
    root = next(path for path in (folder / "lib.rs", folder / "main.rs") if path.is_file())
    root.write_text(re.sub(r"^(?=use |pub mod |mod )", "mod covered;\n", root.read_text(), count=1, flags=re.M))
    (folder / "covered.rs").write_text(MODULE)
    return before
