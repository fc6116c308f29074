//! Whether an entry that the index found has what a query asks for: phrases, which the index does not
//! know, and what stands in the call of a result.

use super::Finder;
use super::answered::{call_behind, calls_text};
use super::opened::Opened;
use super::reading::role_of;
use crate::index::RecordAt;
use palimpsest_core::Role;
use palimpsest_store::StoreError;
use palimpsest_store::index::{Hit, SessionRow};

impl Finder<'_> {
    pub(super) fn fits(&self, record: &RecordAt, text: &str) -> bool {
        let wanted = match role_of(&record.entry) {
            Some(Role::Tool) => &self.said,
            _ => &self.wanted,
        };
        wanted.iter().all(|pattern| pattern.is_in(text))
            && !self.unwanted.iter().any(|pattern| pattern.is_in(text))
    }

    /// The same of a failed or rejected result with the line of its call, which is shown before it.
    pub(super) fn fits_with_call(
        &self,
        session: &SessionRow,
        hit: &Hit,
        record: &RecordAt,
        text: &str,
        opened: &mut Opened,
    ) -> Result<bool, StoreError> {
        if !hit.entry.is_error && !hit.entry.rejected {
            return Ok(false);
        }
        let Some(call) = call_behind(self.reader, session, &hit.entry, record, opened)? else {
            return Ok(false);
        };
        let text = format!("{}\n{text}", call.headline);
        Ok(self.said.iter().all(|pattern| pattern.is_in(&text))
            && !self.unwanted.iter().any(|pattern| pattern.is_in(&text)))
    }

    /// False for a result whose call names another command or file: the index knows the words of their
    /// names and not the order.
    pub(super) fn is_of_call(
        &self,
        session: &SessionRow,
        hit: &Hit,
        record: &RecordAt,
        opened: &mut Opened,
    ) -> Result<bool, StoreError> {
        if self.named.is_empty() || role_of(&record.entry) != Some(Role::Tool) {
            return Ok(true);
        }
        let call = calls_text(self.reader, session, &hit.entry, record, opened)?;
        Ok(call.is_empty() || self.named.iter().all(|pattern| pattern.is_in(&call)))
    }
}
