//! Pieces of a prompt as parts of a summary, and the other way round.

use crate::vocabulary::prompt::Chunk;
use crate::vocabulary::summary::SummaryPart;
use std::collections::VecDeque;

/// Filled-in pieces as parts of a summary; neighbouring texts become one.
pub(crate) fn summary_parts(chunks: Vec<Chunk>) -> Vec<SummaryPart> {
    let mut parts: Vec<SummaryPart> = Vec::new();
    let mut chunks: VecDeque<Chunk> = chunks.into();
    while let Some(chunk) = chunks.pop_front() {
        let text = match chunk {
            Chunk::Several(own) => {
                own.iter()
                    .rev()
                    .for_each(|chunk| chunks.push_front(chunk.clone()));
                continue;
            }
            Chunk::Reply(call) => {
                parts.push(SummaryPart::Reply(call));
                continue;
            }
            Chunk::Filled(call, fill) => {
                parts.push(SummaryPart::Filled(call, fill));
                continue;
            }
            Chunk::ByTail {
                stays,
                with,
                without,
            } => {
                parts.push(SummaryPart::ByTail {
                    stays,
                    with,
                    without,
                });
                continue;
            }
            Chunk::Text(text) => text,
            Chunk::Conversation(own) | Chunk::Quoted(own) => {
                let mut text = String::with_capacity(own.len);
                own.write(&mut text);
                text
            }
        };
        match parts.last_mut() {
            _ if text.is_empty() => {}
            Some(SummaryPart::Text(before)) => before.push_str(&text),
            _ => parts.push(SummaryPart::Text(text)),
        }
    }
    parts
}

/// Parts of a summary as pieces to fill in.
pub(crate) fn chunks(parts: &[SummaryPart]) -> Vec<Chunk> {
    let chunk = |part: &SummaryPart| match part {
        SummaryPart::Text(text) => Chunk::Text(text.clone()),
        SummaryPart::Reply(call) => Chunk::Reply(*call),
        SummaryPart::Filled(call, fill) => Chunk::Filled(*call, *fill),
        SummaryPart::ByTail {
            stays,
            with,
            without,
        } => Chunk::ByTail {
            stays: *stays,
            with: with.clone(),
            without: without.clone(),
        },
    };
    parts.iter().map(chunk).collect()
}
