//! The filters that words of a search may have meant (`open todo`, `model changed`, `open-todo`,
//! `rejected`), where these find something.

use super::taken::{Change, Finds, Taken};
use super::values::{kind, state_of};

/// The first filter that words mean, in place of them: two words next to each other, else one that is
/// the name of a kind with several parts or of what became of a record, which its text rarely says.
pub(super) fn kinds_meant<E>(
    text: &str,
    mut finds: impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Vec<Change>, E> {
    let Some(taken) = Taken::apart(text) else {
        return Ok(Vec::new());
    };
    let pairs = taken.pieces.windows(2).enumerate();
    let pairs = pairs.filter_map(|(at, pair)| Some((at, 2, of_pair(pair[0], pair[1])?)));
    let single = taken.pieces.iter().enumerate();
    let single = single.filter_map(|(at, piece)| Some((at, 1, of_word(piece)?)));
    for (at, count, filter) in pairs.chain(single) {
        // Two kinds mean either, so another one would find more than both.
        let is_kind = |piece: &str| piece.to_lowercase().starts_with("kind:");
        let mut pieces: Vec<&str> = Vec::new();
        let mut replaced: Vec<&str> = Vec::new();
        for (own, piece) in taken.pieces.iter().enumerate() {
            let is_meant = (at..at + count).contains(&own);
            if own == at {
                pieces.push(&filter);
            } else if !is_meant && !is_kind(piece) {
                pieces.push(piece);
            }
            if is_meant || is_kind(piece) {
                replaced.push(piece);
            }
        }
        let query = pieces.join(" ");
        if let Some(found) = finds(&query)?.filter(|found| !found.nothing()) {
            return Ok(vec![Change {
                piece: replaced.join(" "),
                instead: Some(filter),
                query,
                total: found.total(),
            }]);
        }
    }
    Ok(Vec::new())
}

/// The filter that two words mean.
fn of_pair(first: &str, second: &str) -> Option<String> {
    let is_word = |piece: &str| piece.chars().all(char::is_alphabetic);
    if !is_word(first) || !is_word(second) {
        return None;
    }
    let lower = [first.to_lowercase(), second.to_lowercase()];
    let is_taken = matches!(&*lower[0], "taken" | "took" | "take") && lower[1] == "back";
    if is_taken || lower == ["edited", "turn"] {
        return Some("kind:undone".to_owned());
    }
    // "changed" is of "change".
    let forms = [second, second.strip_suffix('d').unwrap_or(second)];
    let named = |own: &&str| kind(&format!("{first}_{own}")).is_ok();
    let own = forms.into_iter().find(named)?;
    Some(format!("kind:{first}-{own}").to_lowercase())
}

/// The filter that one word means.
fn of_word(piece: &str) -> Option<String> {
    let name = piece.to_lowercase().replace('_', "-");
    let mut parts = name.split('-');
    let is_word = parts.all(|part| !part.is_empty() && part.chars().all(char::is_alphabetic));
    if !is_word {
        return None;
    }
    if name.contains('-') && kind(&name).is_ok() {
        return Some(format!("kind:{name}"));
    }
    state_of(&name).map(|state| format!("kind:{}", state.replace('_', "-")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn words_that_name_a_kind_lead_to_its_filter() {
        let meant = |query: &str| {
            let finds = |query: &str| {
                let count = u64::from(query.contains("kind:"));
                Ok::<_, Infallible>(Some(Finds::Count(count)))
            };
            let Ok(found) = kinds_meant(query, finds);
            found
                .into_iter()
                .map(|change| change.query)
                .collect::<Vec<_>>()
        };
        assert_eq!(meant("open todos"), ["kind:open-todos"]);
        assert_eq!(meant("model changed sonnet"), ["kind:model-change sonnet"]);
        assert_eq!(meant("Taken back tests"), ["kind:undone tests"]);
        assert_eq!(meant("which Failed test"), ["which kind:failed-test"]);
        assert_eq!(meant("open door"), [""; 0]);
        assert_eq!(meant("-open door"), [""; 0]);
        assert_eq!(meant("open-todo"), ["kind:open-todo"]);
        assert_eq!(meant("which failed_tests"), ["which kind:failed-tests"]);
        assert_eq!(meant("edit rejected"), ["edit kind:rejected"]);
        assert_eq!(meant("tool_result"), ["kind:tool-result"]);
        assert_eq!(meant("screenshot terminal"), ["kind:image terminal"]);
        assert_eq!(
            meant("agent:pi kind:user screenshot"),
            ["agent:pi kind:image"]
        );
        assert_eq!(meant("subagents"), ["kind:subagent-start"]);
        assert_eq!(meant("user label"), [""; 0]);
        assert_eq!(meant("-rejected kind:undone \"undone\""), [""; 0]);
    }
}
