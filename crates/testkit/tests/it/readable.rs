//! The shipped samples, read and planned by the program itself: what the builder worked out and
//! what the reader and the planner work out must agree.

use palimpsest_compaction::{Instructions, PiParams, PlanInput, PlanOutcome, pi as pi_plan};
use palimpsest_core::{Agent, Block, ContextItem, EntryIx, EntryKind};
use palimpsest_formats::{InMemory, format_of};
use palimpsest_testkit::samples;
use palimpsest_tokens::{Catalog, Encoding, count_tokens};

fn read(name: &str) -> InMemory {
    let text = samples::play(name).expect("the scripts play").to_jsonl();
    let format = format_of(Agent::PI).expect("pi is built in");
    InMemory::read(format, name, text.into_bytes())
}

#[test]
fn every_line_is_an_entry_and_nothing_is_warned_about() {
    for name in samples::NAMES {
        let lines = samples::play(name).unwrap().to_jsonl().lines().count();
        let read = read(name);
        assert_eq!(read.session.warnings, [], "{name}");
        assert_eq!(read.session.entries.len(), lines - 1, "{name}");
        let opaque =
            |entry: &&palimpsest_core::Entry| matches!(entry.kind, EntryKind::Opaque { .. });
        assert_eq!(
            read.session
                .entries
                .iter()
                .find(opaque)
                .map(|entry| &entry.id),
            None,
            "{name}"
        );
        assert_eq!(read.tree.roots().len(), 1, "{name}");
    }
}

#[test]
fn the_catalog_knows_every_model_of_the_samples() {
    let catalog = Catalog::embedded();
    for name in samples::NAMES {
        for model in read(name)
            .session
            .entries
            .iter()
            .filter_map(|entry| entry.model.as_ref())
        {
            let found = catalog.find(Some(&model.provider), &model.model);
            assert!(
                found.is_some_and(|found| found.prices.is_some()),
                "{name}: {model:?}"
            );
        }
    }
}

#[test]
fn a_plan_before_each_compaction_cuts_where_the_sample_cuts() {
    let mut checked = 0;
    for name in samples::NAMES {
        let read = read(name);
        for ix in read.session.indices() {
            let EntryKind::Compaction(stored) = &read.session.entry(ix).kind else {
                continue;
            };
            let before = read.tree.parent(ix);
            let message = |item: &ContextItem| read.format.item_message(&read.session, item, &read);
            let outcome = pi_plan::plan(
                &PlanInput {
                    session: &read.session,
                    context: &read.context(before),
                    messages: &message,
                    instructions: &Instructions::default(),
                    vectors: None,
                },
                "pi",
                &PiParams::default(),
            );
            let Ok(PlanOutcome::Compaction(plan)) = outcome else {
                panic!("{name}: {outcome:?}")
            };
            assert_eq!(plan.first_kept, stored.first_kept, "{name}: the cut");
            assert_eq!(
                Some(plan.tokens_before),
                stored.tokens_before,
                "{name}: the size before"
            );
            let files =
                |list: &[Box<str>]| list.iter().map(|path| path.to_string()).collect::<Vec<_>>();
            assert_eq!(
                plan.files.read,
                files(&stored.read_files),
                "{name}: files read"
            );
            assert_eq!(
                plan.files.modified,
                files(&stored.modified_files),
                "{name}: files modified"
            );
            let summary = read.summary(ix);
            assert_eq!(
                plan.is_split_turn,
                summary.contains("**Turn Context (split turn):**"),
                "{name}"
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 3);
}

/// A provider reports what it counted: the texts of the session, and a few thousand tokens for
/// the prompt and the tools that the session does not hold.
#[test]
fn reported_sizes_leave_room_for_what_is_not_recorded() {
    for name in samples::NAMES {
        let read = read(name);
        let trusted = |&ix: &EntryIx| read.session.entry(ix).usage_trusted;
        for ix in read.session.indices().filter(trusted).step_by(9) {
            let reported = read
                .session
                .entry(ix)
                .usage
                .map_or(0, |usage| usage.context_tokens());
            let context = read.context(Some(ix));
            let counted: u64 = context
                .items
                .iter()
                .filter_map(|item| read.format.item_message(&read.session, item, &read).ok())
                .flat_map(|message| message.blocks)
                .map(|block| count_tokens(&words(&block), Encoding::O200k))
                .sum();
            assert!(
                reported >= counted,
                "{name}: {reported} reported, {counted} counted at {ix:?}"
            );
            assert!(
                reported - counted < 60_000,
                "{name}: {reported} reported, {counted} counted"
            );
        }
    }
}

fn words(block: &Block) -> String {
    match block {
        Block::Text(text) => text.clone(),
        Block::Thinking { text, .. } => text.clone(),
        Block::ToolCall {
            name, arguments, ..
        } => format!("{name}{arguments}"),
        Block::Section { text, .. } => text.clone().unwrap_or_default(),
        Block::ToolsAdded(json) => json.clone(),
        Block::Image { .. } | Block::Opaque { .. } => String::new(),
    }
}

trait Summary {
    fn summary(&self, ix: EntryIx) -> String;
}

impl Summary for InMemory {
    fn summary(&self, ix: EntryIx) -> String {
        use palimpsest_core::Bodies as _;
        let body = self.body(ix).expect("the bytes are in memory");
        body.messages
            .iter()
            .flat_map(|message| &message.blocks)
            .map(words)
            .collect()
    }
}
