//! Two versions of a source file in any language, compared: whatever is in them, and a version with itself is no change.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    kilter_fuzz::source_changes(data);
});
