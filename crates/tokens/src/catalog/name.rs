//! The many spellings of one model's id.

/// Prefixes under which other places offer a maker's models.
const PREFIXES: &[&str] = &[
    "us.",
    "eu.",
    "apac.",
    "jp.",
    "au.",
    "global.",
    "anthropic.",
    "openai.",
    "google.",
    "mistral.",
    "deepseek.",
    "xai.",
    "moonshot.",
    "zai.",
    "minimax.",
    "models.",
];

/// The spelling under which ids are compared: lower case, `-` for `.`.
pub(super) fn normal(id: &str) -> String {
    id.to_ascii_lowercase().replace(['.', '_'], "-")
}

/// The ids to look for, most literal first.
pub(super) fn candidates(model: &str) -> Vec<String> {
    let mut forms = Vec::new();
    let mut add = |form: &str| {
        let form = normal(form);
        if !form.is_empty() && !forms.contains(&form) {
            forms.push(form);
        }
    };
    let model = model.trim();
    // From here each step only shortens the id, so an entry of the catalog with a date or an
    // option in its own id is found before the one without.
    add(model);
    let mut rest = model.to_ascii_lowercase();
    if let Some((_, after)) = rest.rsplit_once('/') {
        rest = after.to_owned();
        add(&rest);
    }
    // In a loop, because prefixes are stacked: Bedrock has `us.anthropic.claude-...`.
    while let Some(after) = PREFIXES.iter().find_map(|prefix| rest.strip_prefix(prefix)) {
        rest = after.to_owned();
        add(&rest);
    }
    // OpenRouter's options (`:thinking`, `:free`) and Bedrock's `:0` come after the version and
    // the date, so they are cut first.
    if let Some((before, _)) = rest.split_once(':') {
        rest = before.to_owned();
        add(&rest);
    }
    while let Some(shorter) = without_suffix(&rest) {
        rest = shorter.to_owned();
        add(&rest);
    }
    forms
}

/// The id without one version, date or `latest` at its end.
fn without_suffix(id: &str) -> Option<&str> {
    let cut = |at: usize| Some(&id[..at]).filter(|rest| !rest.is_empty());
    let (at, last) = id
        .char_indices()
        .rev()
        // Vertex AI separates the date by `@`.
        .find(|(_, c)| matches!(c, '-' | '@'))
        .map(|(at, _)| (at, &id[at + 1..]))?;
    let digits =
        |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    if matches!(last, "latest" | "v1" | "v2" | "thinking") || digits(last, 8) {
        return cut(at);
    }
    // A date such as 2025-08-07.
    let date = id.get(id.len().checked_sub(11)?..)?;
    let parts: Vec<&str> = date.split('-').collect();
    match parts.as_slice() {
        ["", year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2) => {
            cut(id.len() - 11)
        }
        _ => None,
    }
}

/// True when `id`, in normal spelling, is one of a model's other ids.
pub(super) fn is_alias(aliases: &[String], id: &str) -> bool {
    aliases.iter().any(|alias| {
        let alias = normal(alias);
        match alias.strip_suffix('*') {
            Some(start) => id.starts_with(start),
            None => alias == id,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_id_comes_first_and_the_barest_last() {
        assert_eq!(
            candidates("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
            [
                "us-anthropic-claude-sonnet-4-5-20250929-v1:0",
                "anthropic-claude-sonnet-4-5-20250929-v1:0",
                "claude-sonnet-4-5-20250929-v1:0",
                "claude-sonnet-4-5-20250929-v1",
                "claude-sonnet-4-5-20250929",
                "claude-sonnet-4-5",
            ]
        );
        assert_eq!(
            candidates("openai/GPT-5-2025-08-07").last().unwrap(),
            "gpt-5"
        );
        assert_eq!(
            candidates("claude-opus-4-5@20251101").last().unwrap(),
            "claude-opus-4-5"
        );
    }

    #[test]
    fn nothing_is_cut_to_nothing() {
        assert!(candidates("").is_empty());
        assert_eq!(candidates("-20250929"), ["-20250929"]);
        assert_eq!(candidates("x"), ["x"]);
    }
}
