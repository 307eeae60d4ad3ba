//! The order of a level. Each process knows when its own new states are found. So that all have places, as in a search by
//! one process, each process orders a part of the level for all others.

use kilter_value::{Garbled, put_number, take_number};

use super::fresh::When;

/// The process that orders the states whose parents have this place among `n` of them.
pub(crate) fn sorter(parent: u32, n: u64, n_processes: usize) -> usize {
    let part = u64::from(parent) * n_processes as u64 / n.max(1);
    (part as usize).min(n_processes - 1)
}

/// Writes times in order for each sorter. Returns how many of them each gets.
pub(crate) fn put_times(times: &[When], n_parents: u64, parcels: &mut [Vec<u8>]) -> Vec<usize> {
    let n_processes = parcels.len();
    let mut counts = vec![0; n_processes];
    for when in times {
        counts[sorter(when.parent(), n_parents, n_processes)] += 1;
    }
    let mut rest = times;
    for (parcel, count) in parcels.iter_mut().zip(&counts) {
        let (own, others) = rest.split_at(*count);
        rest = others;
        put_number(*count as u64, parcel);
        let mut last = When::new(0, 0);
        for when in own {
            let step = when.parent() - last.parent();
            put_number(step.into(), parcel);
            // Of the same parent, later ones only differ in the index.
            let from = if step == 0 { last.index() } else { 0 };
            put_number(u64::from(when.index() - from), parcel);
            last = *when;
        }
    }
    counts
}

/// Reads what [`put_times`] has written for this process.
pub(crate) fn take_times(bytes: &mut &[u8]) -> Result<Vec<When>, Garbled> {
    let count = take_number(bytes)?;
    let mut times = Vec::with_capacity((count as usize).min(bytes.len()));
    let mut last = When::new(0, 0);
    for _ in 0..count {
        let step = take_number(bytes)? as u32;
        let from = if step == 0 { last.index() } else { 0 };
        let index = from.wrapping_add(take_number(bytes)? as u32);
        last = When::new(last.parent().wrapping_add(step), index);
        times.push(last);
    }
    Ok(times)
}

/// Puts the times of all processes in one order. Writes for each of them the places of its own, and how many there are in all.
pub(crate) fn put_places(times: &[Vec<When>], parcels: &mut [Vec<u8>]) {
    let pairs = times.iter().enumerate();
    let mut all: Vec<(When, usize)> =
        pairs.flat_map(|(process, times)| times.iter().map(move |when| (*when, process))).collect();
    all.sort_unstable();
    for parcel in parcels.iter_mut() {
        put_number(all.len() as u64, parcel);
    }
    let mut last = vec![0; times.len()];
    for (place, (_, process)) in (0..).zip(all) {
        put_number(place - last[process], &mut parcels[process]);
        last[process] = place;
    }
}

/// Reads the places of this process's new states. `counts` are what [`put_times`] returned. The second result is the size of
/// the level.
pub(crate) fn take_places(
    parcels: &mut [&[u8]],
    counts: &[usize],
) -> Result<(Vec<u32>, u64), (usize, Garbled)> {
    let mut places = Vec::with_capacity(counts.iter().sum());
    let mut begin = 0;
    for (process, (bytes, count)) in parcels.iter_mut().zip(counts).enumerate() {
        let mut take = || take_number(bytes).map_err(|garbled| (process, garbled));
        let size = take()?;
        let mut last = 0;
        for _ in 0..*count {
            last += take()?;
            places.push((begin + last) as u32);
        }
        begin += size;
    }
    Ok((places, begin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_of_one_sorted_list(
            found in prop::collection::btree_map((0..50u32, 0..1000u32), 0..4usize, 0..200),
            n_parents in 50..60u64,
        ) {
            let n = 4;
            let of = |process: usize| -> Vec<When> {
                let own = found.iter().filter(|(_, owner)| **owner == process);
                own.map(|((parent, index), _)| When::new(*parent, *index)).collect()
            };
            let mut first = vec![vec![Vec::new(); n]; n];
            let counts: Vec<_> =
                first.iter_mut().enumerate().map(|(me, parcels)| put_times(&of(me), n_parents, parcels)).collect();
            let mut second = vec![vec![Vec::new(); n]; n];
            for (me, parcels) in second.iter_mut().enumerate() {
                let times: Vec<_> =
                    first.iter().map(|from| take_times(&mut from[me].as_slice()).expect("well written")).collect();
                put_places(&times, parcels);
            }
            for (me, counts) in counts.iter().enumerate() {
                let mut own: Vec<&[u8]> = second.iter().map(|from| from[me].as_slice()).collect();
                let (places, size) = take_places(&mut own, counts).expect("well written");
                prop_assert_eq!(size, found.len() as u64);
                let all: Vec<When> = found.keys().map(|(parent, index)| When::new(*parent, *index)).collect();
                let expected: Vec<u32> =
                    of(me).iter().map(|when| all.binary_search(when).expect("it is there") as u32).collect();
                prop_assert_eq!(places, expected);
            }
        }
    }
}
