//! Divides a search into parts that can be explored side by side.

use kilter_testbed::Trouble;

use crate::options::{Options, Search};
use crate::search::{Explorer, Part};
use crate::subject::Subject;

/// The most first steps by which a search is divided.
const BELOW_MAX: usize = 5;

/// The parts of a search. Each has all sequences that begin with certain choices. `goes_on` is told the number of parts
/// again and again; when it says no, the parts stay as they are.
pub(crate) fn parts<S: Subject>(
    make: &impl Fn() -> S,
    options: &Options,
    n_wanted: usize,
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> Result<Vec<Part>, Trouble> {
    if let Search::Random { walks, .. } | Search::Pct { walks, .. } = options.search {
        let each = walks.div_ceil(n_wanted as u64).max(1);
        let begins = (0..walks).step_by(each as usize);
        let part =
            |first| Part { first_walk: first, walks: Some(each.min(walks - first)), ..Part::default() };
        return Ok(begins.map(part).collect());
    }
    if options.search == Search::Bfs {
        return Ok(vec![Part::default()]);
    }
    let plain = Options { search: Search::Dfs, count_states: false, ..options.clone() };
    let mut all = vec![Vec::new()];
    let mut is_over = false;
    for _ in 0..BELOW_MAX {
        if all.len() >= n_wanted || is_over {
            break;
        }
        let mut longer = Vec::new();
        let mut left = all.into_iter();
        while let Some(below) = left.next() {
            // Each part costs a start of the system.
            if !goes_on(longer.len() + left.len() + 1) {
                is_over = true;
                longer.push(below);
                longer.extend(left);
                break;
            }
            match Explorer::new(make(), &plain).n_choices(&below)? {
                Some(n_choices) => {
                    longer.extend((0..n_choices).map(|place| [below.as_slice(), &[place]].concat()));
                }
                None => longer.push(below),
            }
        }
        all = longer;
    }
    Ok(all.into_iter().map(|below| Part { below, ..Part::default() }).collect())
}
