//! The model with an index for the screen: which nodes and lines are in a rectangle, and which of
//! them are worth drawing at a zoom.

use egui::{Pos2, Rect, pos2};
use palimpsest_core::EntryIx;
use palimpsest_core::layout::{
    EdgeClass, GraphModel, GraphNode, NODE_HEIGHT, NODE_WIDTH, NodeClass, ROW_PITCH,
};
use std::collections::HashMap;

/// Side of the square, in points on screen, within which only one node is drawn.
const CELL_POINTS: f32 = 3.0;

/// A line of the tree: from one node to another, straight down or round one corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Upper node.
    pub from: u32,
    /// Lower node; for straight lines the last of the run.
    pub to: u32,
    /// What the line means.
    pub class: EdgeClass,
}

/// A model, indexed by row.
#[derive(Debug, Default)]
pub struct Scene {
    model: GraphModel,
    /// Node numbers per row, from left to right.
    rows: Vec<Vec<u32>>,
    /// Straight runs and elbows, by upper end.
    lines: Vec<Line>,
    /// For each block of [`BLOCK_ROWS`] rows, the lines that cross it.
    blocks: Vec<Vec<u32>>,
}

/// Rows per block of the line index.
const BLOCK_ROWS: usize = 16;

/// The part of a scene to draw.
#[derive(Debug, Default, PartialEq)]
pub struct Slice {
    /// Nodes, drawn.
    pub nodes: Vec<u32>,
    /// Lines that reach into the rectangle; their ends may lie outside.
    pub lines: Vec<Line>,
}

fn row_of(node: &GraphNode) -> usize {
    (node.y / ROW_PITCH).round().max(0.0) as usize
}

impl Scene {
    /// Indexes `model`; linear in its size.
    pub fn new(model: GraphModel) -> Scene {
        let row_count = model
            .nodes
            .iter()
            .map(row_of)
            .max()
            .map_or(0, |row| row + 1);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); row_count];
        for node in &model.nodes {
            rows[row_of(node)].push(node.id);
        }
        for row in &mut rows {
            row.sort_by(|&a, &b| {
                model.nodes[a as usize]
                    .x
                    .total_cmp(&model.nodes[b as usize].x)
            });
        }
        let lines = lines(&model);
        let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); row_count.div_ceil(BLOCK_ROWS)];
        for (number, line) in (0u32..).zip(&lines) {
            let ends = [line.from, line.to].map(|id| row_of(&model.nodes[id as usize]));
            let (top, bottom) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            for block in &mut blocks[top / BLOCK_ROWS..=bottom / BLOCK_ROWS] {
                block.push(number);
            }
        }
        Scene {
            model,
            rows,
            lines,
            blocks,
        }
    }

    /// The model that is indexed.
    pub fn model(&self) -> &GraphModel {
        &self.model
    }

    /// The node numbered `id`, if there is one.
    pub fn node(&self, id: u32) -> Option<&GraphNode> {
        self.model.nodes.get(id as usize)
    }

    /// The node that holds `entry`.
    pub fn node_of(&self, entry: EntryIx) -> Option<&GraphNode> {
        self.node(*self.model.node_of.get(entry.get())?)
    }

    /// Centre of a node; the origin when there is no such node.
    pub fn position(&self, id: u32) -> Pos2 {
        self.node(id)
            .map_or(Pos2::ZERO, |node| pos2(node.x, node.y))
    }

    /// The rectangle that holds all nodes.
    pub fn bounds(&self) -> Rect {
        let b = self.model.bounds;
        Rect::from_min_max(pos2(b.min_x, b.min_y), pos2(b.max_x, b.max_y))
    }

    /// What to draw of `rect` (in points of the model) at `zoom`. Where nodes would fall into the
    /// same few pixels the one that matters most is taken, so that the answer is bounded by the
    /// size of the screen and not of the session.
    pub fn slice(&self, rect: Rect, zoom: f32) -> Slice {
        let rect_nodes = rect.expand2(egui::vec2(NODE_WIDTH / 2.0, NODE_HEIGHT / 2.0));
        let Some((first, last)) = self.row_range(rect_nodes) else {
            return Slice::default();
        };
        let mut slice = Slice::default();
        let is_crowded = ROW_PITCH * zoom < 2.0 * CELL_POINTS;
        let mut cells: HashMap<(i32, i32), u32> = HashMap::new();
        for row in &self.rows[first..=last] {
            let start = row.partition_point(|&id| self.position(id).x < rect_nodes.left());
            for &id in &row[start..] {
                let at = self.position(id);
                if at.x > rect_nodes.right() {
                    break;
                }
                if is_crowded {
                    let cell = |v: f32| (v * zoom / CELL_POINTS).floor() as i32;
                    let kept = cells.entry((cell(at.x), cell(at.y))).or_insert(id);
                    if self.weight(id) > self.weight(*kept) {
                        *kept = id;
                    }
                } else {
                    slice.nodes.push(id);
                }
            }
        }
        if is_crowded {
            slice.nodes.extend(cells.into_values());
            slice.nodes.sort_unstable();
        }
        slice.lines = self.lines_in(rect, first, last, zoom);
        slice
    }

    fn row_range(&self, rect: Rect) -> Option<(usize, usize)> {
        let last_row = self.rows.len().checked_sub(1)?;
        if rect.bottom() < 0.0 {
            return None;
        }
        let first = (rect.top() / ROW_PITCH).ceil().max(0.0) as usize;
        let last = ((rect.bottom() / ROW_PITCH).floor() as usize).min(last_row);
        (first <= last).then_some((first, last))
    }

    fn lines_in(&self, rect: Rect, first: usize, last: usize, zoom: f32) -> Vec<Line> {
        // An elbow into the first row comes from the row above it.
        let blocks = first.saturating_sub(1) / BLOCK_ROWS..=last / BLOCK_ROWS;
        let mut numbers: Vec<u32> = self.blocks[blocks].iter().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut seen = std::collections::HashSet::new();
        numbers
            .into_iter()
            .map(|number| self.lines[number as usize])
            .filter(|line| {
                let (from, to) = (self.position(line.from), self.position(line.to));
                let reach = Rect::from_two_pos(from, to).expand(ROW_PITCH / 2.0);
                if !reach.intersects(rect) {
                    return false;
                }
                // Zoomed far out, lines that would cover each other are drawn once.
                let cell = |p: Pos2| ((p.x * zoom) as i32, (p.y * zoom) as i32);
                zoom > 0.3 || seen.insert((cell(from), cell(to), line.class))
            })
            .collect()
    }

    /// How much it matters that a node is seen when there is room for one only.
    fn weight(&self, id: u32) -> u8 {
        let Some(node) = self.node(id) else { return 0 };
        match node.class {
            _ if node.is_active_leaf => 9,
            NodeClass::Compaction => 8,
            NodeClass::BranchSummary => 7,
            _ if node.flag => 6,
            _ if node.has_error => 5,
            NodeClass::User => 4,
            NodeClass::Error
            | NodeClass::Assistant
            | NodeClass::Tool
            | NodeClass::Label
            | NodeClass::System
            | NodeClass::Custom
            | NodeClass::Other
            | NodeClass::Run => 1,
        }
    }
}

/// Joins edges that go straight down into runs; all others stay as they are.
fn lines(model: &GraphModel) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    // Per node, the run that ends in it.
    let mut run_to: HashMap<u32, usize> = HashMap::new();
    let column = |id: u32| model.nodes.get(id as usize).map(|node| node.x);
    for edge in &model.edges {
        if column(edge.from).is_none() || column(edge.to).is_none() {
            continue;
        }
        let is_straight = edge.class != EdgeClass::Bridge && column(edge.from) == column(edge.to);
        if is_straight {
            if let Some(number) = run_to.get(&edge.from).copied()
                && lines[number].class == edge.class
            {
                lines[number].to = edge.to;
                run_to.insert(edge.to, number);
                continue;
            }
            run_to.insert(edge.to, lines.len());
        }
        lines.push(Line {
            from: edge.from,
            to: edge.to,
            class: edge.class,
        });
    }
    lines
}

#[cfg(test)]
mod tests;
