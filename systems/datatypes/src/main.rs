//! `converge` of Kilter with yrs, automerge and loro linked in: `kilter-datatypes converge yrs-text.toml`.
//!
//! - `ops`       the edits that models name, the same for all libraries
//! - `yrs`, `automerge`, `loro` the libraries

mod automerge;
mod loro;
mod ops;
mod yrs;

use std::process::ExitCode;

use kilter::Worlds;

/// Which of the known options a configuration has. An option that is not known is an error.
fn wants<const N: usize>(options: &[String], known: [&str; N]) -> Result<[bool; N], String> {
    match options.iter().find(|option| !known.contains(&option.as_str())) {
        Some(option) => Err(format!("there is no option `{option}`; there are {}", known.join(", "))),
        None => Ok(known.map(|known| options.iter().any(|option| option == known))),
    }
}

fn main() -> ExitCode {
    let worlds = Worlds::default()
        .with_data_type("yrs", |system| {
            let [undo] = wants(&system.options, ["undo"])?;
            Ok(yrs::Yrs::new(undo))
        })
        .with_data_type("automerge", |system| {
            let [] = wants(&system.options, [])?;
            automerge::Automerge::new().map_err(|error| error.to_string())
        })
        .with_data_type("loro", |system| {
            let [undo, movable] = wants(&system.options, ["undo", "movable"])?;
            loro::Loro::new(undo, movable)
        });
    kilter::program::main(worlds)
}
