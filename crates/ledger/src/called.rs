//! What a call names: files, commands, branches, and names that it looks for or defines.

use crate::candidate::{Registry, Standing, role_weight};
use crate::introduced::decoded;
use crate::span::{Call, Part, PartKind};
use crate::{files, identifiers, later, scripts};
use palimpsest_core::ledger::{FactKind, FileRole};
use std::ops::Range;

/// How many ranks lighter a name is that only stands in code.
const IN_CODE: i32 = 3;

/// Fewest letters of a name that is looked for; shorter ones are met by chance.
const LOOKED_FOR_LETTERS: usize = 6;

/// Something that a call names.
pub(crate) struct Named {
    kind: FactKind,
    key: String,
    surface: String,
    place: Range<usize>,
    role: f64,
    standing: Standing,
    /// What is done with it, for a file.
    file_role: Option<FileRole>,
    /// Ranks by which it is lighter where nothing else has it.
    lighter_if_new: i32,
}

/// What a call names, in the order in which it is noted.
#[derive(Default)]
pub(crate) struct Called {
    /// Files, commands, branches, and what it looks for.
    pub named: Vec<Named>,
    /// Names that the code it writes defines.
    pub defined: Vec<Named>,
}

impl Called {
    /// Reads `call`, whose arguments are `part`.
    pub fn of(part: &Part<'_>, call: &Call<'_>) -> Called {
        let mut named = Vec::new();
        files_of(part, call, &mut named);
        if let Some(script) = &call.script {
            commands_of(part, script, &mut named);
            branches_of(part, script, &mut named);
        }
        looked_for(part, call, &mut named);
        Called {
            named,
            defined: defined_by(part, call),
        }
    }
}

/// Notes what a call names.
pub(crate) fn note(registry: &mut Registry, part: &Part<'_>, all: Vec<Named>) {
    for named in all {
        let index = registry.note(named.kind, named.key, &named.surface);
        let fact = &mut registry.facts[index];
        if fact.count == 0 && named.lighter_if_new != 0 {
            fact.lighter = named.lighter_if_new;
        }
        if let Some(role) = named.file_role {
            files::note_role(fact, role);
        }
        registry.place(index, part, named.place, named.role, named.standing);
    }
}

fn files_of(part: &Part<'_>, call: &Call<'_>, out: &mut Vec<Named>) {
    for (file, role) in files::of_call(call, part.text) {
        let weight = match role {
            FileRole::Edited => role_weight::EDIT,
            FileRole::Read | FileRole::Searched | FileRole::Named => role_weight::READ,
        };
        out.push(Named {
            kind: FactKind::Path,
            key: identifiers::path_key(&file),
            place: files::place_of(part, &file),
            surface: file,
            role: weight,
            standing: Standing::Said,
            file_role: Some(role),
            lighter_if_new: 0,
        });
    }
}

/// The commands of a script one by one; those that only look are noticed.
fn commands_of(part: &Part<'_>, script: &str, out: &mut Vec<Named>) {
    let done = scripts::deeds(script).into_iter();
    let done = done.map(|deed| (deed, role_weight::EDIT, Standing::Said));
    let asked = scripts::asked(script).into_iter();
    let asked = asked.map(|deed| (deed, role_weight::READ, Standing::Noticed));
    for (deed, role, standing) in done.chain(asked) {
        let raw = script[deed.range.clone()].trim();
        out.push(Named {
            kind: FactKind::Command,
            key: scripts::key(&deed.name),
            surface: deed.name,
            place: files::place_of(part, raw),
            role,
            standing,
            file_role: None,
            lighter_if_new: 0,
        });
    }
}

fn branches_of(part: &Part<'_>, script: &str, out: &mut Vec<Named>) {
    let branches = scripts::branches(script).into_iter();
    for branch in branches.filter(|name| !files::is_file(name)) {
        out.push(symbol(part, branch, role_weight::EDIT, Standing::Noticed));
    }
}

/// What was looked for is a fact where it is looked for again.
fn looked_for(part: &Part<'_>, call: &Call<'_>, out: &mut Vec<Named>) {
    let Some(pattern) = later::searches(part, call) else {
        return;
    };
    for name in identifiers::scan(&pattern) {
        let is_option = name.key.starts_with('-');
        if name.kind == FactKind::Symbol && !is_option && name.key.len() >= LOOKED_FOR_LETTERS {
            out.push(symbol(part, &name.key, role_weight::READ, Standing::Shown));
        }
    }
}

/// Each test is a name of its own; those that matter are run or spoken of by name.
fn defined_by(part: &Part<'_>, call: &Call<'_>) -> Vec<Named> {
    if !call.action.changes_files() || call.path.as_deref().is_some_and(files::is_test) {
        return Vec::new();
    }
    let text = decoded(PartKind::ToolCall, part.text);
    let names = identifiers::defined(&text).into_iter();
    let noted = names.map(|name| Named {
        // Of names that only stand in code, people name 9 of 30.
        lighter_if_new: IN_CODE,
        ..symbol(part, name, role_weight::EDIT, Standing::Said)
    });
    noted.collect()
}

fn symbol(part: &Part<'_>, name: &str, role: f64, standing: Standing) -> Named {
    Named {
        kind: FactKind::Symbol,
        key: name.to_owned(),
        surface: name.to_owned(),
        place: files::place_of(part, name),
        role,
        standing,
        file_role: None,
        lighter_if_new: 0,
    }
}
