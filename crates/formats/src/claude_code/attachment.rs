//! What the agent attaches to a conversation by itself: reminders, files, listings.
//!
//! Newer versions store the texts that are sent (`rendered`); of older ones only what the user had
//! queued can be told, because the other texts were made on the way out.

use super::estimate::{size, tokens_of};
use super::record::{AttachmentRecord, Record, Rendered};
use crate::measure::head;
use palimpsest_core::joined::{ATTACHMENT, USER_ATTACHMENT};
use palimpsest_core::{Category, EntryKind, MessageSize, Role};

/// The word for the role of a recorded system prompt, which is not sent among the messages.
pub(super) const PROMPT_ROLE: &str = "system_prompt";
/// The word for the role of recorded tool declarations.
pub(super) const TOOLS_ROLE: &str = "tools";

/// Kind, messages and preview of an attachment.
pub(super) fn attachment(record: &Record<'_>) -> (EntryKind, Vec<MessageSize>, Box<str>) {
    let attachment = &record.attachment;
    let custom_type = attachment.type_name.boxed_or_empty();
    let messages = match &*custom_type {
        "prompt_snapshot" => snapshot(attachment),
        // A message that the user typed while the model worked; older versions store only the
        // typed text.
        "queued_command" if record.rendered.0.is_empty() => {
            vec![injected(attachment.prompt.units, ATTACHMENT)]
        }
        _ => {
            let role = native_role(record.rendered_role.as_deref());
            let texts = record.rendered.0.iter();
            texts.map(|text| injected(text.units, role)).collect()
        }
    };
    let about = about(attachment, &record.rendered);
    let preview = if about.is_empty() {
        custom_type.clone()
    } else {
        head(&format!("{custom_type}: {about}"))
    };
    let is_sent = messages.iter().any(|message| message.sent);
    let kind = if is_sent {
        EntryKind::CustomMessage {
            custom_type,
            display: false,
        }
    } else {
        EntryKind::Custom { custom_type }
    };
    (kind, messages, preview)
}

fn injected(units: u64, native_role: &'static str) -> MessageSize {
    let tokens = vec![(Category::Injected, tokens_of(units))];
    size(Role::User, native_role, tokens)
}

/// The word for the role of an attachment's texts, by the role stored with them.
pub(super) fn native_role(rendered_role: Option<&str>) -> &'static str {
    match rendered_role {
        Some("user") => USER_ATTACHMENT,
        _ => ATTACHMENT,
    }
}

/// System prompt and tools go beside the messages; the newest snapshot tells their size.
fn snapshot(attachment: &AttachmentRecord<'_>) -> Vec<MessageSize> {
    let unsent = |role: &'static str, units: u64| MessageSize {
        sent: false,
        ..size(
            Role::System,
            role,
            vec![(Category::System, tokens_of(units))],
        )
    };
    let mut sizes = vec![unsent(PROMPT_ROLE, attachment.system_prompt.0.units)];
    if attachment.tools.present {
        sizes.push(unsent(TOOLS_ROLE, attachment.tools.units));
    }
    sizes
}

fn about<'a>(attachment: &'a AttachmentRecord<'_>, rendered: &'a Rendered) -> &'a str {
    let model = attachment.identity.model.as_deref().unwrap_or_default();
    let first = rendered.0.first().map(|text| &*text.head);
    [
        &*attachment.display_path.head,
        &*attachment.filename.head,
        model,
        &*attachment.date.head,
        &*attachment.prompt.head,
        first.unwrap_or_default(),
        &*attachment.text.head,
    ]
    .into_iter()
    .find(|text| !text.is_empty())
    .unwrap_or_default()
}
