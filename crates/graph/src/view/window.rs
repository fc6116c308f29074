//! The part of the scene that the graph library is given.

use super::viewport::Viewport;
use crate::draw::card::{Card, CardRef, CardShape};
use crate::draw::line::{LineShape, Stroked};
use crate::draw::plan::Marks;
use crate::draw::user::UserMark;
use crate::palette::Palette;
use crate::scene::Scene;
use egui::{Rect, Response, Ui, Vec2};
use egui_graphs::{DisplayEdge, DisplayNode, Graph, GraphView, Layout, LayoutState};
use palimpsest_core::layout::GraphNode;
use petgraph::stable_graph::{DefaultIx, IndexType, NodeIndex};
use petgraph::{Directed, EdgeType};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::rc::Rc;

/// The graph the library draws.
pub(super) type TreeGraph = Graph<CardRef, Stroked, Directed, DefaultIx, CardShape, LineShape>;

/// How far beyond the screen nodes are loaded, as a share of its size: panning by less needs no
/// new graph.
const MARGIN: f32 = 0.5;

/// What a node's look depends on beside the node.
pub(super) struct Looks<'a> {
    pub palette: &'a Rc<Palette>,
    pub marks: &'a [Marks],
    pub user: &'a HashMap<u32, UserMark>,
    pub selected: Option<u32>,
}

/// The nodes and lines near the screen, as a graph.
#[derive(Default)]
pub(super) struct Window {
    pub graph: TreeGraph,
    /// Model position that is the graph's origin; near the screen, so that a session a million
    /// points tall keeps its pixels apart in single precision.
    pub origin: (f64, f64),
    /// Per node of the graph, its number in the model.
    pub ids: Vec<u32>,
    /// The rectangle and zoom it was made for.
    loaded: Option<(Rect, f32)>,
}

impl Window {
    /// Makes the next [`Window::prepare`] start from scratch.
    pub(super) fn forget(&mut self) {
        self.loaded = None;
    }

    /// Loads what is near the screen, unless it is there.
    pub(super) fn prepare(
        &mut self,
        scene: &Scene,
        viewport: &Viewport,
        size: Vec2,
        looks: &Looks<'_>,
    ) {
        let seen = viewport.visible(size);
        let is_loaded = self
            .loaded
            .is_some_and(|(rect, zoom)| rect.contains_rect(seen) && zoom == viewport.zoom);
        if is_loaded {
            return;
        }
        let rect = seen.expand2(seen.size() * MARGIN);
        let slice = scene.slice(rect, viewport.zoom);
        self.loaded = Some((rect, viewport.zoom));
        self.origin = (viewport.x.round(), viewport.y.round());
        self.graph = TreeGraph::default();
        self.ids.clear();
        let mut indices: HashMap<u32, NodeIndex> = HashMap::with_capacity(slice.nodes.len());
        for &id in &slice.nodes {
            let Some(node) = scene.node(id) else { continue };
            let card = Card {
                node: node.clone(),
                palette: looks.palette.clone(),
                marks: looks.marks.get(id as usize).copied(),
                user: looks.user.get(&id).copied().unwrap_or_default(),
                zoom: viewport.zoom,
            };
            let index = self.add(scene, id, Some(Rc::new(card)), looks.selected == Some(id));
            indices.insert(id, index);
        }
        for line in &slice.lines {
            let ends = [line.from, line.to].map(|id| {
                indices.get(&id).copied().unwrap_or_else(|| {
                    let index = self.add(scene, id, None, false);
                    indices.insert(id, index);
                    index
                })
            });
            let stroked = Stroked {
                class: line.class,
                palette: looks.palette.clone(),
            };
            self.graph
                .add_edge_custom(ends[0], ends[1], stroked, |_| {});
        }
    }

    fn add(&mut self, scene: &Scene, id: u32, card: CardRef, selected: bool) -> NodeIndex {
        let at = scene.position(id);
        let local = egui::pos2(
            (f64::from(at.x) - self.origin.0) as f32,
            (f64::from(at.y) - self.origin.1) as f32,
        );
        self.ids.push(id);
        self.graph.add_node_custom(card, |node| {
            node.set_location(local);
            node.set_selected(selected);
        })
    }

    /// The model's node behind a node of the graph.
    pub(super) fn node<'a>(&self, scene: &'a Scene, index: usize) -> Option<&'a GraphNode> {
        scene.node(*self.ids.get(index)?)
    }

    /// The card of a node of the graph.
    pub(super) fn card(&self, index: usize) -> Option<&Card> {
        self.graph.node(NodeIndex::new(index))?.payload().as_deref()
    }
}

/// Shows an empty graph under `key`.
pub(super) fn show_nothing(ui: &mut Ui, key: String) -> Response {
    GraphView::<StillLayout, StillLayout>::new()
        .with_id(Some(key))
        .show(ui, &mut TreeGraph::default())
        .response
}

/// A layout that leaves every node where the model put it.
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
