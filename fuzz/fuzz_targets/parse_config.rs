//! Any bytes as a configuration: parsing never fails.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| kilter_fuzz::config(&String::from_utf8_lossy(data)));
