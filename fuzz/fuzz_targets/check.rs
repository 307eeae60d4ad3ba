//! A module and a configuration, checked: what is wrong with them becomes diagnostics or a verdict.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: kilter_fuzz::allow_full_heap(), |data: &[u8]| {
    kilter_fuzz::checked(&String::from_utf8_lossy(data));
});
