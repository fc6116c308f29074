//! Sets of cuts changed by hand, and looked at again.

use super::cuts::{CutSet, StoredCut};
use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_core::failure::NextStep;
use palimpsest_lab::{CutSpec, Cuts};

impl App {
    /// Adds cuts to a set, which is made where there is none of the name. A cut that the set has is
    /// stored again, with the hash that it has now.
    pub fn add_cuts(&self, name: &str, cuts: &[CutSpec]) -> Result<CutSet> {
        let known = self.cut_sets()?;
        let Some(mut set) = known.into_iter().find(|set| set.name == name.trim()) else {
            let list = cuts.to_vec();
            return self.save_cut_set(
                name,
                &Cuts {
                    list,
                    ..Cuts::default()
                },
            );
        };
        for cut in cuts {
            let cut = self.cut_of(cut)?;
            match set.cuts.iter_mut().find(|own| is_same(own, &cut)) {
                Some(own) => *own = cut,
                None => set.cuts.push(cut),
            }
        }
        set.made_at_ms = now_ms();
        self.store_cut_set(&set)?;
        Ok(set)
    }

    /// Takes cuts out of a set; the last one stays, because a set without cuts measures nothing.
    pub fn remove_cuts(&self, name: &str, cuts: &[CutSpec]) -> Result<CutSet> {
        let mut set = self.cut_set(name)?;
        let goes = |own: &StoredCut| {
            let is_it = |cut: &CutSpec| {
                own.session == cut.session && own.entry == cut.entry && own.to == cut.to
            };
            cuts.iter().any(is_it)
        };
        if set.cuts.iter().all(goes) {
            return Err(AppError::bad_request(
                "a set of cuts needs at least one cut",
                NextStep::CorrectFile,
            ));
        }
        set.cuts.retain(|own| !goes(own));
        self.store_cut_set(&set)?;
        Ok(set)
    }

    /// For each cut of a set why it is not what it was when it was stored; `None` where it is.
    pub fn changed_cuts(&self, name: &str) -> Result<Vec<Option<String>>> {
        let set = self.cut_set(name)?;
        Ok(set.cuts.iter().map(|cut| self.changed_cut(cut)).collect())
    }
}

fn is_same(one: &StoredCut, other: &StoredCut) -> bool {
    one.session == other.session && one.entry == other.entry && one.to == other.to
}
