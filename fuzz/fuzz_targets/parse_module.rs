//! Any bytes as a module: parsing never fails, and what is printed parses to the same tree.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| kilter_fuzz::module(&String::from_utf8_lossy(data)));
