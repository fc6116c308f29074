//! Reading the JSON object in a reply.

use serde::de::DeserializeOwned;

/// Why a reply is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// There is no JSON object in it.
    #[error("the reply is not the JSON object that was asked for ({0})")]
    NoJson(String),
    /// A reply is missing.
    #[error("the reply to call {0} is missing")]
    Missing(usize),
}

/// Characters of an error message of the parser.
const MOST_REASON: usize = 160;

/// The object in a reply. Models put it into a code fence or a sentence around it; of such a reply
/// what stands between the first and the last brace counts.
pub(crate) fn read<T: DeserializeOwned>(reply: &str) -> Result<T, ReplyError> {
    let start = reply.find('{');
    let end = reply.rfind('}');
    let (Some(start), Some(end)) = (start, end) else {
        return Err(ReplyError::NoJson("it has no braces".to_owned()));
    };
    if end < start {
        return Err(ReplyError::NoJson("its braces do not match".to_owned()));
    }
    serde_json::from_str(&reply[start..=end]).map_err(|error| {
        let reason: String = error.to_string().chars().take(MOST_REASON).collect();
        ReplyError::NoJson(reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct One {
        a: u64,
    }

    #[test]
    fn an_object_is_read_with_what_models_put_around_it() {
        for reply in [
            "{\"a\": 1}",
            "```json\n{\"a\": 1}\n```",
            "Here it is: {\"a\": 1}.",
        ] {
            assert_eq!(read::<One>(reply), Ok(One { a: 1 }), "{reply}");
        }
    }

    #[test]
    fn other_replies_are_refused_with_the_reason() {
        for reply in ["", "I cannot.", "}{", "{\"a\": ", "{\"b\": 1}", "[1]"] {
            assert!(
                matches!(read::<One>(reply), Err(ReplyError::NoJson(_))),
                "{reply}"
            );
        }
    }
}
