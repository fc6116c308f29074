//! A call that the user refused: agents write the decision as the call's result.

/// What the results of refused calls begin with.
const BEGINNINGS: [&str; 7] = [
    // Claude Code 1.0 to 2.1
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "User rejected tool use",
    // OpenCode 0.5 to 1.18
    "The user rejected permission to use this specific tool call",
    "The user has rejected permission to use this specific tool call",
    // Codex 0.1 to 0.169
    "exec command rejected by user",
    "patch rejected by user",
];
/// What stands before the user's words, where there are any.
const SAID: [&str; 3] = [
    "To tell you how to proceed, the user said:",
    "the user said:",
    "with the following feedback:",
];

/// The decision of the user not to allow a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejection {
    /// What the user said instead.
    pub said: Option<String>,
}

/// The user's refusal that the text of a result tells of.
pub fn rejection(text: &str) -> Option<Rejection> {
    let text = text.trim_start();
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let begins = |beginning: &&str| text.starts_with(*beginning);
    BEGINNINGS.iter().find(|beginning| begins(beginning))?;
    let words = SAID.iter().find_map(|mark| text.split_once(mark));
    let words = words.map(|(_, words)| words.trim().trim_matches('"'));
    Some(Rejection {
        said: words.filter(|words| !words.is_empty()).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_words_of_the_user() {
        let said = |text: &str| rejection(text).map(|own| own.said);
        assert_eq!(
            said(
                "The user doesn't want to proceed with this tool use. The tool use was rejected. \
                 To tell you how to proceed, the user said:\nuse the other file"
            ),
            Some(Some("use the other file".to_owned()))
        );
        assert_eq!(
            said("The user doesn't want to proceed with this tool use. STOP what you are doing."),
            Some(None)
        );
        assert_eq!(said("exec command rejected by user"), Some(None));
        assert_eq!(said("Exit code 1\nexec command rejected by user"), None);
        assert_eq!(said(""), None);
    }
}
