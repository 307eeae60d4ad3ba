//! What mappings may name in braces is what testbeds fill in.

#[test]
fn mapping_and_testbed_know_the_same_places() {
    assert_eq!(kilter_mapping::PLACES, kilter_testbed::cluster::PLACES);
}
