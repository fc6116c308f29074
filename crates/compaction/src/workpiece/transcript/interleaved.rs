//! Messages whose results stand right behind their calls, with a separator of their own between the
//! parts of a message (OpenCode 1.18, its summary request).

use crate::vocabulary::estimate::UNITS_PER_TOKEN;
use crate::vocabulary::memo::{Weight, question};
use crate::workpiece::draft::Draft;
use crate::workpiece::transcript::labelled::{Labelled, Part};
use crate::workpiece::transcript::written::Written;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{BodyError, ItemKind, Message, Role};
use std::sync::Arc;

/// What a message says up to one of its calls and with it, or behind the last.
struct Stretch {
    text: Arc<String>,
    units: u64,
    bytes: u64,
    call: Option<String>,
}

/// The stretches of a message.
struct Stretches(Vec<Stretch>);

impl Weight for Stretches {
    fn bytes(&self) -> usize {
        let texts = self.0.iter().map(|own| own.text.len());
        texts.sum::<usize>() + self.0.len() * size_of::<Stretch>()
    }
}

impl Labelled {
    /// The items at `positions` as text, each result behind its call. A message with several calls
    /// is written in as many parts of the same item. With `only_counts` the texts are left out.
    pub(crate) fn write_interleaved(
        &self,
        draft: &Draft<'_>,
        positions: &[usize],
        only_counts: bool,
    ) -> Result<Vec<Written>, BodyError> {
        let asked = question("stretches in a transcript", &(self, only_counts));
        let items = &draft.input.context.items;
        let stretches = |at: usize| {
            let kind = items[at].kind;
            draft.memo(at, asked, |message| {
                self.stretches(kind, message, only_counts)
            })
        };
        let mut written: Vec<Written> = Vec::with_capacity(positions.len());
        let mut unit = 0;
        let mut next = 0;
        while let Some(&at) = positions.get(next) {
            next += 1;
            unit += 1;
            let start = written.len();
            let mut add = |at: usize, own: &Stretch| {
                if own.units == 0 {
                    return;
                }
                let role = items[at].role;
                written.push(Written {
                    item: at,
                    text: Arc::clone(&own.text),
                    units: own.units,
                    bytes: own.bytes,
                    tokens: own.units.div_ceil(UNITS_PER_TOKEN),
                    unit,
                    is_tool_result: role == Role::Tool,
                    starts_turn: role == Role::User,
                    is_tight: true,
                });
            };
            let own = stretches(at)?;
            let mut results = Vec::new();
            while items[at].role == Role::Assistant
                && let Some(&behind) = positions.get(next)
                && items[behind].role == Role::Tool
            {
                results.push((behind, stretches(behind)?));
                next += 1;
            }
            for part in &own.0 {
                add(at, part);
                let answers = |(_, result): &(usize, Arc<Stretches>)| {
                    let call = result.0.first().and_then(|own| own.call.as_ref());
                    call.is_some() && call == part.call.as_ref()
                };
                if let Some(found) = results.iter().position(answers) {
                    let (behind, result) = results.remove(found);
                    result.0.iter().for_each(|part| add(behind, part));
                }
            }
            for (behind, result) in results {
                result.0.iter().for_each(|part| add(behind, part));
            }
            if let Some(last) = written[start..].last_mut() {
                last.is_tight = false;
            }
        }
        Ok(written)
    }

    fn stretches(&self, kind: ItemKind, message: &Message, only_counts: bool) -> Stretches {
        let mut all = Vec::new();
        let mut text = String::new();
        let mut end = |text: &mut String, call: Option<String>| {
            all.push(Stretch {
                units: utf16_len(text),
                bytes: text.len() as u64,
                text: Arc::new(if only_counts {
                    String::new()
                } else {
                    std::mem::take(text)
                }),
                call,
            });
            text.clear();
        };
        for Part { text: said, call } in self.parts(kind, message) {
            if !text.is_empty() {
                text.push_str(&self.part_separator);
            }
            text.push_str(&said);
            if call.is_some() {
                end(&mut text, call);
            }
        }
        if !text.is_empty() {
            end(&mut text, None);
        }
        Stretches(all)
    }
}
