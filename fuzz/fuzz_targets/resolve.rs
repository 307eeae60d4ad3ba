//! A module and a configuration: what is wrong with them becomes diagnostics.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    kilter_fuzz::resolved(&String::from_utf8_lossy(data), &kilter_fuzz::store());
});
