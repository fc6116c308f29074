//! The ledgers made last, kept so that their source side can be fetched page by page.

use super::material::Material;
use crate::session::{OpenSession, lock};
use palimpsest_core::ledger::Ledger;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Ledgers kept; each holds the texts of its span, a megabyte or so.
const KEPT_LEDGERS: usize = 4;

/// A ledger with what it was made from.
pub struct ShelvedLedger {
    /// Its name on the shelf.
    pub id: String,
    /// The session.
    pub open: Arc<OpenSession>,
    /// What it was made from.
    pub material: Material,
    /// The facts.
    pub ledger: Ledger,
}

/// Ledgers, most recently made last.
#[derive(Default)]
pub struct LedgerShelf {
    ledgers: Mutex<VecDeque<Arc<ShelvedLedger>>>,
}

impl LedgerShelf {
    /// Makes the ledger called `id`, or takes it from the shelf.
    pub fn get_or_make<E>(
        &self,
        id: &str,
        make: impl FnOnce() -> Result<(Arc<OpenSession>, Material), E>,
    ) -> Result<Arc<ShelvedLedger>, E> {
        if let Some(found) = self.get(id) {
            return Ok(found);
        }
        // Outside the lock: other ledgers can be read meanwhile.
        let (open, material) = make()?;
        let ledger = material.ledger();
        let made = Arc::new(ShelvedLedger {
            id: id.to_owned(),
            open,
            material,
            ledger,
        });
        let mut ledgers = lock(&self.ledgers);
        ledgers.push_back(Arc::clone(&made));
        if ledgers.len() > KEPT_LEDGERS {
            ledgers.pop_front();
        }
        Ok(made)
    }

    /// The ledger called `id`, if it is still kept.
    pub fn get(&self, id: &str) -> Option<Arc<ShelvedLedger>> {
        lock(&self.ledgers)
            .iter()
            .find(|ledger| ledger.id == id)
            .cloned()
    }
}
