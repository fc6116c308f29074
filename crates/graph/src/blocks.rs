//! What stands on the cards: which rows share one at a scale, and which of them get a line.

use crate::frame::{Distance, NEAR_SCALE};
use crate::scene::Scene;
use palimpsest_core::layout::{LaneKind, NodeClass, PictureRow};
use std::collections::BTreeMap;
use std::ops::Range;

/// Least height of a card with several rows, in points: one line with its edges.
const LEAST_HEIGHT: f32 = 24.0;
/// A card this high is closed where a phase or another lane begins.
const CLOSED_HEIGHT: f32 = 21.0;
/// Height of a line of text, in points.
pub const LINE_POINTS: f32 = 15.0;
/// Room between the edge of a card and its first line.
pub const INSET: f32 = 3.0;
/// Room between cards.
pub const GAP: f32 = 2.0;
/// Most lines that one row's text goes on for on a card of several rows.
const MOST_WRAPPED: u8 = 3;

/// Rows that share a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The first row.
    pub first: u32,
    /// The last row.
    pub last: u32,
    /// Number of turns in it; 0 for a row alone.
    pub turns: u32,
}

/// A line on a card.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The row it is about, which a click on it selects.
    pub row: u32,
    /// What it says.
    pub words: String,
    /// What stands before the words, quieter: the tool.
    pub name: String,
    /// Upper edge below that of the card, in points.
    pub top: f32,
    /// How many lines of text it may take.
    pub lines: u8,
    /// What the row is.
    pub class: NodeClass,
    /// Shown quietly: text by the model, tools.
    pub is_quiet: bool,
    /// About several rows, not about one.
    pub is_count: bool,
    /// A message of the model that consists of calls.
    pub is_call: bool,
}

/// The cards of a session at a scale where rows share them, from the top.
pub fn blocks(scene: &Scene, scale: f32) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let height = |block: &Block| (scene.bottom(block.last) - scene.top(block.first)) as f32 * scale;
    for turn in &scene.sections().turns {
        let class = scene.row(turn.first).map(|row| row.class);
        let is_joined = blocks.last().is_some_and(|block| {
            let lane = scene.row(block.first).map(|row| row.lane);
            let is_apart = class == Some(NodeClass::Compaction) || lane != Some(turn.lane);
            let enough = if is_apart {
                CLOSED_HEIGHT
            } else {
                LEAST_HEIGHT
            };
            height(block) < enough
        });
        match blocks.last_mut().filter(|_| is_joined) {
            Some(block) => {
                block.last = turn.last;
                block.turns += 1;
            }
            None => blocks.push(Block {
                first: turn.first,
                last: turn.last,
                turns: 1,
            }),
        }
    }
    // A rest without room for a line belongs to the card above it.
    if let [.., above, rest] = blocks.as_mut_slice()
        && height(rest) < CLOSED_HEIGHT
    {
        above.last = rest.last;
        above.turns += rest.turns;
        blocks.pop();
    }
    blocks
}

/// The blocks that reach into a range of heights, in units.
pub fn visible(scene: &Scene, all: &[Block], scale: f32, units: &Range<f64>) -> Vec<Block> {
    if Distance::of(scale) == Distance::Near {
        let rows = scene.rows_in(units.clone());
        let alone = |row| Block {
            first: row,
            last: row,
            turns: 0,
        };
        return rows.map(alone).collect();
    }
    let first = all.partition_point(|block| f64::from(scene.bottom(block.last)) <= units.start);
    let rest = all[first..].iter();
    rest.take_while(|block| f64::from(scene.top(block.first)) < units.end)
        .copied()
        .collect()
}

/// The lines of a card that is `height` points high.
pub fn lines(scene: &Scene, block: &Block, scale: f32, height: f32) -> Vec<Line> {
    if block.turns == 0 {
        return scene
            .row(block.first)
            .map(|row| whole(scene, row, height))
            .into_iter()
            .collect();
    }
    let mut weighed: Vec<(u64, &PictureRow)> = (block.first..=block.last)
        .filter_map(|row| scene.row(row))
        .filter_map(|row| Some((weight(scene, row)?, row)))
        .collect();
    weighed.sort_by_key(|(weight, row)| (std::cmp::Reverse(*weight), row.id));
    let top_of = |row: &PictureRow| (scene.top(row.id) - scene.top(block.first)) as f32 * scale;
    let room = height - LINE_POINTS - INSET;
    let mut placed: Vec<Line> = Vec::new();
    for (_, row) in weighed {
        let wished = if placed.is_empty() {
            INSET
        } else {
            top_of(row).max(INSET)
        };
        let is_free = placed
            .iter()
            .all(|line| (line.top - wished).abs() >= LINE_POINTS);
        if placed.is_empty() || (wished <= room && is_free) {
            placed.push(line(scene, row, wished.min(room.max(INSET))));
        }
        if placed.len() as f32 * LINE_POINTS > height {
            break;
        }
    }
    if placed.is_empty()
        && let Some(row) = scene.row(block.first)
    {
        placed.push(line(scene, row, INSET));
    }
    in_order(&mut placed);
    if block.turns == 1 {
        add_count(scene, block, height, &mut placed);
    }
    wrap(&mut placed, height);
    placed
}

/// Lets lines stand in the order of their rows. The heaviest took the first place, wherever its
/// row is.
fn in_order(placed: &mut [Line]) {
    let mut tops: Vec<f32> = placed.iter().map(|line| line.top).collect();
    tops.sort_by(f32::total_cmp);
    placed.sort_by_key(|line| line.row);
    for (line, top) in placed.iter_mut().zip(tops) {
        line.top = top;
    }
}

/// The prompts of a card that have no line on it.
pub fn hidden_prompts(scene: &Scene, block: &Block, lines: &[Line]) -> usize {
    let is_prompt = |row: &u32| {
        scene
            .row(*row)
            .is_some_and(|row| row.class == NodeClass::User)
    };
    let said = |row: &u32| lines.iter().any(|line| !line.is_count && line.row == *row);
    (block.first..=block.last)
        .filter(is_prompt)
        .filter(|row| !said(row))
        .count()
}

/// A row with a card of its own.
fn whole(scene: &Scene, row: &PictureRow, height: f32) -> Line {
    let lines = ((height - 2.0 * INSET) / LINE_POINTS).floor().max(1.0);
    let height = lines * LINE_POINTS;
    let top = ((height.max(LINE_POINTS) - height) / 2.0).max(0.0);
    Line {
        lines: lines as u8,
        top,
        ..line(scene, row, 0.0)
    }
}

fn line(scene: &Scene, row: &PictureRow, top: f32) -> Line {
    let is_said = row.class == NodeClass::User || row.has_text;
    let name = scene.name(row);
    let words = scene.words(row);
    let is_named = !is_said && words != name && !row.flag && row.class != NodeClass::Compaction;
    Line {
        row: row.id,
        words: words.to_owned(),
        name: match lane_name(scene, row) {
            _ if row.class == NodeClass::Compaction => "Compaction".to_owned(),
            _ if row.class == NodeClass::BranchSummary => "Branch summary".to_owned(),
            Some(lane) => lane.to_owned(),
            None if is_named => name.to_owned(),
            None => String::new(),
        },
        top,
        lines: 1,
        class: if row.flag && row.class != NodeClass::Compaction {
            NodeClass::Label
        } else {
            row.class
        },
        is_quiet: !matches!(
            row.class,
            NodeClass::User | NodeClass::Compaction | NodeClass::BranchSummary | NodeClass::Error
        ),
        is_count: false,
        is_call: row.class == NodeClass::Assistant && !row.has_text,
    }
}

/// What the lane is called that begins with a row.
fn lane_name(scene: &Scene, row: &PictureRow) -> Option<&'static str> {
    let lane = scene.picture().lanes.get(row.lane as usize)?;
    if lane.first != row.id {
        return None;
    }
    match lane.kind {
        LaneKind::Active => None,
        LaneKind::Branch => Some("Branch"),
        LaneKind::Root => Some("Other root"),
        LaneKind::Subagent => Some("Subagent"),
    }
}

/// How much it matters that a row has a line; `None` where it needs none.
fn weight(scene: &Scene, row: &PictureRow) -> Option<u64> {
    let length = || {
        let sections = scene.sections();
        let turn = sections.turn_of.get(row.id as usize);
        let turn = turn.and_then(|&turn| sections.turns.get(turn as usize));
        turn.map_or(0, |turn| u64::from(turn.last - turn.first))
    };
    Some(match row.class {
        NodeClass::Compaction => 1_000_000,
        NodeClass::BranchSummary => 400_000,
        _ if row.flag => 500_000,
        _ if lane_name(scene, row).is_some() => 300_000,
        // A long turn is what a stretch was about.
        NodeClass::User => 100_000 + length(),
        NodeClass::Error => 500,
        _ if row.subagents > 0 => 50_000,
        _ if row.has_text => 1_000 + row.tokens.min(10_000),
        _ => return None,
    })
}

/// Says below the first line of a turn what it consists of, where that is free.
fn add_count(scene: &Scene, block: &Block, height: f32, placed: &mut Vec<Line>) {
    let Some(first) = placed.first() else { return };
    let top = first.top + LINE_POINTS;
    let next = placed.get(1).map_or(height, |line| line.top);
    if next < top + LINE_POINTS {
        return;
    }
    let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
    let rows = (block.first..=block.last).filter_map(|row| scene.row(row));
    for row in rows.clone().filter(|row| row.class == NodeClass::Tool) {
        *tools.entry(scene.name(row)).or_default() += 1;
    }
    let mut tools: Vec<(&str, usize)> = tools.into_iter().collect();
    tools.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    let mut parts: Vec<String> = tools
        .iter()
        .take(5)
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    let failed = rows.filter(|row| row.has_error).count();
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    if parts.is_empty() {
        return;
    }
    let line = Line {
        row: first.row,
        words: parts.join(" \u{b7} "),
        name: String::new(),
        top,
        lines: 1,
        class: NodeClass::Tool,
        is_quiet: true,
        is_count: true,
        is_call: false,
    };
    placed.insert(1, line);
}

/// Lets texts go on for as long as the lines below are free.
fn wrap(placed: &mut [Line], height: f32) {
    let tops: Vec<f32> = placed.iter().map(|line| line.top).collect();
    for (at, line) in placed.iter_mut().enumerate() {
        let next = tops.get(at + 1).copied().unwrap_or(height - INSET);
        let free = ((next - line.top) / LINE_POINTS).floor().max(1.0);
        line.lines = if line.is_count {
            1
        } else {
            (free as u8).min(MOST_WRAPPED)
        };
    }
}

/// True where a row is shown alone at a scale.
pub fn is_near(scale: f32) -> bool {
    scale >= NEAR_SCALE
}
