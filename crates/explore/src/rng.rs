//! Random numbers from a seed.

/// SplitMix64: small, and good enough to choose.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The numbers of one of many walks: the same seed and walk give the same numbers.
    pub fn of(seed: u64, walk: u64) -> Rng {
        let mut rng = Rng(seed ^ walk.wrapping_mul(0xd134_2543_de82_ef95));
        rng.next_u64();
        rng
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}
