//! Writes random modules into a folder, with what the naive evaluator says about each.
//!
//!     cargo run -p kilter-oracle --example write -- --seed 1 --count 500 DIR
//!
//! `DIR` gets `R1.tla`, `R1.cfg` and so on, and `answers.jsonl` with one line for each module.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

use kilter_oracle::naive::{Answer, Verdict};
use kilter_oracle::{generate, print};

fn main() -> Result<(), Box<dyn Error>> {
    let (mut seed, mut count, mut folder) = (1_u64, 100_u64, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number =
            || args.next().ok_or("a number is missing")?.parse::<u64>().map_err(Box::<dyn Error>::from);
        match arg.as_str() {
            "--seed" => seed = number()?,
            "--count" => count = number()?,
            _ => folder = Some(arg),
        }
    }
    let folder = folder.ok_or("usage: write [--seed N] [--count N] DIR")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let mut answers = fs::File::create(folder.join("answers.jsonl"))?;
    for seed in seed..seed + count {
        let (model, answer) = generate::model(seed);
        let files = print::files(&model);
        fs::write(folder.join(format!("{}.tla", model.name)), files.module)?;
        fs::write(folder.join(format!("{}.cfg", model.name)), files.config)?;
        if let Some((name, text)) = files.second {
            fs::write(folder.join(format!("{name}.tla")), text)?;
        }
        writeln!(answers, "{}", json(&model.name, &answer))?;
    }
    Ok(())
}

fn json(name: &str, answer: &Answer) -> String {
    let (verdict, property) = match &answer.verdict {
        Verdict::Ok => ("ok", String::new()),
        Verdict::Assumption => ("assumption", String::new()),
        Verdict::Deadlock => ("deadlock", String::new()),
        Verdict::Invariant(name) => ("invariant", name.clone()),
        Verdict::Property(name) => ("property", name.clone()),
        Verdict::Temporal(names) => ("temporal", names.join(" ")),
        Verdict::Error(message) => ("error", message.replace(['"', '\\'], "'")),
        Verdict::TooLarge => ("too large", String::new()),
    };
    let trace = answer.trace.map_or_else(|| "null".to_owned(), |length| length.to_string());
    format!(
        "{{\"name\": \"{name}\", \"verdict\": \"{verdict}\", \"property\": \"{property}\", \"generated\": {}, \"distinct\": {}, \
         \"depth\": {}, \"trace\": {trace}}}",
        answer.generated, answer.distinct, answer.depth
    )
}
