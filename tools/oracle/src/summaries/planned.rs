//! The plan of a preset at an entry, and the settings that a record does not name.

use palimpsest_compaction::summarize::BlockKind;
use palimpsest_compaction::{
    Instructions, Plan, PlanInput, PlanOutcome, PlannedCall, Preset, plan_preset,
};
use palimpsest_core::{Block, Context, ContextItem, EntryIx, EntryKind, Message, Role, ToolRef};
use palimpsest_formats::InMemory;
use serde_json::{Map, Value};

/// The plan of the preset called `preset` with these settings; an error says why there is none.
pub(super) fn plan(
    ours: &InMemory,
    context: &Context,
    preset: &str,
    settings: &Map<String, Value>,
) -> Result<Box<Plan>, String> {
    let preset = Preset::known(preset).map_err(|error| error.to_string())?;
    let preset = preset.with(settings).map_err(|error| error.to_string())?;
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    let input = PlanInput {
        session: &ours.session,
        context,
        messages: &messages,
        instructions: &Instructions::default(),
        vectors: None,
    };
    match plan_preset(&preset, &input) {
        Ok(PlanOutcome::Compaction(plan)) => Ok(plan),
        Ok(PlanOutcome::Nothing { reason }) => Err(format!("no plan: {}", reason.message())),
        Err(error) => Err(format!("no plan: {error}")),
    }
}

/// The plan with these settings whose tail begins at `first_kept`, with the size of the tail under
/// `name` set to the sum of the messages from some place on: a record has the place, and not the
/// setting. Without such a plan the one with the preset's own size.
pub(super) fn plan_keeping(
    ours: &InMemory,
    context: &Context,
    preset: &str,
    (name, settings): (&str, &Map<String, Value>),
    first_kept: Option<EntryIx>,
) -> Result<Box<Plan>, String> {
    let usual = plan(ours, context, preset, settings);
    let fits = |plan: &Result<Box<Plan>, String>| {
        let plan = plan.as_ref().ok();
        plan.is_some_and(|plan| plan.first_kept == first_kept)
    };
    if fits(&usual) {
        return usual;
    }
    let mut sum = 0;
    let sizes = context.items.iter().rev().map(|item| item.estimate);
    for size in std::iter::once(0).chain(sizes) {
        sum += size;
        let mut settings = settings.clone();
        settings.insert(name.to_owned(), sum.into());
        let own = plan(ours, context, preset, &settings);
        if fits(&own) {
            return own;
        }
    }
    usual
}

/// The first entry that the compaction with this id kept, as its record has it.
pub(super) fn first_kept(ours: &InMemory, id: Option<&str>) -> Option<EntryIx> {
    let &ix = ours.session.by_id().get(id?)?;
    match &ours.session.entry(ix).kind {
        EntryKind::Compaction(told) => told.first_kept,
        _ => None,
    }
}

/// The messages of a call as such, with the items they come from; the request is the last.
pub(super) fn messages(context: &Context, call: &PlannedCall) -> Vec<(Option<usize>, Message)> {
    let messages = call.messages.iter().map(|own| {
        let item = own.item.map(|at| &context.items[at]);
        let mut message = Message {
            role: own.role,
            native_role: item.map_or("user", |item| item.native_role),
            blocks: Vec::new(),
            tool: None,
            sent: true,
        };
        for block in &own.blocks {
            let text = call.prompt.get(block.range.clone()).unwrap_or_default();
            let text = text.to_owned();
            message.blocks.push(match &block.kind {
                BlockKind::Text => Block::Text(text),
                BlockKind::Thinking => Block::Thinking {
                    text,
                    redacted: false,
                },
                BlockKind::ToolCall { id, name } => Block::ToolCall {
                    id: id.clone(),
                    name: name.clone(),
                    arguments: text,
                },
                BlockKind::ToolResult { id, is_error } => {
                    message.role = Role::Tool;
                    message.tool = Some(ToolRef {
                        call_id: id.clone(),
                        name: String::new(),
                        is_error: *is_error,
                    });
                    Block::Text(text)
                }
                BlockKind::Image { mime } => Block::Image {
                    mime: mime.clone(),
                    base64_len: 0,
                },
            });
        }
        (own.item, message)
    });
    messages.collect()
}
