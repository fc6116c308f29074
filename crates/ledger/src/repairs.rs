//! Errors that went away: the command that failed with them passed later.

use crate::candidate::Registry;
use crate::span::Call;
use crate::{commands, scripts};
use rustc_hash::FxHashMap as HashMap;

/// How many ranks lighter an error is that went away.
const GONE: i32 = 2;

/// Errors by the commands that failed with them, while outputs are read in order.
#[derive(Debug, Default)]
pub(crate) struct Repairs {
    open: HashMap<String, Vec<usize>>,
}

impl Repairs {
    /// Notes how a call ended: the facts of its errors, none when it passed. An error that comes
    /// again is open again.
    pub fn note(&mut self, registry: &mut Registry, call: &Call<'_>, errors: &[usize]) {
        let Some(script) = call.script.as_deref().filter(|_| !call.looks_only) else {
            return;
        };
        let heads = scripts::deeds(script)
            .into_iter()
            .map(|deed| commands::head(&deed.name));
        if errors.is_empty() {
            for fact in heads.flat_map(|head| self.open.remove(&head).unwrap_or_default()) {
                registry.facts[fact].lighter = GONE;
            }
            return;
        }
        for fact in errors {
            registry.facts[*fact].lighter = 0;
        }
        for head in heads {
            self.open.entry(head).or_default().extend(errors);
        }
    }
}
