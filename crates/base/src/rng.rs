//! Random numbers from a seed. The same seed gives the same numbers on every machine and in every version.

/// The SplitMix64 generator. It is small, and good enough to shuffle and to choose.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for `seed`. The same seed gives the same numbers.
    pub fn from_seed(seed: u64) -> Rng {
        Rng(seed)
    }

    /// A generator for walk number `walk`. Walks of one seed draw different numbers. The same seed and walk give the
    /// same numbers.
    pub fn of_walk(seed: u64, walk: u64) -> Rng {
        let mut rng = Rng(seed ^ walk.wrapping_mul(0xd134_2543_de82_ef95));
        rng.next_u64();
        rng
    }

    /// The next number. All 2⁶⁴ numbers are possible.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Puts items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn numbers_are_those_of_splitmix64() {
        let mut rng = Rng::from_seed(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn shuffling_loses_nothing_and_depends_on_the_seed() {
        let shuffled = |mut rng: Rng| {
            let mut items: Vec<u32> = (0..20).collect();
            rng.shuffle(&mut items);
            items
        };
        let (one, other) = (shuffled(Rng::of_walk(7, 1)), shuffled(Rng::of_walk(7, 2)));
        assert_ne!(one, other);
        assert_eq!(one, shuffled(Rng::of_walk(7, 1)));
        let mut sorted = other;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
