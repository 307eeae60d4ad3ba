//! A search by several processes, from its beginning to its end.

use super::end::End;
use super::search::Shared;
use super::{Exchange, Part, Trouble, ending};
use crate::keeper::Recovered;
use crate::outcome::{Share, Verdict};
use crate::search::Search;

impl Search<'_, '_> {
    /// Searches together with the other processes. The first one gets the verdict, and what each has had.
    pub(crate) fn search_together(
        &mut self,
        exchange: &mut dyn Exchange,
        recovered: Option<Recovered>,
    ) -> Result<Part<(Verdict, Vec<Share>)>, Trouble> {
        let mut shared = Shared::new(self, exchange);
        let end = shared.search(recovered)?;
        shared.write_last(&end);
        let is_over = !matches!(end, End::Limit(_));
        let part = ending::finish(&mut shared, end)?;
        if matches!(part, Part::Other(_)) {
            self.leave_disk(is_over);
        }
        Ok(part)
    }
}
