//! Moves a record away from its folder: its paths, which begin there, then begin elsewhere.

use kilter_run::Place;

use crate::record::Record;

impl Record {
    /// Makes all relative paths begin at a folder from which `way` leads to the record's own. Where it is, they are as they were if
    /// `way` is empty.
    pub fn move_away(&mut self, way: &str) {
        if way.is_empty() {
            return;
        }
        let moved = |path: &mut String| {
            if !path.starts_with('/') {
                *path = format!("{way}/{path}");
            }
        };
        let header = &mut self.header;
        let places = header.places.values_mut().chain(header.code.values_mut());
        let places = places.chain(header.table.values_mut().flatten());
        places.filter_map(|Place { path, .. }| path.as_mut()).for_each(moved);
        self.cases.iter_mut().filter_map(|case| case.logs.as_mut()).for_each(moved);
        self.findings.iter_mut().filter_map(|finding| finding.logs.as_mut()).for_each(moved);
    }
}
