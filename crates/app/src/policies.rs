//! Policies: those that are built in, those of the user's files, and numbers set for one look.

use crate::error::{AppError, Result};
use crate::presets::{json_files, not_json, unread_files};
use crate::workspace::App;
use palimpsest_compaction::policy::PolicyError;
use palimpsest_core::failure::{Failure as _, Input, Listed, NextStep, Problem};
use palimpsest_store::regular::read_text;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

pub use palimpsest_compaction::policy::{Check, Counting, Policy, PolicyParam};

/// A policy that can be walked with.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownPolicy {
    /// The policy.
    pub policy: Policy,
    /// Its file, for one of the user's.
    pub path: Option<PathBuf>,
}

/// A file of the user that gives no policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenPolicy {
    /// The file's name without its ending.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Why it cannot be used, and what to do.
    pub problem: Problem,
}

impl App {
    /// All policies, the built-in ones first, then those in the folder `policies` beside the
    /// databases by name; and the files there that cannot be used.
    pub fn known_policies(&self) -> Result<(Vec<KnownPolicy>, Vec<BrokenPolicy>)> {
        let built_in = Policy::built_in().iter().map(|policy| KnownPolicy {
            policy: policy.clone(),
            path: None,
        });
        let mut known: Vec<KnownPolicy> = built_in.collect();
        let mut broken = Vec::new();
        let folder = self.options().data_dir.join("policies");
        for (name, path) in unread_files(&folder)? {
            broken.push(BrokenPolicy {
                problem: not_json(&name),
                name,
                path,
            });
        }
        for (name, path) in json_files(&folder)? {
            match read_policy(&path, &name) {
                Ok(policy) => known.push(KnownPolicy {
                    policy,
                    path: Some(path),
                }),
                Err(problem) => broken.push(BrokenPolicy {
                    name,
                    path,
                    problem,
                }),
            }
        }
        Ok((known, broken))
    }
}

fn read_policy(path: &Path, name: &str) -> std::result::Result<Policy, Problem> {
    if Policy::known(name).is_ok() {
        return Err(Problem::new(
            format!("the built-in policy {name} has the same name and is used instead"),
            NextStep::RenameFile {
                name: format!("my-{name}.json"),
            },
        ));
    }
    let text =
        read_text(path).map_err(|error| Problem::new(error.to_string(), NextStep::CheckFile))?;
    // The file's name is what the user sees in the folder, whatever it says inside.
    let text = named(&text, name).unwrap_or(text);
    Policy::parse(&text).map_err(|error| Problem::new(error.to_string(), NextStep::CorrectFile))
}

/// `text` with its field `name` set; `None` where it is no JSON object.
fn named(text: &str, name: &str) -> Option<String> {
    let mut policy: Value = serde_json::from_str(text).ok()?;
    let fields = policy.as_object_mut()?;
    fields.insert("name".to_owned(), Value::String(name.to_owned()));
    Some(policy.to_string())
}

/// The policies called `names`, or all, with `set` put in: `POLICY.PARAMETER` to its value.
///
/// Fails for a name that is none, and for a parameter of a policy that is not looked at.
pub(crate) fn chosen(
    (known, broken): (Vec<KnownPolicy>, &[BrokenPolicy]),
    names: &[String],
    set: &Map<String, Value>,
) -> Result<Vec<KnownPolicy>> {
    let refuse = |error: PolicyError| AppError::BadRequest(error.problem());
    let unknown = |name: &str, known: &[KnownPolicy]| {
        if let Some(own) = broken.iter().find(|own| own.name == name) {
            let (path, problem) = (own.path.display(), &own.problem);
            return AppError::BadRequest(Problem {
                message: format!("the policy cannot be used ({problem}): {path}"),
                next: problem.next(),
            });
        }
        let names = known.iter().map(|own| own.policy.name.clone());
        refuse(PolicyError::Unknown {
            name: name.to_owned(),
            known: names.collect(),
        })
    };
    let mut chosen = match names {
        [] => known.clone(),
        names => {
            let find = |name: &String| {
                let found = known.iter().find(|own| own.policy.name == *name);
                found.cloned().ok_or_else(|| unknown(name, &known))
            };
            names.iter().map(find).collect::<Result<_>>()?
        }
    };
    for (place, value) in set {
        // Names of policies may have dots: the longest that fits is meant.
        let fits = |own: &&mut KnownPolicy| {
            let rest = place.strip_prefix(own.policy.name.as_str());
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        let own = chosen.iter_mut().filter(fits);
        let Some(own) = own.max_by_key(|own| own.policy.name.len()) else {
            let Some((policy, _)) = place.split_once('.').or_else(|| {
                let is_policy = known.iter().any(|own| own.policy.name == *place);
                is_policy.then_some((place.as_str(), ""))
            }) else {
                return Err(AppError::bad_request(
                    format!(
                        "'{place}' is set, and no policy is named with it, as in codex.{place}"
                    ),
                    NextStep::Choose {
                        what: Listed::PolicyParameters,
                        known: Vec::new(),
                        similar: Vec::new(),
                    },
                ));
            };
            // A number of a policy that is not chosen would have no effect.
            if known.iter().any(|own| own.policy.name == *place) {
                return Err(AppError::bad_request(
                    format!(
                        "'{place}' is a policy; the parameter that is set must be named with it"
                    ),
                    NextStep::Choose {
                        what: Listed::PolicyParameters,
                        known: Vec::new(),
                        similar: Vec::new(),
                    },
                ));
            }
            if known.iter().any(|own| own.policy.name == policy) {
                return Err(AppError::bad_request(
                    format!(
                        "'{place}' is set, but {policy} is not among the policies that are chosen"
                    ),
                    NextStep::Give {
                        what: Input::Policies,
                    },
                ));
            }
            return Err(unknown(policy, &known));
        };
        let name = &place[own.policy.name.len() + 1..];
        let changed = own.policy.with(name, value).map_err(refuse)?;
        // Set to its default it is still the policy as described.
        if changed != own.policy {
            // The policy's own words tell of its own numbers.
            let taken = changed.correction();
            let taken = taken.map(|own| format!(", {own}")).unwrap_or_default();
            let words = format!(
                "{name} set to {value}{taken}; default: {}",
                own.policy.description
            );
            own.policy = changed;
            own.policy.description = words;
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_policy_say_what_is_taken_for_a_share_out_of_its_range() {
        let said = |name: &str, percent: i64| {
            let known = vec![KnownPolicy {
                policy: Policy::known(name).unwrap().clone(),
                path: None,
            }];
            let set = Map::from_iter([(format!("{name}.trigger.percent"), percent.into())]);
            chosen((known, &[]), &[], &set).map(|own| own[0].policy.description.clone())
        };
        let coder = said("coder", 130).unwrap();
        let words = "set to 130, 130 % is out of range; 70 % is used; default";
        assert!(coder.contains(words), "{coder}");
        assert!(said("coder", -1).unwrap().contains("70 % is used"));
        assert!(said("mux", 95).unwrap().contains("90 % is used"));
        assert!(!said("mux", 85).unwrap().contains("is used"));
        let codex = said("codex", 130).unwrap_err().to_string();
        assert!(codex.contains("from 0 to 100"), "{codex}");
    }

    #[test]
    fn the_words_of_a_policy_say_which_number_is_set() {
        let codex = Policy::known("codex").unwrap().clone();
        let said = |percent: u64| {
            let known = vec![KnownPolicy {
                policy: codex.clone(),
                path: None,
            }];
            let set = Map::from_iter([("codex.percent".to_owned(), percent.into())]);
            let chosen = chosen((known, &[]), &[], &set).unwrap();
            chosen[0].policy.description.clone()
        };
        let own = &codex.description;
        assert_eq!(said(70), format!("percent set to 70; default: {own}"));
        assert_eq!(said(90), *own, "its own number changes no words");
    }
}
