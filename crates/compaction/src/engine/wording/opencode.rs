//! OpenCode: the JavaScript in its program (1.18.33). The function `buildPrompt` of the module
//! `SessionCompaction` joins the request behind the conversation; the agent `compaction` names its
//! system prompt.

use super::frame::{Part, Raw};
use super::js::Literals;

const BUILD: &str = "buildPrompt:()=>";
const MODULE: &str = "SessionCompaction";
const AGENT: &str = "name:\"compaction\"";
pub(super) const ANCHORS: &[&str] = &[BUILD, AGENT];

/// Bytes behind the beginning of a function in which its lists stand.
const FUNCTION: usize = 4 << 10;
/// Bytes of the description of an agent.
const DESCRIPTION: usize = 400;

pub(super) fn read(pieces: &[Vec<u8>]) -> Vec<Raw> {
    let mut found = Vec::new();
    for piece in pieces {
        let source = String::from_utf8_lossy(piece);
        let literals = Literals::of(&source);
        found.extend(requests(&literals));
        found.extend(system(&literals));
    }
    found
}

fn requests(literals: &Literals<'_>) -> Vec<Raw> {
    let source = literals.source();
    let mut found = Vec::new();
    for (at, _) in source.match_indices(BUILD) {
        let name = word(&source[at + BUILD.len()..]);
        // Another module can have a function of this name.
        let export = &source[at..end(source, at, DESCRIPTION)];
        let begins = [format!("{name}=("), format!("{name}=function")];
        let begins = begins.iter().find_map(|own| {
            let own = source[at..].find(own.as_str())?;
            Some(at + own)
        });
        let (true, false, Some(begins)) = (export.contains(MODULE), name.is_empty(), begins) else {
            continue;
        };
        for (items, between) in literals.joined(begins..end(source, begins, FUNCTION)) {
            // The conversation and an earlier summary come first, and are no texts.
            let dynamic = items.iter().take_while(|item| item.is_none()).count();
            let request: Option<Vec<String>> = items[dynamic..].iter().cloned().collect();
            let place = match dynamic {
                1 => "first",
                2 => "update",
                _ => continue,
            };
            if let Some(request) = request.filter(|request| !request.is_empty()) {
                found.push(Raw {
                    strategy: "opencode".to_owned(),
                    place,
                    setting: format!("{MODULE}.buildPrompt"),
                    words: request.join(&between),
                    part: Part::Request,
                });
            }
        }
    }
    found
}

fn system(literals: &Literals<'_>) -> Option<Raw> {
    let source = literals.source();
    let at = source.find(AGENT)?;
    let about = &source[at..end(source, at, DESCRIPTION)];
    let named = about.find("prompt:").map(|at| at + "prompt:".len())?;
    Some(Raw {
        strategy: "opencode".to_owned(),
        place: "system",
        setting: "agent.compaction.prompt".to_owned(),
        words: literals.named(word(&about[named..]), at)?,
        part: Part::Whole,
    })
}

/// The name that `source` begins with.
fn word(source: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    &source[..source.find(|c| !is_name(c)).unwrap_or(source.len())]
}

/// The place `length` bytes behind `at`, between two characters.
fn end(source: &str, at: usize, length: usize) -> usize {
    let mut end = (at + length).min(source.len());
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    end
}
