//! Any bytes, given to the reader of the agent that `PALIMPSEST_FUZZ_AGENT` names: reading them
//! whole or in two pieces comes to the same, every line is accounted for, and contexts and texts
//! can be had at every place. A panic, an endless loop or an answer that differs is a finding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palimpsest_core::{Bodies, EntryIx};
use palimpsest_formats::account::account;
use palimpsest_formats::{InMemory, Reading, SessionFormat, agent_named, format_of};
use std::sync::OnceLock;

/// Places of a session at which a context is made; more would only be slower.
const PLACES: usize = 12;

fn format() -> &'static dyn SessionFormat {
    static FORMAT: OnceLock<&'static dyn SessionFormat> = OnceLock::new();
    *FORMAT.get_or_init(|| {
        let name = std::env::var("PALIMPSEST_FUZZ_AGENT").unwrap_or_default();
        let agent = agent_named(&name).expect("PALIMPSEST_FUZZ_AGENT names an agent");
        format_of(agent).expect("an agent with a name has a format")
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, bytes)) = data.split_first() else {
        return;
    };
    let format = format();
    let whole = InMemory::read(format, "fuzzed", bytes.to_vec());
    let lost = account(&whole.session, bytes).lost;
    assert!(
        lost.is_empty(),
        "lines {lost:?} are neither entries nor warnings"
    );
    in_pieces(format, bytes, usize::from(first), &whole);
    let entries = whole.session.entries.len();
    let step = entries / PLACES + 1;
    for at in (0..entries).step_by(step).map(EntryIx::new) {
        whole.body(at).expect("the bytes are at hand");
        let context = whole.context(Some(at));
        for item in &context.items {
            let message = format.item_message(&whole.session, item, &whole);
            message.expect("the bytes are at hand");
        }
        let shares: u64 = context.items.iter().map(|item| item.estimate).sum();
        assert_eq!(
            shares, context.estimated,
            "items do not sum up to the context"
        );
    }
    whole.context(whole.session.active_leaf);
    whole.context(None);
});

/// Reads with a break in the middle, as when a file grows or is read in chunks.
fn in_pieces(format: &dyn SessionFormat, bytes: &[u8], place: usize, whole: &InMemory) {
    let end = bytes.len() * place / 256;
    let mut reading = Reading::new(format.agent(), "fuzzed");
    let consumed = format.read(&mut reading, &bytes[..end], false);
    assert!(consumed <= end, "more was consumed than given");
    format.read(&mut reading, &bytes[consumed..], true);
    let mut session = reading.session;
    session.warnings.extend(reading.partial_line);
    let ids = |session: &palimpsest_core::Session| -> Vec<(String, Option<EntryIx>)> {
        let one = |entry: &palimpsest_core::Entry| (entry.id.to_string(), entry.parent);
        session.entries.iter().map(one).collect()
    };
    assert_eq!(
        ids(&session),
        ids(&whole.session),
        "reading in pieces differs"
    );
    assert_eq!(
        session.active_leaf, whole.session.active_leaf,
        "the active leaf differs"
    );
}
