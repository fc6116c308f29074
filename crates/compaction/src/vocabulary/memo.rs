//! What is worked out from texts, kept from one plan to the next.
//!
//! Most of what planning asks of a message does not depend on where the cut is: how long it is as
//! a summarizer gets it, whether a tool failed, which edits a call made. Whoever plans the same
//! session again and again keeps these memos, so that a cut that is dragged reads no text twice.

use palimpsest_core::{Context, ContextItem};
use serde::Serialize;
use std::any::Any;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a memo is kept under, within one session: the same key always stands for the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoKey {
    /// What is asked, with all its parameters.
    pub question: u64,
    /// Of what it is asked: an item as the steps of a plan have left it, or a whole context.
    pub subject: u64,
    /// Where the item stands in the context; no part of what is asked, but most often the
    /// next plan asks about the same item there.
    pub place: Option<usize>,
}

impl MemoKey {
    /// What is asked of a whole that `subject` stands for.
    pub(crate) fn whole(question: u64, subject: u64) -> MemoKey {
        MemoKey {
            question,
            subject,
            place: None,
        }
    }

    /// What is asked of the item at a position of a context, as it is there.
    pub(crate) fn item(question: u64, context: &Context, at: usize) -> MemoKey {
        MemoKey {
            question,
            subject: item_subject(&context.items[at]),
            place: Some(at),
        }
    }
}

/// An answer as it is kept.
#[derive(Debug, Clone)]
pub struct Memo {
    /// The answer, of the type that its question has.
    pub value: Arc<dyn Any + Send + Sync>,
    /// About how much memory it takes.
    pub bytes: usize,
}

/// How much memory a value takes beside its own size: what it points to.
pub(crate) trait Weight {
    /// Bytes, about.
    fn bytes(&self) -> usize {
        0
    }
}

/// The number of a question: its name and its parameters as JSON.
pub(crate) fn question(name: &str, parameters: &impl Serialize) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    serde_json::to_string(parameters)
        .unwrap_or_default()
        .hash(&mut hasher);
    hasher.finish()
}

/// A number that stands for the message of an item: its entries, which of their messages, and what
/// became of it.
pub(crate) fn item_subject(item: &ContextItem) -> u64 {
    let mut hasher = Mixed::default();
    // In few steps of eight bytes each: a plan asks for this several times for every item. A role is the
    // word at its place in the program; the same word at another place has another number, and is only worked out again.
    hasher.write_usize(item.native_role.as_ptr().addr());
    let role = item.native_role.len() as u64;
    hasher.write_u64(role << 32 | (item.kind as u64) << 16 | item.origin as u64);
    let edited = item
        .edited_by
        .map_or(u64::from(u32::MAX), |by| u64::from(by.0));
    hasher.write_u64((item.message_index as u64) << 32 | edited);
    for entry in &item.entries {
        hasher.write_u32(entry.0);
    }
    hasher.write_usize(item.entries.len());
    hasher.finish()
}

/// Mixes every eight bytes into all bits of a number: a plan asks for the subjects of all items
/// several times, and the standard hasher, which withstands chosen input, takes several times as
/// long. The steps are those of splitmix64.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        let mut mixed = (self.0 ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = mixed ^ (mixed >> 31);
    }
}

impl Weight for u64 {}

impl<T: Weight> Weight for Option<T> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, Weight::bytes)
    }
}
