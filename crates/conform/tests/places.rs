//! Mappings and testbeds know the same names in braces.

#[test]
fn mapping_and_testbed_know_the_same_places() {
    assert_eq!(kilter_mapping::PLACES, kilter_testbed::cluster::PLACES);
}
