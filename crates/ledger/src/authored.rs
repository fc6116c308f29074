//! Texts that the model leaves with its work: messages of commits, replies to comments, descriptions
//! of pull requests. What stands there was chosen or found out.

use crate::candidate::{Registry, Standing, role_weight};
use crate::sentence::Sentence;
use crate::span::{Call, Part};
use crate::told::{self, Voice};
use crate::words::sentence_key;
use crate::{asides, commands, files, prose, reports, scripts, statements, under, words};
use palimpsest_core::ledger::{FactKind, TaskState};

/// Longest item, in bytes, that is one fact.
const MAX_ITEM_BYTES: usize = 400;

/// Most facts taken from one call.
const MAX_PER_CALL: usize = 30;

/// How a reply tells what came of a comment.
#[rustfmt::skip]
const VERDICTS: &[&str] = &[
    "fixed", "already fixed", "won't fix", "wont fix", "addressed", "reconsidered", "intentional",
    "by design", "acknowledged", "out of scope", "not changing", "leaving", "keeping", "resolved",
    "deferred", "agreed", "not an issue", "false positive", "works as",
];

/// Lines that tools add behind the message of a commit.
fn is_trailer(line: &str) -> bool {
    let name = line.split_once(": ").map_or("", |(name, _)| name);
    name.contains('-') && !name.contains(' ') && name.starts_with(|c: char| c.is_ascii_uppercase())
        || line.contains("Generated with")
        || matches!(name, "Refs" | "Closes" | "Fixes" | "Issue" | "Bug")
}

/// What a line of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    Paragraph,
    Listed,
    /// A box to tick.
    Task(TaskState),
}

/// The paragraphs and items of a text, each on one line; headings, trailers and code are left out.
fn items(text: &str) -> Vec<(String, Item)> {
    let mut out: Vec<(String, Item)> = Vec::new();
    let mut open = false;
    for range in words::prose(text) {
        for line in words::lines(&text[range.clone()]) {
            let line = text[range.start + line.start..range.start + line.end].trim();
            let bullet = ["- ", "* ", "• "]
                .iter()
                .find_map(|mark| line.strip_prefix(mark));
            let numbered = line.split_once(['.', ')']).and_then(|(number, rest)| {
                let counts = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
                rest.strip_prefix(' ').filter(|_| counts)
            });
            if let Some(item) = bullet.or(numbered) {
                let open_box = item
                    .strip_prefix("[ ] ")
                    .map(|rest| (rest, TaskState::Open));
                let ticked = item
                    .strip_prefix("[x] ")
                    .map(|rest| (rest, TaskState::Closed));
                out.push(match open_box.or(ticked) {
                    Some((rest, state)) => (rest.to_owned(), Item::Task(state)),
                    None => (item.to_owned(), Item::Listed),
                });
                open = true;
            } else if line.is_empty() || line.starts_with('#') || is_trailer(line) {
                open = false;
            } else if let Some((last, _)) = out.last_mut().filter(|_| open) {
                last.push(' ');
                last.push_str(line);
            } else {
                out.push((line.to_owned(), Item::Paragraph));
                open = true;
            }
        }
    }
    out
}

/// True for a reply that begins with what came of a comment.
pub(crate) fn is_verdict(text: &str) -> bool {
    let lower = text.trim_start().to_lowercase().replace('’', "'");
    VERDICTS.iter().any(|verdict| lower.starts_with(verdict))
}

/// The texts of replies and descriptions that a call writes.
pub(crate) fn bodies(part: &Part<'_>, call: &Call<'_>) -> Vec<String> {
    let Some(script) = call
        .script
        .as_deref()
        .filter(|_| part.text.contains("body"))
    else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for step in scripts::steps(script) {
        let text = step.text(script);
        if commands::words_of(text).first() == Some(&"gh") {
            let document = step.document.clone().and_then(|range| script.get(range));
            out.extend(document.map(str::to_owned).or_else(|| option(text, BODY)));
        }
    }
    out
}

/// The options behind which `gh` takes a text.
const BODY: &[&str] = &["body=", "--body ", "--body=", " -b "];

/// Reads what a call writes for people.
pub(crate) fn read(registry: &mut Registry, part: &Part<'_>, call: &Call<'_>) {
    let mut left = MAX_PER_CALL;
    match &call.script {
        Some(script) => {
            for step in scripts::steps(script) {
                let text = step.text(script);
                let command = commands::words_of(text);
                let document = step.document.clone().and_then(|range| script.get(range));
                match (command.first().copied(), command.get(1).copied()) {
                    (Some("git"), Some("commit")) => {
                        for message in messages(text, document) {
                            commit(registry, part, &message, &mut left);
                        }
                    }
                    (Some("gh"), Some("api" | "pr" | "issue")) => {
                        let body = option(text, BODY);
                        if let Some(body) = document.map(str::to_owned).or(body) {
                            reply(registry, part, &body, &mut left);
                        }
                    }
                    _ => {}
                }
                if let Some(title) = filed(&command, text) {
                    note(registry, part, &title, FactKind::Todo, &mut left);
                }
            }
        }
        None => {
            let name = call.tool.to_ascii_lowercase();
            let writes = ["comment", "reply", "issue", "pull_request", "review"]
                .iter()
                .any(|word| name.contains(word));
            let asks = reports::asks_subagent(&name);
            if !writes && !asks {
                return;
            }
            let Ok(serde_json::Value::Object(map)) = serde_json::from_str(part.text) else {
                return;
            };
            let of = |keys: &[&str]| {
                let mut keys = keys.iter();
                keys.find_map(|key| map.get(*key)?.as_str())
            };
            if asks {
                if let Some(body) = of(&["prompt", "task", "instructions"]) {
                    prompt(registry, part, body);
                }
                return;
            }
            if let Some(title) =
                of(&["title"]).filter(|title| words::content_words(title).len() >= 3)
            {
                note(registry, part, title, FactKind::Finding, &mut left);
            }
            if let Some(body) = of(&["body", "comment", "description"]) {
                reply(registry, part, body, &mut left);
            }
        }
    }
}

/// The title of an issue that a command of a tracker files: something to do.
fn filed(command: &[&str], text: &str) -> Option<String> {
    let titled = |names: &[&str]| option(text, names);
    let title = match command {
        [
            "gh" | "glab" | "jira" | "tea",
            "issue",
            "create" | "new",
            ..,
        ] => titled(&["--title ", "--title=", " -t ", " -s ", "--summary "]),
        ["bd" | "br" | "td", "create" | "add" | "q", ..] => titled(&["create ", "add ", " q "]),
        _ => None,
    }?;
    (words::content_words(&title).len() >= 3).then_some(title)
}

/// The bodies of a commit's message, without its first line.
fn messages(text: &str, document: Option<&str>) -> Vec<String> {
    if let Some(document) = document {
        let body = document.trim_start().split_once('\n').map(|(_, body)| body);
        return body.map(str::to_owned).into_iter().collect();
    }
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(" -m ") {
        at += found + 4;
        out.extend(quoted(&text[at..]));
    }
    let first = if out.is_empty() {
        option(text, &[" -am ", "--message ", "--message="])
    } else {
        Some(out.remove(0))
    };
    if let Some((_, body)) = first.as_deref().and_then(|first| first.split_once('\n')) {
        out.insert(0, body.to_owned());
    }
    out
}

/// The quoted value behind the first of `names`.
fn option(text: &str, names: &[&str]) -> Option<String> {
    let at = names
        .iter()
        .filter_map(|name| text.find(name).map(|at| at + name.len()))
        .min()?;
    quoted(&text[at..])
}

/// A quoted text at the beginning, with what a shell takes off in double quotes.
fn quoted(text: &str) -> Option<String> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut out = String::new();
    let mut chars = text[1..].chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == '"' => out.extend(chars.next()),
            c if c == quote => break,
            c => out.push(c),
        }
    }
    (!out.starts_with("$(")).then_some(out)
}

/// Each item of a commit's message is something that was chosen; sentences are judged.
fn commit(registry: &mut Registry, part: &Part<'_>, body: &str, left: &mut usize) {
    for (text, item) in items(body) {
        if item != Item::Paragraph && words::content_words(&text).len() >= 3 {
            note(registry, part, &text, FactKind::Decision, left);
        } else {
            sentences(registry, part, &text, left);
        }
    }
}

/// A reply begins with its verdict; of a longer text the items that report changes count, and boxes are
/// things to do.
fn reply(registry: &mut Registry, part: &Part<'_>, body: &str, left: &mut usize) {
    for (text, item) in items(body) {
        if let Item::Task(state) = item {
            if words::content_words(&text).len() >= 2
                && let Some(index) = note(registry, part, &text, FactKind::Todo, left)
            {
                registry.facts[index].details.task = Some(state);
            }
        } else if is_verdict(&text) {
            let index = note(registry, part, &text, FactKind::Decision, left);
            if names_its_commit(&text) {
                lighten(registry, index, TOLD_BY_COMMIT);
            }
        } else if item == Item::Listed && words::content_words(&text).len() >= 3 {
            // What is described in an issue was found out, and what is changed was chosen.
            let kind = if orders_change(&text) {
                FactKind::Decision
            } else {
                FactKind::Finding
            };
            note(registry, part, &text, kind, left);
        } else {
            sentences(registry, part, &text, left);
        }
    }
}

/// How many ranks lighter a reply is that names the commit which tells the same.
const TOLD_BY_COMMIT: i32 = 2;

/// True for a reply that begins with the commit that did it ("Fixed in 1a2b3c4d").
fn names_its_commit(text: &str) -> bool {
    let words = text.split_whitespace().skip(1).take(2);
    let is_hash = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        (7..=40).contains(&bare.len())
            && bare.bytes().all(|b| b.is_ascii_hexdigit())
            && bare.bytes().any(|b| b.is_ascii_digit())
    };
    words.into_iter().any(is_hash)
}

/// How many ranks lighter a step is that a subagent was asked to take: its edits tell what came of it.
const ASKED: i32 = 2;

/// Makes a fact lighter that nothing else told before.
fn lighten(registry: &mut Registry, index: Option<usize>, ranks: i32) {
    if let Some(fact) = index.and_then(|index| registry.facts.get_mut(index))
        && fact.count == 1
    {
        fact.lighter += ranks;
    }
}

/// Most facts taken from what a subagent is asked.
const MAX_PER_PROMPT: usize = 12;

/// What a subagent is asked: the items of its lists that ask for changes were chosen.
fn prompt(registry: &mut Registry, part: &Part<'_>, body: &str) {
    let mut left = MAX_PER_PROMPT;
    for (text, item) in items(body) {
        let chosen = item != Item::Paragraph
            && words::content_words(&text).len() >= 3
            && orders_change(text.trim_start_matches('*'));
        if chosen {
            let index = note(registry, part, &text, FactKind::Decision, &mut left);
            lighten(registry, index, ASKED);
        } else {
            sentences(registry, part, &text, &mut left);
        }
    }
}

/// True for an item that begins with the verb of a change or of an order.
fn orders_change(text: &str) -> bool {
    let first = prose::spaced(text);
    let first = first.split_whitespace().next().unwrap_or_default();
    statements::reports_change(&Sentence::of(text))
        || prose::is_imperative(first)
            && !under::looks_first(text)
            && !text.trim_end().ends_with('?')
}

fn sentences(registry: &mut Registry, part: &Part<'_>, text: &str, left: &mut usize) {
    for range in prose::sentences_of(text, std::slice::from_ref(&(0..text.len()))) {
        let sentence = &text[range];
        if let Some(told) = told::judge(sentence, false, Voice::Written) {
            note(registry, part, sentence, told.kind, left);
        }
    }
}

fn note(
    registry: &mut Registry,
    part: &Part<'_>,
    text: &str,
    kind: FactKind,
    left: &mut usize,
) -> Option<usize> {
    // What leads up to a list says nothing by itself.
    if *left == 0 || text.trim_end().ends_with(':') || asides::is_inventory(text) {
        return None;
    }
    *left -= 1;
    let text = &text[..words::floor_boundary(text, MAX_ITEM_BYTES)];
    let content = words::content_words(text);
    let told = |kind| matches!(kind, FactKind::Decision | FactKind::Finding);
    let index = match registry.said_before(part.item, &content) {
        Some(index) if told(registry.facts[index].kind) && told(kind) => {
            registry.reword(index, text);
            index
        }
        _ => {
            let index = registry.note(kind, sentence_key(text), text);
            registry.remember(index, part.item, content);
            index
        }
    };
    // Wrapped lines are found by their beginning.
    let shown = &text[..words::floor_boundary(text, 40)];
    let place = files::place_of(part, shown.trim_end());
    registry.place(index, part, place, role_weight::EDIT, Standing::Noticed);
    Some(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::PartKind;
    use palimpsest_core::EntryIx;

    fn facts(script: &str) -> Vec<(FactKind, String)> {
        let arguments = serde_json::json!({ "command": script }).to_string();
        let part = Part {
            item: 0,
            entry: EntryIx::new(0),
            message: 0,
            block: 0,
            kind: PartKind::ToolCall,
            text: &arguments,
            base: 0,
            tool: Some("Bash"),
            call_id: Some("c"),
            is_error: false,
        };
        let mut registry = Registry::default();
        read(&mut registry, &part, &Call::read(&part));
        registry
            .facts
            .into_iter()
            .map(|fact| (fact.kind, fact.text))
            .collect()
    }

    #[test]
    fn items_of_a_commit_are_choices() {
        let script = "git add -A && git commit -m \"$(cat <<'EOF'\nfix(rows): take the newest\n\n\
                      - Sort rows by their end instead of their start\n  to match the index\n\
                      - Drop the unused column `hint`\n\nCo-Authored-By: Somebody <a@b.c>\nEOF\n)\"";
        assert_eq!(
            facts(script),
            [
                (
                    FactKind::Decision,
                    "Sort rows by their end instead of their start to match the index".to_owned()
                ),
                (
                    FactKind::Decision,
                    "Drop the unused column `hint`".to_owned()
                ),
            ]
        );
        assert_eq!(facts("git commit -m 'feat: rows'"), []);
    }

    #[test]
    fn replies_tell_what_came_of_a_comment() {
        let script = "gh api repos/a/b/pulls/7/comments/9/replies -f body=\"Won't fix - the copy is \
                      needed for undo. Thanks!\"";
        assert_eq!(
            facts(script),
            [(
                FactKind::Decision,
                "Won't fix - the copy is needed for undo. Thanks!".to_owned()
            )]
        );
        assert_eq!(facts("gh pr view 7 --comments"), []);
    }

    #[test]
    fn what_a_subagent_is_to_look_at_is_no_choice() {
        for (item, is_choice) in [
            ("- Rename the column `hint` to `note`", true),
            (
                "- Read src/rows.rs to understand how rows are sorted",
                false,
            ),
            ("- Find all uses of `hint` in the reader", false),
        ] {
            assert_eq!(
                orders_change(item.trim_start_matches("- ")),
                is_choice,
                "for {item}"
            );
        }
    }

    #[test]
    fn boxes_of_a_description_are_things_to_do() {
        let script = "gh pr create --title 'Rows' --body \"$(cat <<'EOF'\n## Summary\n- Sort rows by their \
                      end instead of their start\n\n## Test plan\n- [ ] Open the old file by hand\n- [x] Run \
                      all tests\nEOF\n)\"";
        assert_eq!(
            facts(script)[1..],
            [
                (FactKind::Todo, "Open the old file by hand".to_owned()),
                (FactKind::Todo, "Run all tests".to_owned()),
            ]
        );
    }
}
