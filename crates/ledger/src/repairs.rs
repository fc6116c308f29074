//! Errors that went away: the command that failed with them passed later, or another check of what was changed since.

use crate::candidate::Registry;
use crate::span::{Call, Part};
use crate::{commands, located, outcome, scripts};
use rustc_hash::FxHashMap as HashMap;

/// How many ranks lighter an error is that went away.
const GONE: i32 = 2;

/// Checks that read the code and do not compile it: that they pass says nothing of what a compiler found.
const READERS: &[&str] = &[
    "lint", "eslint", "ruff", "biome", "flake8", "prettier", "fmt", "format",
];

/// Errors by the commands that failed with them, while outputs are read in order.
#[derive(Debug, Default)]
pub(crate) struct Repairs {
    open: HashMap<String, Vec<usize>>,
    /// What compilers and linters found at a place of a file, with the changes that were made before it.
    located: Vec<(usize, usize)>,
    /// Calls so far that changed files, or may have.
    changes: usize,
}

impl Repairs {
    /// Notes how a call ended: the facts of its errors, none when it passed. An error that comes
    /// again is open again.
    pub fn note(
        &mut self,
        registry: &mut Registry,
        call: &Call<'_>,
        output: &Part<'_>,
        errors: &[usize],
    ) {
        let acts = |script: &str| !call.looks_only && !outcome::is_check(script);
        if call.action.changes_files() || call.script.as_deref().is_some_and(acts) {
            self.changes += 1;
        }
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
            if compiles(script)
                && outcome::went_well(script, output.text, output.is_error) == Some(true)
            {
                let (changes, open) = (self.changes, std::mem::take(&mut self.located));
                for (fact, before) in open {
                    if before < changes {
                        registry.facts[fact].lighter = GONE;
                    } else {
                        self.located.push((fact, before));
                    }
                }
            }
            return;
        }
        for fact in errors {
            registry.facts[*fact].lighter = 0;
            self.located.retain(|(known, _)| known != fact);
            if located::is_diagnostic(&registry.facts[*fact].text) {
                self.located.push((*fact, self.changes));
            }
        }
        for head in heads {
            self.open.entry(head).or_default().extend(errors);
        }
    }
}

/// True for a check that compiles or runs the code.
fn compiles(script: &str) -> bool {
    outcome::is_check(script)
        && scripts::deeds(script).iter().any(|deed| {
            let words = commands::words_of(&deed.name);
            outcome::is_check(&deed.name) && !words.iter().any(|word| READERS.contains(word))
        })
}
