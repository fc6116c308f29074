//! The examples of `docs/ledger.md`: each is a conversation, its summary, and what the ledger says.

use crate::conversation::Conversation;
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::{FactKind, FactStatus, Ledger};
use palimpsest_ledger::measures::{Amount, Measured, MeasuredBy, measure, stability};
use palimpsest_ledger::{LedgerInput, Span, build};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ledger.md");

/// The lines between the fences of an example.
fn examples(page: &str) -> Vec<Vec<&str>> {
    let mut all = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in page.lines() {
        match &mut open {
            None if line == "```example" => open = Some(Vec::new()),
            Some(_) if line == "```" => all.extend(open.take()),
            Some(lines) => lines.push(line),
            None => {}
        }
    }
    all
}

/// The rest of a line behind its sign, with `\n` as a line end.
fn text_of(line: &str, sign: &str) -> Option<String> {
    line.strip_prefix(sign)
        .map(|text| text.replace("\\n", "\n"))
}

fn kind(word: &str) -> FactKind {
    let word = match word {
        "request" => "user_request",
        "file" => "path",
        other => other,
    };
    serde_json::from_value(word.into()).unwrap_or_else(|_| panic!("'{word}' is no kind"))
}

fn status(word: &str) -> FactStatus {
    let word = match word {
        "reworded" => "mentioned",
        other => other,
    };
    serde_json::from_value(word.into()).unwrap_or_else(|_| panic!("'{word}' is no status"))
}

/// A line of the example as an addition to a conversation; `None` for another line.
fn added(talk: Conversation, line: &str) -> Result<Conversation, Conversation> {
    if let Some(text) = text_of(line, "user: ") {
        return Ok(talk.user(&text));
    }
    if let Some(text) = text_of(line, "assistant: ") {
        return Ok(talk.assistant(&text));
    }
    for tool in ["read", "edit", "bash"] {
        if let Some(text) = text_of(line, &format!("{tool}: ")) {
            let (what, output) = text.split_once(" => ").unwrap_or((&text, ""));
            return Ok(match tool {
                "read" => talk.read(what, output),
                "edit" => talk.edit(what, "old", "new"),
                _ => talk.bash(what, output),
            });
        }
    }
    if let Some(text) = text_of(line, "todo: ") {
        let task = serde_json::json!({ "content": text, "status": "pending", "activeForm": text });
        let arguments = serde_json::json!({ "todos": [task] });
        return Ok(talk.tool("TodoWrite", arguments, "ok", false));
    }
    if let Some(text) = text_of(line, "failed: ") {
        let (what, output) = text.split_once(" => ").unwrap_or((&text, ""));
        let arguments = serde_json::json!({ "command": what });
        return Ok(talk.tool("bash", arguments, output, true));
    }
    Err(talk)
}

struct Case {
    ledger: Ledger,
    figures: Vec<Measured>,
    claims: Vec<String>,
}

fn case(lines: &[&str]) -> Case {
    let mut span = Conversation::starting_at(0);
    let mut tail = Conversation::starting_at(1_000);
    let mut later = Conversation::starting_at(2_000);
    let (mut summary, mut claims) = (String::new(), Vec::new());
    let (mut headings, mut runs) = (Vec::new(), Vec::new());
    for line in lines {
        if let Some(text) = text_of(line, "summary: ") {
            summary = text;
        } else if let Some(text) = text_of(line, "headings: ") {
            headings = text.split(", ").map(str::to_owned).collect();
        } else if let Some(text) = text_of(line, "run: ") {
            runs.push(text);
        } else if let Some(rest) = line.strip_prefix("kept ") {
            tail = added(tail, rest).unwrap_or_else(|_| panic!("not understood: {line}"));
        } else if let Some(rest) = line.strip_prefix("later ") {
            later = added(later, rest).unwrap_or_else(|_| panic!("not understood: {line}"));
        } else {
            span = match added(span, line) {
                Ok(grown) => grown,
                Err(same) => {
                    claims.push((*line).to_owned());
                    same
                }
            };
        }
    }
    let (span, tail, later) = (span.items(), tail.items(), later.items());
    let input = LedgerInput {
        span: Span { items: &span },
        span_tokens: None,
        summary: &summary,
        previous_summary: None,
        instructions: None,
        kept_tail: Span { items: &tail },
        later: Span { items: &later },
        by_model: &[],
    };
    let ledger = build(&input);
    let by = MeasuredBy {
        headings: &headings,
        listed: None,
    };
    let mut figures = measure(&input, &ledger, by);
    let runs: Vec<&str> = runs.iter().map(String::as_str).collect();
    figures.push(stability(&runs));
    Case {
        ledger,
        figures,
        claims,
    }
}

/// A value as the page writes it.
fn written(amount: Amount) -> String {
    match amount {
        Amount::Share(share) => format!("{:.0} %", 100.0 * share),
        Amount::Of(part, whole) => format!("{part} of {whole}"),
        Amount::Count(count) | Amount::Tokens(count) | Amount::Millis(count) => count.to_string(),
        Amount::Number(number) => format!("{number:.1}"),
        Amount::Usd(cost) => format!("${cost}"),
    }
}

/// Checks `D2 "Files" is 1 of 3` and `D5 is not measured`.
fn check_figure(case: &Case, figure: &Measured, claim: &str) {
    let Some((name, rest)) = claim
        .split_once(" \"")
        .and_then(|(_, rest)| rest.split_once('"'))
    else {
        assert!(
            claim.ends_with(" is not measured"),
            "not understood: {claim}"
        );
        assert!(figure.absent.is_some(), "{claim}: {figure:?}");
        return;
    };
    let value = figure.values.iter().find(|value| value.name == name);
    let value = value.unwrap_or_else(|| panic!("{claim}: {figure:?} of {:?}", case.ledger.facts));
    assert_eq!(
        written(value.amount),
        rest.trim_start_matches(" is "),
        "{claim}: {figure:?}"
    );
}

/// Checks `-> KIND "TEXT" is STATUS, NOTE`, `-> introduced "TEXT"` and claims of figures.
fn check(case: &Case, claim: &str) {
    let claim = claim
        .strip_prefix("-> ")
        .unwrap_or_else(|| panic!("not understood: {claim}"));
    let code = claim.split(' ').next().unwrap_or_default();
    if let Some(figure) = case.figures.iter().find(|own| own.figure.code() == code) {
        return check_figure(case, figure, claim);
    }
    let (what, rest) = claim
        .split_once(" \"")
        .unwrap_or_else(|| panic!("no text: {claim}"));
    let (text, rest) = rest
        .rsplit_once('"')
        .unwrap_or_else(|| panic!("no end: {claim}"));
    let all: Vec<String> = case
        .ledger
        .facts
        .iter()
        .map(|fact| format!("{:?} {:?} {:?}", fact.kind, fact.text, fact.status))
        .collect();
    if what == "introduced" {
        let added = &case.ledger.introduced;
        assert!(
            added.iter().any(|own| own.text == text),
            "{claim}: {added:?}"
        );
        return;
    }
    let kind = kind(what);
    let mut fitting = case.ledger.facts.iter();
    let fact = fitting.find(|fact| fact.kind == kind && fact.text.trim_end_matches('.') == text);
    let fact = fact.unwrap_or_else(|| panic!("{claim}: not among {all:#?}"));
    let mut notes = rest.trim_start_matches(" is ").split(", ");
    assert_eq!(
        fact.status,
        status(notes.next().unwrap_or_default()),
        "{claim}: {fact:?}"
    );
    for note in notes {
        let holds = match note {
            "needed later" => !fact.needed_later.is_empty(),
            "not needed later" => fact.needed_later.is_empty(),
            "in the kept tail" => fact.in_kept_tail,
            role @ ("edited" | "read" | "searched" | "named" | "open" | "closed") => {
                let file = fact.details.file_role.map(|role| format!("{role:?}"));
                let task = fact.details.task.map(|task| format!("{task:?}"));
                file.or(task).is_some_and(|own| own.to_lowercase() == role)
            }
            other => panic!("'{other}' is no note"),
        };
        assert!(holds, "{claim}: {fact:?}");
    }
}

#[test]
fn the_page_says_what_the_ledger_does() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let all = examples(&page);
    assert!(all.len() >= 12, "the page has {} examples", all.len());
    for lines in &all {
        let case = case(lines);
        assert!(!case.claims.is_empty(), "nothing is claimed: {lines:?}");
        case.claims.iter().for_each(|claim| check(&case, claim));
    }
}

/// The page defines every figure in the words of the program.
#[test]
fn the_page_has_every_figure() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let page: Vec<&str> = page.split_whitespace().collect();
    let page = page.join(" ");
    for figure in Figure::ALL {
        let title = format!("{} {}", figure.code(), figure.title());
        assert!(page.contains(&title), "no heading '{title}'");
        assert!(
            page.contains(&format!("{} {}", figure.definition(), figure.reading())),
            "{title}: {}",
            figure.definition()
        );
    }
}
