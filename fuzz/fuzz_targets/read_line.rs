//! Any bytes from a connection: each line is a message or an error, and a message that was read is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    kilter_fuzz::lines::<kilter_protocol::FromNode>(data);
    kilter_fuzz::lines::<kilter_protocol::ToNode>(data);
});
