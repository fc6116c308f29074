//! The filters that a filter which is not understood may have meant: the value under another name, the
//! longer value that has it as a part, what people call it, a near spelling.

use super::values::{HAS, IS, KINDS, SHOWN_KINDS};
use palimpsest_core::flag::Flag;
use palimpsest_core::words::similar;

/// Filters that are named for one.
const MOST: usize = 3;

/// What people call a value, and what filters call it.
const EVERYDAY: [(&str, &str); 18] = [
    ("refused", "rejected"),
    ("refusal", "rejected"),
    ("denied", "rejected"),
    ("declined", "rejected"),
    ("rejection", "rejected"),
    ("decision", "plan"),
    ("decision", "rejected"),
    ("failed", "error"),
    ("failure", "error"),
    ("exception", "error"),
    ("cancelled", "aborted"),
    ("stopped", "aborted"),
    ("rewound", "undone"),
    ("rollback", "undone"),
    ("task", "open-todo"),
    ("child", "subagent"),
    ("forked", "fork"),
    ("picture", "image"),
];

/// The filters with closed lists of values, in the order in which they are named.
const FILTERS: [&str; 4] = ["is", "has", "kind", "flag"];

/// The values of a filter as it lists them; empty for a filter whose values are no closed list.
fn values_of(filter: &str) -> Vec<&'static str> {
    match filter {
        "is" => IS.to_vec(),
        "has" => HAS.to_vec(),
        "kind" => SHOWN_KINDS.to_vec(),
        "flag" => Flag::ALL.into_iter().map(Flag::name).collect(),
        _ => Vec::new(),
    }
}

/// True where a filter takes a value, also under another name of it.
fn takes(filter: &str, value: &str) -> bool {
    let is_alias = |(known, _): &(&str, &str)| *known == value.replace('-', "_");
    values_of(filter).contains(&value) || filter == "kind" && KINDS.iter().any(is_alias)
}

/// A value, the same without the ending of a plural, and what filters call it.
fn names_of(value: &str) -> Vec<String> {
    let value = value.to_lowercase().replace('_', "-");
    let mut names = vec![value.clone()];
    for ending in ["s", "es"] {
        if let Some(one) = value.strip_suffix(ending).filter(|one| !one.is_empty()) {
            names.push(one.to_owned());
        }
    }
    let everyday = |(said, _): &&(&str, &str)| names.iter().any(|name| name == said);
    let meant = EVERYDAY.iter().filter(everyday);
    let meant: Vec<String> = meant.map(|(_, value)| (*value).to_owned()).collect();
    names.extend(meant);
    names
}

/// The filters that `name:value` may have meant, the nearest first; empty where none is near.
pub(super) fn meant(name: &str, value: &str) -> Vec<String> {
    let names = names_of(value);
    // The filter that was written first.
    let others = FILTERS.into_iter().filter(|other| *other != name);
    let own = FILTERS.into_iter().filter(|other| *other == name);
    let filters: Vec<&str> = own.chain(others).collect();
    let mut found = Vec::new();
    let mut add = |filter: &str, value: &str| {
        let filter = format!("{filter}:{value}");
        if !found.contains(&filter) && found.len() < MOST {
            found.push(filter);
        }
    };
    for value in values_of(name) {
        let mut parts = value.split('-').filter(|_| value.contains('-'));
        if parts.any(|part| names.iter().any(|name| name == part)) {
            add(name, value);
        }
    }
    for filter in &filters {
        for own in names.iter().filter(|own| takes(filter, own)) {
            add(filter, own);
        }
    }
    // A value that is written wrongly is of the filter that it was written behind, or of another one.
    for filter in filters {
        if found.is_empty() {
            let known: Vec<String> = values_of(filter).into_iter().map(str::to_owned).collect();
            let near = similar(&names[0], &known);
            found.extend(near.into_iter().map(|value| format!("{filter}:{value}")));
        }
    }
    found
}

/// The filters that a name before a colon may have meant which is no filter: those that take it as a
/// value (`forks:>1` is `is:fork`).
pub(super) fn meant_by_name(name: &str) -> Vec<String> {
    let names = names_of(name);
    let mut found = Vec::new();
    for filter in FILTERS {
        for own in names.iter().filter(|own| takes(filter, own)) {
            found.push(format!("{filter}:{own}"));
        }
    }
    found.truncate(MOST);
    found
}

/// What is said of the filters meant, behind a reason; empty where there are none.
pub(super) fn told(meant: &[String]) -> String {
    match meant {
        [] => String::new(),
        [one] => format!("{one} is a similar filter; "),
        [first @ .., last] => {
            format!("{} and {last} are similar filters; ", first.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_leads_to_the_filter_that_has_it() {
        for (name, value, expected) in [
            ("kind", "refused", &["kind:rejected", "has:rejected"][..]),
            (
                "kind",
                "decision",
                &["kind:plan", "kind:rejected", "has:rejected"],
            ),
            ("kind", "fork", &["is:fork"]),
            ("has", "fork", &["is:fork"]),
            ("has", "forks", &["is:fork"]),
            ("has", "continuation", &["is:continuation"]),
            ("has", "todo", &["has:open-todo", "kind:todo"]),
            ("has", "plan", &["kind:plan"]),
            ("is", "rejected", &["has:rejected", "kind:rejected"]),
            ("is", "loop", &["flag:loop"]),
            ("has", "compation", &["has:compaction"]),
            ("kind", "subagnt", &["kind:subagent", "kind:subagent-start"]),
            ("kind", "xyzzy", &[]),
        ] {
            assert_eq!(meant(name, value), expected, "{name}:{value}");
        }
    }

    #[test]
    fn a_name_that_is_no_filter_leads_to_the_filter_that_has_it_as_a_value() {
        assert_eq!(meant_by_name("branches"), ["has:branch", "kind:branch"]);
        assert_eq!(meant_by_name("forks"), ["is:fork"]);
        assert_eq!(meant_by_name("fn"), [""; 0]);
    }
}
