//! The part of the picture that the graph library is given: cards near the screen, and the lines
//! between lanes.

use super::viewport::Viewport;
use crate::blocks::{self, Block, GAP};
use crate::draw::card::{Card, CardRef, CardShape};
use crate::draw::line::{LineShape, Stroked};
use crate::draw::plan::Marks;
use crate::draw::user::UserMark;
use crate::frame::Frame;
use crate::palette::Palette;
use crate::scene::Scene;
use egui::{Pos2, Response, Ui, pos2, vec2};
use egui_graphs::{DisplayEdge, DisplayNode, Graph, GraphView, Layout, LayoutState};
use palimpsest_core::layout::{LaneKind, short_count};
use petgraph::stable_graph::{DefaultIx, IndexType, NodeIndex};
use petgraph::{Directed, EdgeType};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// The graph the library draws.
pub(super) type TreeGraph = Graph<CardRef, Stroked, Directed, DefaultIx, CardShape, LineShape>;

/// How far beyond the screen cards are loaded, as a share of its height: panning by less needs no
/// new graph.
const MARGIN: f64 = 0.5;
/// Most lines between lanes that are drawn at once; more cannot be told apart.
const MOST_LINES: usize = 400;

/// What a card's look depends on beside its rows.
pub(super) struct Looks<'a> {
    pub palette: &'a Rc<Palette>,
    pub marks: &'a [Marks],
    pub user: &'a HashMap<u32, UserMark>,
    pub selected: Option<u32>,
}

/// What is loaded.
#[derive(Debug, Clone, PartialEq)]
struct Loaded {
    units: Range<f64>,
    scale: f32,
    frame: Frame,
}

/// The cards and lines near the screen, as a graph.
#[derive(Default)]
pub(super) struct Window {
    pub graph: TreeGraph,
    /// Height in units that is the graph's origin; near the screen, so that a session a million
    /// points tall keeps its pixels apart in single precision.
    pub origin: f64,
    loaded: Option<Loaded>,
    /// All cards at a scale, where rows share them.
    shared: Option<(f32, Vec<Block>)>,
}

impl Window {
    /// Makes the next [`Window::prepare`] start from scratch.
    pub(super) fn forget(&mut self) {
        self.loaded = None;
        self.shared = None;
    }

    /// Number of cards that are loaded.
    pub(super) fn cards(&self) -> usize {
        let nodes = self.graph.nodes_iter();
        nodes.filter(|(_, node)| node.payload().is_some()).count()
    }

    /// Loads what is near the screen, unless it is there.
    pub(super) fn prepare(
        &mut self,
        scene: &Scene,
        viewport: &Viewport,
        frame: &Frame,
        looks: &Looks<'_>,
    ) {
        let seen = viewport.seen(frame);
        let scale = viewport.scale;
        let is_loaded = self.loaded.as_ref().is_some_and(|loaded| {
            loaded.units.start <= seen.start
                && loaded.units.end >= seen.end
                && loaded.scale == scale
                && loaded.frame == *frame
        });
        if is_loaded {
            return;
        }
        let more = (seen.end - seen.start) * MARGIN;
        let units = seen.start - more..seen.end + more;
        self.origin = viewport.y.round();
        self.graph = TreeGraph::default();
        if !blocks::is_near(scale) && self.shared.as_ref().is_none_or(|(of, _)| *of != scale) {
            self.shared = Some((scale, blocks::blocks(scene, scale)));
        }
        let shared = self.shared.as_ref().map_or(&[][..], |(_, blocks)| blocks);
        for block in blocks::visible(scene, shared, scale, &units) {
            self.add_card(scene, &block, scale, frame, looks);
        }
        self.add_lines(scene, &units, scale, frame, looks.palette);
        self.loaded = Some(Loaded {
            units,
            scale,
            frame: *frame,
        });
    }

    /// Place in the graph of a height and a place across the screen.
    fn local(&self, frame: &Frame, scale: f32, x: f32, units: f64) -> Pos2 {
        let down = (units - self.origin) * f64::from(scale);
        pos2(x - frame.pane.left(), down as f32)
    }

    fn add_card(
        &mut self,
        scene: &Scene,
        block: &Block,
        scale: f32,
        frame: &Frame,
        looks: &Looks<'_>,
    ) {
        let Some(first) = scene.row(block.first) else {
            return;
        };
        let (top, bottom) = (scene.top(block.first), scene.bottom(block.last));
        let height = ((bottom - top) as f32 * scale - GAP).max(6.0);
        let rows = block.first..=block.last;
        let marks = (!looks.marks.is_empty()).then(|| {
            let of_rows = rows.clone().filter_map(|row| looks.marks.get(row as usize));
            of_rows.fold(Marks::default(), |all, one| all.with(*one))
        });
        let user = if looks.user.is_empty() {
            UserMark::default()
        } else {
            let of_rows = rows.clone().filter_map(|row| looks.user.get(&row));
            of_rows.fold(UserMark::default(), |all, one| UserMark {
                note: all.note || one.note,
                label: all.label || one.label,
            })
        };
        let lines = blocks::lines(scene, block, scale, height);
        let hidden = blocks::hidden_prompts(scene, block, &lines);
        // The card looks like what its first line is about.
        let lead = lines.first().and_then(|line| scene.row(line.row));
        let last = scene.row(block.last).unwrap_or(first);
        let card = Card {
            block: *block,
            lines,
            tail: short_count(last.size),
            hidden,
            size: vec2(frame.cards.span(), height),
            class: lead.unwrap_or(first).class,
            is_active: first.on_active_path,
            is_leaf: last.is_active_leaf,
            selected: looks.selected.filter(|row| rows.contains(row)),
            marks,
            user,
            palette: looks.palette.clone(),
        };
        let middle = f64::from(top) + f64::from(height + GAP) / f64::from(2.0 * scale);
        let at = self.local(frame, scale, frame.cards.center(), middle);
        self.graph
            .add_node_custom(Some(Rc::new(card)), |node| node.set_location(at));
    }

    fn add_lines(
        &mut self,
        scene: &Scene,
        units: &Range<f64>,
        scale: f32,
        frame: &Frame,
        palette: &Rc<Palette>,
    ) {
        let reaches = |from: u32, to: u32| {
            let (from, to) = (f64::from(scene.top(from)), f64::from(scene.top(to)));
            from.min(to) < units.end && from.max(to) > units.start
        };
        let edge = |row: u32| {
            let size = scene.row(row).map_or(0, |row| row.size);
            frame.x_of(size as f64).min(frame.river.max)
        };
        let lane_of = |row: u32| {
            let lane = scene.row(row).map_or(0, |row| row.lane);
            scene
                .picture()
                .lanes
                .get(lane as usize)
                .map_or(0, |lane| lane.column)
        };
        let x_of = |row: u32| match lane_of(row) {
            0 => edge(row),
            column => frame.lane(column),
        };
        let mut ends: Vec<(Option<LaneKind>, Pos2, Pos2)> = Vec::new();
        for lane in scene.picture().lanes.iter().skip(1) {
            if let Some(from) = lane.from.filter(|&from| reaches(from, lane.first)) {
                let bottom = f64::from(scene.bottom(from));
                let start = self.local(frame, scale, x_of(from), bottom);
                let top = f64::from(scene.top(lane.first)).max(bottom);
                let end = self.local(frame, scale, frame.lane(lane.column), top);
                ends.push((Some(lane.kind), start, end));
            }
        }
        for &(from, to) in &scene.picture().bridges {
            if reaches(from, to) {
                let start = self.local(frame, scale, x_of(from), f64::from(scene.bottom(from)));
                let end = self.local(frame, scale, x_of(to) + 7.0, f64::from(scene.top(to)));
                ends.push((None, start, end));
            }
        }
        for (lane, from, to) in ends.into_iter().take(MOST_LINES) {
            let [from, to] = [from, to].map(|at| self.add_end(at));
            let stroked = Stroked {
                lane,
                palette: palette.clone(),
            };
            self.graph.add_edge_custom(from, to, stroked, |_| {});
        }
    }

    fn add_end(&mut self, at: Pos2) -> NodeIndex {
        self.graph
            .add_node_custom(None, |node| node.set_location(at))
    }

    /// The card of a node of the graph.
    pub(super) fn card(&self, index: NodeIndex) -> Option<(&Card, Pos2)> {
        let node = self.graph.node(index)?;
        Some((node.payload().as_deref()?, node.location()))
    }

    /// The rows that have lines on the loaded cards.
    pub(super) fn line_rows(&self) -> impl Iterator<Item = u32> {
        let cards = self
            .graph
            .nodes_iter()
            .filter_map(|(_, node)| node.payload().as_deref());
        let lines = cards.flat_map(|card| &card.lines);
        lines.filter(|line| !line.is_count).map(|line| line.row)
    }
}

/// Shows an empty graph under `key`.
pub(super) fn show_nothing(ui: &mut Ui, key: String) -> Response {
    GraphView::<StillLayout, StillLayout>::new()
        .with_id(Some(key))
        .show(ui, &mut TreeGraph::default())
        .response
}

/// A layout that leaves every node where it was put.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct StillLayout;

impl LayoutState for StillLayout {}

impl Layout<StillLayout> for StillLayout {
    fn from_state(state: StillLayout) -> impl Layout<StillLayout> {
        state
    }

    fn next<N, E, Ty, Ix, Dn, De>(&mut self, _: &mut Graph<N, E, Ty, Ix, Dn, De>, _: &Ui)
    where
        N: Clone,
        E: Clone,
        Ty: EdgeType,
        Ix: IndexType,
        Dn: DisplayNode<N, E, Ty, Ix>,
        De: DisplayEdge<N, E, Ty, Ix, Dn>,
    {
    }

    fn state(&self) -> StillLayout {
        StillLayout
    }
}
