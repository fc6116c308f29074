//! Where nodes lie: a tidy tree with straight lines.
//!
//! Rows are depths. Each node continues straight down into one child, its *spine*: the child on
//! the active path, else the one with the tallest subtree (the newer of equals). Older siblings of
//! the spine go to its left, newer ones to its right, each as near as the rows it shares with
//! what is already there allow. Like Reingold and Tilford's layout this compares contours, but
//! since every spine is placed once and a side branch costs its height, the heights of side
//! branches add up to at most the number of nodes: linear time, no recursion.

use super::model::GraphBounds;

/// Width of a node, in points.
pub const NODE_WIDTH: f32 = 256.0;
/// Height of a node, in points.
pub const NODE_HEIGHT: f32 = 40.0;
/// Distance between the centres of neighbours in a row, in points.
pub const COLUMN_PITCH: f32 = 280.0;
/// Distance between the centres of parent and child, in points.
pub const ROW_PITCH: f32 = 60.0;

/// Centres of nodes, in points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placement {
    /// Horizontal centres; the spine from the active root is at 0.
    pub x: Vec<f32>,
    /// Vertical centres; roots are at 0.
    pub y: Vec<f32>,
}

impl Placement {
    /// The rectangle that holds all nodes whole; all zero when there are none.
    pub fn bounds(&self) -> GraphBounds {
        let range = |values: &[f32]| {
            let low = values.iter().copied().fold(f32::INFINITY, f32::min);
            let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            (low, high)
        };
        if self.x.is_empty() {
            return GraphBounds::default();
        }
        let (left, right) = range(&self.x);
        let (top, bottom) = range(&self.y);
        GraphBounds {
            min_x: left - NODE_WIDTH / 2.0,
            min_y: top - NODE_HEIGHT / 2.0,
            max_x: right + NODE_WIDTH / 2.0,
            max_y: bottom + NODE_HEIGHT / 2.0,
        }
    }
}

/// The rows a placed subtree takes up, relative to its top: leftmost and rightmost column.
/// Columns are in units of [`COLUMN_PITCH`].
struct Contour {
    left: Vec<i64>,
    right: Vec<i64>,
}

/// Places the nodes of a forest.
///
/// `parents[i]` is the parent of node `i` and smaller than `i`; siblings and roots are in time
/// order. `active` is the node of the active leaf, whose path is kept at `x == 0`.
pub fn place(parents: &[Option<u32>], active: Option<u32>) -> Placement {
    let count = parents.len();
    // One more node above the roots makes the forest a tree; it is dropped at the end.
    let top = count;
    let parent_of = |i: usize| parents[i].map_or(top, |parent| parent as usize);

    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    let mut rows = vec![0u32; count + 1];
    for i in 0..count {
        children[parent_of(i)].push(i);
        // Parents have smaller numbers, so one pass in order finds every row.
        rows[i] = parents[i].map_or(0, |parent| rows[parent as usize] + 1);
    }
    let spine = spines(parents, &children, active);

    // Column of each node relative to its parent.
    let mut shift = vec![0i64; count + 1];
    let mut contours: Vec<Option<Contour>> = Vec::new();
    contours.resize_with(count + 1, || None);
    // Nodes below have larger numbers, so spine tops in falling order find their side branches
    // placed; the extra node comes last.
    let is_spine_top = |i: usize| spine[parent_of(i)] != Some(i);
    for start in (0..count).rev().filter(|&i| is_spine_top(i)).chain([top]) {
        let contour = place_spine(start, &children, &spine, &mut contours, &mut shift);
        contours[start] = Some(contour);
    }

    let mut columns = vec![0i64; count + 1];
    for i in 0..count {
        columns[i] = columns[parent_of(i)] + shift[i];
    }
    let to_points = |steps: f64, pitch: f32| (steps * f64::from(pitch)) as f32;
    Placement {
        x: columns[..count]
            .iter()
            .map(|&c| to_points(c as f64, COLUMN_PITCH))
            .collect(),
        y: rows[..count]
            .iter()
            .map(|&row| to_points(f64::from(row), ROW_PITCH))
            .collect(),
    }
}

/// For each node, and for the extra one above the roots, the child right below it.
fn spines(
    parents: &[Option<u32>],
    children: &[Vec<usize>],
    active: Option<u32>,
) -> Vec<Option<usize>> {
    let count = parents.len();
    let mut heights = vec![0u32; count];
    // Backwards, because children have larger numbers.
    for i in (0..count).rev() {
        if let Some(parent) = parents[i] {
            let parent = parent as usize;
            heights[parent] = heights[parent].max(heights[i] + 1);
        }
    }
    let mut spine: Vec<Option<usize>> = children
        .iter()
        .map(|list| {
            list.iter()
                .copied()
                .max_by_key(|&child| (heights[child], child))
        })
        .collect();
    let mut at = active.map(|node| node as usize);
    while let Some(node) = at {
        let above = parents[node].map(|parent| parent as usize);
        spine[above.unwrap_or(count)] = Some(node);
        at = above;
    }
    spine
}

/// Hangs the side branches on the spine that begins at `start` and returns the contour of it all.
fn place_spine(
    start: usize,
    children: &[Vec<usize>],
    spine: &[Option<usize>],
    contours: &mut [Option<Contour>],
    shift: &mut [i64],
) -> Contour {
    let path: Vec<usize> = std::iter::successors(Some(start), |&node| spine[node]).collect();
    let mut whole = Contour {
        left: vec![0; path.len()],
        right: vec![0; path.len()],
    };
    // From the bottom up: branches that leave higher pass outside those that leave lower.
    for (row, &node) in path.iter().enumerate().rev() {
        let Some(below) = spine[node] else { continue };
        let list = &children[node];
        let middle = list.iter().position(|&child| child == below).unwrap_or(0);
        // Nearest siblings first, so that time runs outwards on both sides.
        for &child in &list[middle + 1..] {
            // Taken, not borrowed: each side branch is placed once, which keeps the whole linear.
            let Some(side) = contours[child].take() else {
                continue;
            };
            shift[child] = hang(&mut whole, &side, row + 1, 1);
        }
        for &child in list[..middle].iter().rev() {
            let Some(side) = contours[child].take() else {
                continue;
            };
            shift[child] = hang(&mut whole, &side, row + 1, -1);
        }
    }
    whole
}

/// Puts `side` beside `whole` with its top in `row`, on the right (`direction` 1) or left (-1),
/// and returns its column.
fn hang(whole: &mut Contour, side: &Contour, row: usize, direction: i64) -> i64 {
    let mut reach = direction;
    // Only shared rows count. A side branch can be taller than the spine, where the spine is the
    // active path.
    for depth in 0..side.left.len() {
        let Some(&right) = whole.right.get(row + depth) else {
            break;
        };
        let left = whole.left[row + depth];
        reach = if direction > 0 {
            reach.max(right - side.left[depth] + 1)
        } else {
            reach.min(left - side.right[depth] - 1)
        };
    }
    for depth in 0..side.left.len() {
        let (left, right) = (reach + side.left[depth], reach + side.right[depth]);
        if row + depth < whole.left.len() {
            whole.left[row + depth] = whole.left[row + depth].min(left);
            whole.right[row + depth] = whole.right[row + depth].max(right);
        } else {
            whole.left.push(left);
            whole.right.push(right);
        }
    }
    reach
}
