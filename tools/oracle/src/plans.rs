//! Cuts and prepared compactions against pi's.

use crate::contexts::line_of;
use crate::expected::{
    CompactionFacts, CutFacts, Expected, Part, Position, Prepared, Sent, TextFacts,
};
use crate::sha256;
use crate::tally::Case;
use palimpsest_compaction::pi::{BRANCH_INTRO, COMPACTION_INTRO, plain_cut, plan, should_compact};
use palimpsest_compaction::{
    Instructions, PiParams, Plan, PlanInput, PlanOutcome, PlannedCall, Purpose,
};
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Context, EntryIx};
use palimpsest_formats::InMemory;

/// pi's own words round summaries, taken from the reference, so that texts containing ours can be
/// compared by hash.
pub struct Wording {
    intros: Vec<(&'static str, String)>,
}

impl Wording {
    /// Finds pi's sentences among the messages it sent.
    pub fn learn(expected: &Expected) -> Wording {
        let only_text = |sent: &'_ Sent| match sent.parts.as_slice() {
            [Part::Text { text }] => Some(text.clone()),
            _ => None,
        };
        let texts: Vec<String> = expected.llm.iter().filter_map(only_text).collect();
        Wording::of_texts(texts.iter().map(String::as_str))
    }

    /// Finds pi's sentences among texts.
    pub fn of_texts<'t>(texts: impl Iterator<Item = &'t str>) -> Wording {
        let mut intros = Vec::new();
        for text in texts {
            let Some((sentence, rest)) = text.split_once("\n\n<summary>\n") else {
                continue;
            };
            if sentence.contains('\n') || !rest.ends_with("</summary>") {
                continue;
            }
            let ours = if rest.ends_with("\n</summary>") {
                COMPACTION_INTRO
            } else {
                BRANCH_INTRO
            };
            intros.push((ours, sentence.to_owned()));
        }
        Wording { intros }
    }

    /// `text` with pi's sentences in the place of ours.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (ours, theirs) in &self.intros {
            text = text.replace(
                &format!("{ours}\n\n<summary>\n"),
                &format!("{theirs}\n\n<summary>\n"),
            );
        }
        text
    }

    /// Compares one of our texts with pi's, by its hash.
    pub fn compare(&self, what: &str, ours: &str, theirs: &TextFacts, case: &mut Case) {
        let text = self.apply(ours);
        if sha256(text.as_bytes()) != theirs.sha256 {
            let detail = format!(
                "ours has {} UTF-16 units, pi's {}; ours begins {:?}",
                utf16_len(&text),
                theirs.chars,
                text.chars().take(200).collect::<String>()
            );
            case.differs(what, &detail);
        }
    }
}

/// The parameters of the release that made the reference.
fn params_of(version: &str) -> PiParams {
    match version {
        "0.87.1" => PiParams {
            nested_calls: true,
            ..PiParams::v0_87()
        },
        _ => PiParams::default(),
    }
}

/// Compares a compaction at one position with one pair of settings.
pub fn compare_plan(
    ours: &InMemory,
    context: &Context,
    position: &Position,
    facts: &CompactionFacts,
    wording: &Wording,
    version: &str,
) -> Case {
    let keep = facts.keep_recent_tokens;
    let mut case = Case::new(format!("plan at line {} keeping {keep}", position.line));
    let line = |ix: EntryIx| line_of(ours, ix);
    let cut = plain_cut(&ours.session, &context.path, keep);
    let plain = CutFacts {
        first_kept_line: context.path.get(cut.first_kept).map(|&ix| line(ix)),
        turn_start_line: cut.turn_start.map(|at| line(context.path[at])),
        is_split_turn: cut.turn_start.is_some(),
    };
    case.same("cut of the whole path", &plain, &facts.whole_path_cut);
    let tokens = context
        .reported
        .map_or(context.estimated, |size| size.tokens);
    for (window, theirs) in &facts.should_compact {
        let window = window.parse().unwrap_or(0);
        let should = should_compact(tokens, window, facts.reserve_tokens);
        case.same("trigger", &should, theirs);
    }
    let params = PiParams {
        keep_recent_tokens: keep,
        reserve_tokens: facts.reserve_tokens,
        ..params_of(version)
    };
    let messages =
        |item: &palimpsest_core::ContextItem| ours.format.item_message(&ours.session, item, ours);
    let input = PlanInput {
        session: &ours.session,
        context,
        messages: &messages,
        instructions: &Instructions::default(),
        vectors: None,
    };
    match (plan(&input, "pi", &params), &facts.prepared) {
        (Ok(PlanOutcome::Nothing { .. }), None) => {}
        (Ok(PlanOutcome::Compaction(plan)), Some(theirs)) => {
            compare_prepared(ours, &plan, theirs, wording, &mut case);
        }
        (Ok(PlanOutcome::Nothing { reason }), Some(_)) => {
            case.differs("plan", &format!("ours is nothing ({reason:?})"));
        }
        (Ok(PlanOutcome::Compaction(_)), None) => case.differs("plan", "pi has nothing to do"),
        (Err(error), _) => case.differs("plan", &error.to_string()),
    }
    case
}

fn compare_prepared(
    ours: &InMemory,
    plan: &Plan,
    theirs: &Prepared,
    wording: &Wording,
    case: &mut Case,
) {
    let line = |ix: EntryIx| line_of(ours, ix);
    let lines = |list: &[EntryIx]| list.iter().map(|&ix| line(ix)).collect::<Vec<u32>>();
    case.same(
        "first kept",
        &plan.first_kept.map(line),
        &theirs.first_kept_line,
    );
    case.same(
        "turn start",
        &plan.turn_start.map(line),
        &theirs.turn_start_line,
    );
    case.same("split", &plan.is_split_turn, &theirs.is_split_turn);
    case.same("tokens before", &plan.tokens_before, &theirs.tokens_before);
    case.same("history", &lines(&plan.summarized), &theirs.history_lines);
    case.same(
        "turn prefix",
        &lines(&plan.turn_prefix),
        &theirs.turn_prefix_lines,
    );
    case.same("files read", &plan.files.read, &theirs.read_files);
    case.same(
        "files modified",
        &plan.files.modified,
        &theirs.modified_files,
    );
    let previous = plan.previous_summary.as_deref();
    let hash = previous.map(|text| sha256(text.as_bytes()));
    let their_hash = theirs
        .previous_summary
        .as_ref()
        .map(|text| text.sha256.clone());
    case.same("previous summary", &hash, &their_hash);
    let text_of = |purpose: Purpose| {
        let mut calls = plan.calls.iter();
        calls
            .find(|call| call.purpose == purpose)
            .map_or("", PlannedCall::conversation)
    };
    wording.compare(
        "history text",
        text_of(Purpose::History),
        &theirs.history_text,
        case,
    );
    wording.compare(
        "prefix text",
        text_of(Purpose::TurnPrefix),
        &theirs.turn_prefix_text,
        case,
    );
}
