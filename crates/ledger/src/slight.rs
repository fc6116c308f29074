//! Sayings that tell little: without a name, a figure or a quotation, and short.

use crate::words;
use palimpsest_core::ledger::FactKind;

/// How many ranks lighter a saying is that tells little.
const SLIGHT: i32 = 2;

/// Most content words of such a saying of the user ("new comments"): about a third of the judged ones were
/// not worth a line, of longer ones a tenth.
const USER_WORDS: usize = 2;

/// Most content words of such a saying of the model. Of judged decisions, findings and things to do that
/// name nothing, 20 of 35 were worth a line, of those that do 78 of 90.
const MODEL_WORDS: usize = 8;

/// How many ranks lighter than its kind the saying is.
///
/// `by_user`: who said it. A short answer of the user tells as much as its question (`answers`).
pub(crate) fn ranks(kind: FactKind, text: &str, by_user: bool, answers: bool) -> i32 {
    let most = match kind {
        FactKind::UserRequest if by_user && !answers => USER_WORDS,
        FactKind::Decision | FactKind::Finding | FactKind::Todo if !by_user => MODEL_WORDS,
        _ => return 0,
    };
    if !is_specific(text) && words::content_words(text).len() <= most {
        SLIGHT
    } else {
        0
    }
}

/// True for a text with something that can be looked up: code, a path, a name in mixed case, a figure, a quotation.
pub(crate) fn is_specific(text: &str) -> bool {
    // What stands behind a colon is a list, a plan or a quotation.
    text.contains(['`', '/', '_', '"', '@', '#', ':'])
        || text.contains(" -")
        || text.bytes().any(|byte| byte.is_ascii_digit())
        || text.split(|c: char| !c.is_alphanumeric()).any(is_mixed)
}

/// True for `camelCase` and `ABC`, but not for `Word`.
fn is_mixed(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase)
}
