//! The head of the pane: the scale of tokens above the band, and what is on screen above the cards.

use super::{mix, text};
use crate::frame::{Frame, HEAD};
use crate::palette::Palette;
use crate::scene::Scene;
use egui::{Align2, Painter, Rect, Stroke, pos2};
use palimpsest_core::layout::{LaneKind, short_count};

const POINTS: f32 = 10.5;
/// Least distance between numbers of the scale, in points.
const APART: f32 = 46.0;

/// Room for the name of the numbers on the cards, in points.
const TAIL_LABEL: f32 = 44.0;

/// The sizes that the scale names: round numbers, as many as there is room for.
pub fn ticks(frame: &Frame) -> Vec<f64> {
    let room = (frame.river.span() / APART).floor().max(1.0);
    let least = frame.tokens / f64::from(room);
    let power = 10f64.powf(least.max(1.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let step = steps.into_iter().find(|&step| step >= least);
    let step = step.unwrap_or(10.0 * power);
    (1..)
        .map(|number| f64::from(number) * step)
        .take_while(|&tokens| tokens < frame.tokens)
        .collect()
}

/// Paints the head over what scrolls below it. `rows` are those on screen.
pub fn paint(
    painter: &Painter,
    scene: &Scene,
    frame: &Frame,
    palette: &Palette,
    rows: std::ops::Range<u32>,
) {
    let head = Rect::from_min_max(frame.pane.min, pos2(frame.pane.right(), frame.body.top()));
    painter.rect_filled(head, 0.0, palette.background);
    let y = head.top() + HEAD / 2.0;
    painter.hline(
        head.x_range(),
        head.bottom() - 0.5,
        Stroke::new(1.0, palette.border),
    );
    let ink = palette.text_quiet;
    for tokens in ticks(frame) {
        let at = pos2(frame.x_of(tokens), y);
        let words = short_count(tokens as u64);
        painter.add(
            text::line(
                painter.ctx(),
                at,
                Align2::CENTER_CENTER,
                &words,
                POINTS,
                APART,
                ink,
            )
            .1,
        );
    }
    let unit = mix(ink, palette.background, 0.1);
    // Without a number it would name the times below it.
    if !ticks(frame).is_empty() {
        let at = pos2(frame.times.max - 7.0, y);
        painter.add(
            text::line(
                painter.ctx(),
                at,
                Align2::RIGHT_CENTER,
                "tokens",
                10.0,
                44.0,
                unit,
            )
            .1,
        );
    }
    // What the numbers at the right ends of the cards are.
    let label = text::line(
        painter.ctx(),
        pos2(frame.cards.max - 8.0, y),
        Align2::RIGHT_CENTER,
        "context",
        10.0,
        TAIL_LABEL,
        unit,
    );
    painter.add(label.1);
    let words = title(scene, rows);
    let at = pos2(frame.cards.min, y);
    let width = frame.cards.span() - TAIL_LABEL - 8.0;
    painter.add(
        text::line(
            painter.ctx(),
            at,
            Align2::LEFT_CENTER,
            &words,
            11.5,
            width,
            palette.text,
        )
        .1,
    );
}

/// Which phase is on screen, or how many there are.
pub fn title(scene: &Scene, rows: std::ops::Range<u32>) -> String {
    let sections = scene.sections();
    let of = |count: usize, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    let seen: Vec<usize> = (0..sections.phases.len())
        .filter(|&at| {
            let phase = &sections.phases[at];
            phase.first < rows.end && phase.last >= rows.start
        })
        .collect();
    let mut parts = Vec::new();
    match seen.as_slice() {
        [only] if sections.phases.len() > 1 => {
            let phase = &sections.phases[*only];
            parts.push(format!("Phase {} of {}", only + 1, sections.phases.len()));
            parts.push(of(phase.prompts as usize, "prompt", "prompts"));
            let first = scene.row(phase.first).map_or(0, |row| row.size);
            parts.push(format!(
                "{} to {} tokens",
                short_count(first),
                short_count(phase.most)
            ));
        }
        _ => {
            let prompts: u32 = seen.iter().map(|&at| sections.phases[at].prompts).sum();
            if let [first, .., last] = seen.as_slice() {
                if seen.len() == sections.phases.len() {
                    parts.push(of(seen.len(), "phase", "phases"));
                } else {
                    parts.push(format!("Phases {} to {}", first + 1, last + 1));
                }
            }
            parts.push(of(prompts as usize, "prompt", "prompts"));
            let lanes = &scene.picture().lanes;
            let count = |kind: LaneKind| lanes.iter().filter(|lane| lane.kind == kind).count();
            for (kind, one, many) in [
                (LaneKind::Branch, "branch", "branches"),
                (LaneKind::Root, "other root", "other roots"),
                (LaneKind::Subagent, "subagent", "subagents"),
            ] {
                let beside = count(kind);
                // The active path is a branch too: a session has as many as it has leaves.
                let all = beside + usize::from(kind == LaneKind::Branch);
                if beside > 0 {
                    parts.push(of(all, one, many));
                }
            }
        }
    }
    parts.join(" \u{b7} ")
}
