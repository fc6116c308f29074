//! The size of the context behind each entry, by part.
//!
//! Known sizes are those of the timeline. Elsewhere, as on branches, a trusted report is the size, and
//! what follows it is added by estimate. The parts follow the estimates and are fitted to the size.

use super::model::{Band, PARTS, Part, PictureOptions, STEP_TOKENS, SizeAfter};
use crate::body::Role;
use crate::entry::{Compaction, Entry, EntryKind, MessageSize};
use crate::ids::EntryIx;
use crate::session::Session;
use crate::tree::Tree;

/// The context behind an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct SizeAt {
    /// Tokens by part.
    parts: [f32; PARTS],
    /// Tokens of the whole.
    pub size: u64,
    /// The messages' own sizes from the root, by part; what a compaction kept is a difference of it.
    sums: [f32; PARTS],
}

impl SizeAt {
    /// The parts in steps, which fit the size.
    pub(super) fn band(&self) -> Band {
        self.parts.map(|tokens| {
            // To the nearest step: a conversion cuts at zero and at the largest number.
            (f64::from(tokens) / STEP_TOKENS as f64 + 0.5) as u16
        })
    }

    /// Makes the parts add up to `size`: what is sent besides stays, the others shrink or grow.
    fn fit(&mut self, size: u64) {
        let fixed = self.parts[Part::Fixed as usize];
        let rest: f32 = self.parts.iter().sum::<f32>() - fixed;
        let target = size as f32;
        self.size = size;
        if rest < 1.0 || target <= fixed {
            let all = (rest + fixed).max(1.0);
            self.parts = self.parts.map(|part| part * target / all);
            if rest + fixed < 1.0 {
                self.parts[Part::Fixed as usize] = target;
            }
            return;
        }
        let scale = (target - fixed) / rest;
        for (at, part) in self.parts.iter_mut().enumerate() {
            if at != Part::Fixed as usize {
                *part *= scale;
            }
        }
    }
}

/// For each entry, the context behind it. Linear in the number of entries.
pub(super) fn sizes(session: &Session, tree: &Tree, options: &PictureOptions) -> Vec<SizeAt> {
    let mut all = vec![SizeAt::default(); session.entries.len()];
    for &ix in tree.preorder() {
        let entry = session.entry(ix);
        let parent = tree.parent(ix);
        // A subagent begins with a context of its own.
        let above = parent.filter(|&parent| !entry.sidechain || session.entry(parent).sidechain);
        let mut at = above.map_or_else(SizeAt::default, |above| all[above.get()]);
        let own = own_parts(entry, |_| true);
        // An older summary inside a kept tail is not sent, and pi sends the current system messages
        // instead of those in it (pi 1.5).
        if !matches!(entry.kind, EntryKind::Compaction(_)) {
            let is_carried = |message: &MessageSize| message.sent && message.role != Role::System;
            let carried = if entry.messages.iter().all(is_carried) {
                own
            } else {
                own_parts(entry, is_carried)
            };
            for (sum, own) in at.sums.iter_mut().zip(&carried) {
                *sum += own;
            }
        }
        match &entry.kind {
            EntryKind::Compaction(compaction) => {
                let kept = kept(&all, tree, ix, compaction);
                let known = options.after.get(&ix).copied();
                compacted(&mut at, entry.estimate(), kept, known, options.fixed);
            }
            EntryKind::Clearing(clearing) => {
                let saved = clearing.tokens_saved.unwrap_or(0);
                let results = &mut at.parts[Part::Results as usize];
                let saved = saved.min(*results as u64).min(at.size);
                *results -= saved as f32;
                at.size -= saved;
            }
            _ => {
                for (part, own) in at.parts.iter_mut().zip(&own) {
                    *part += own;
                }
                at.size += entry.estimate();
                if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
                    let fixed = &mut at.parts[Part::Fixed as usize];
                    if *fixed < 1.0 && !entry.sidechain {
                        *fixed = options.fixed as f32;
                    }
                    at.fit(usage.context_tokens());
                }
            }
        }
        let known = options.sizes.get(ix.get()).copied();
        if let Some(size) = known.filter(|&size| size > 0 && size != at.size) {
            at.fit(size);
        }
        all[ix.get()] = at;
    }
    all
}

/// What a compaction kept of the messages above it, by part.
fn kept(all: &[SizeAt], tree: &Tree, ix: EntryIx, compaction: &Compaction) -> [f32; PARTS] {
    let sums = |at: Option<EntryIx>| at.map_or([0.0; PARTS], |at| all[at.get()].sums);
    // A damaged file can name a kept entry on another branch, whose tokens are not in this context.
    let is_above = |first: &EntryIx| {
        let mut at = tree.parent(ix);
        while let Some(above) = at.filter(|&above| tree.depth(above) > tree.depth(*first)) {
            at = tree.parent(above);
        }
        at == Some(*first)
    };
    let Some(first) = compaction.first_kept.filter(is_above) else {
        return [0.0; PARTS];
    };
    // Running sums make each kept tail a subtraction.
    let (upto, from) = (sums(tree.parent(ix)), sums(tree.parent(first)));
    std::array::from_fn(|part| (upto[part] - from[part]).max(0.0))
}

fn compacted(
    at: &mut SizeAt,
    summary: u64,
    kept: [f32; PARTS],
    known: Option<SizeAfter>,
    fixed: u64,
) {
    let kept_tokens = kept.iter().sum::<f32>() as u64;
    let after = known.unwrap_or(SizeAfter {
        tokens: fixed + summary + kept_tokens,
        summary,
    });
    at.parts = kept;
    at.parts[Part::Summaries as usize] += after.summary as f32;
    at.parts[Part::Fixed as usize] = fixed as f32;
    let named = fixed + after.summary + kept_tokens;
    // What is neither: files and instructions that the agent gives again.
    at.parts[Part::Fixed as usize] += after.tokens.saturating_sub(named) as f32;
    at.fit(after.tokens);
}

/// The entry's own tokens by part, of the messages that count: its estimate, shared out by the
/// lengths of its parts.
fn own_parts(entry: &Entry, counts: impl Fn(&MessageSize) -> bool) -> [f32; PARTS] {
    let mut parts = [0.0; PARTS];
    for message in entry.messages.iter().filter(|message| counts(message)) {
        let units: u64 = message.units.iter().map(|(_, units)| units).sum();
        let tokens = message.estimate as f32;
        if units == 0 {
            let part = match message.role {
                Role::System => Part::Fixed,
                Role::User => Part::User,
                Role::Assistant => Part::Assistant,
                Role::Tool => Part::Results,
            };
            let part = match entry.kind {
                EntryKind::BranchSummary(_) => Part::Summaries,
                _ => part,
            };
            parts[part as usize] += tokens;
        }
        for &(category, own) in &message.units {
            parts[Part::of(category) as usize] += tokens * own as f32 / units.max(1) as f32;
        }
    }
    parts
}
