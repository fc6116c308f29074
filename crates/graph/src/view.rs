//! The widget: what is on show, where, and what the user does to it.

mod cut;
mod input;
mod viewport;
mod window;

use crate::draw::plan::Marks;
use crate::draw::user::UserMark;
use crate::event::{NodeRef, TreeEvent};
use crate::palette::Palette;
use crate::scene::Scene;
use cut::Cut;
pub use cut::CutLine;
use egui::{Id, Painter, Rect, Response, Sense, Shape, Ui, UiBuilder};
use egui_graphs::{GraphChange, GraphView, MetadataFrame, SettingsInteraction, SettingsNavigation};
use palimpsest_core::EntryIx;
use palimpsest_core::layout::GraphModel;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::rc::Rc;
use viewport::{Move, Viewport};
use window::{StillLayout, Window};

/// Entries that a plan is about, by their position in the session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Highlight {
    /// Summarized away.
    pub summarized: Vec<u32>,
    /// The beginning of a split turn, summarized apart.
    pub turn_prefix: Vec<u32>,
    /// Kept as they are.
    pub kept: Vec<u32>,
    /// Left out, without a summary.
    pub dropped: Vec<u32>,
    /// Made smaller without a model; each has another part as well.
    pub cleared: Vec<u32>,
}

/// Entries with marks of the user, by their position in the session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserMarks {
    /// With a note.
    pub noted: Vec<u32>,
    /// With a label of the user.
    pub labelled: Vec<u32>,
}

/// The tree of one session on a canvas.
pub struct TreeView {
    id: Id,
    scene: Scene,
    palette: Rc<Palette>,
    selection: Option<EntryIx>,
    /// The plan on display, kept for a rebuild of the model.
    highlight: Highlight,
    /// Per node, its part in the plan; empty when no plan is on show.
    marks: Vec<Marks>,
    /// What the user put on entries, kept for the next model of the session.
    user_marks: UserMarks,
    /// The same per node.
    user: HashMap<u32, UserMark>,
    cut: Cut,
    viewport: Viewport,
    window: Window,
    pending: Option<Move>,
    /// What `show` painted last; painted again while nothing happens.
    painted: Option<Painted>,
    /// The widget's egui id, once it has been shown.
    widget: Option<Id>,
    hovered: Option<u32>,
    reported: Option<Viewport>,
    drawn: u32,
    /// The entry whose screen position is kept when the model is rebuilt.
    anchor: Option<EntryIx>,
}

/// The shapes of a frame and what they depend on.
struct Painted {
    rect: Rect,
    pixels_per_point: f32,
    atlas_fill: f32,
    shapes: Vec<(Rect, Shape)>,
}

impl TreeView {
    /// An empty view; `name` tells several views in one egui context apart.
    pub fn new(name: &str, palette: Palette) -> TreeView {
        TreeView {
            id: Id::new(("palimpsest_tree", name)),
            scene: Scene::default(),
            palette: Rc::new(palette),
            selection: None,
            highlight: Highlight::default(),
            marks: Vec::new(),
            user_marks: UserMarks::default(),
            user: HashMap::new(),
            cut: Cut::default(),
            viewport: Viewport::default(),
            window: Window::default(),
            pending: None,
            painted: None,
            widget: None,
            hovered: None,
            reported: None,
            drawn: 0,
            anchor: None,
        }
    }

    /// Shows `model`. While it is of the same session the view stays where it is (the entry last
    /// unfolded or selected keeps its place on screen) and the plan marked; another session is shown
    /// from its active leaf, without selection or plan. A plan may be set before the first model.
    pub fn set_model(&mut self, model: GraphModel) {
        let is_first = self.scene.model().nodes.is_empty();
        let is_same =
            model.session == self.scene.model().session && !self.scene.model().nodes.is_empty();
        let place = |scene: &Scene, entry: EntryIx| {
            scene.node_of(entry).map(|node| scene.position(node.id))
        };
        let before = self.anchor.and_then(|entry| place(&self.scene, entry));
        self.scene = Scene::new(model);
        if !is_same && !is_first {
            self.highlight = Highlight::default();
            self.user_marks = UserMarks::default();
            self.cut = Cut::default();
        }
        self.cut.place(&self.scene);
        self.mark_all();
        self.mark_user();
        self.hovered = None;
        if is_same {
            let after = self.anchor.and_then(|entry| place(&self.scene, entry));
            if let (Some(before), Some(after)) = (before, after) {
                self.viewport.shift(after - before);
            }
        } else {
            self.selection = None;
            self.anchor = None;
            self.pending = Some(Move::Start);
        }
        self.rebuild();
    }

    /// The model on show.
    pub fn model(&self) -> &GraphModel {
        self.scene.model()
    }

    /// Selects the node that holds `entry`, without moving.
    pub fn set_selection(&mut self, entry: Option<EntryIx>) {
        if self.selection != entry {
            self.selection = entry;
            self.anchor = entry.or(self.anchor);
            self.rebuild();
        }
    }

    /// The selected entry.
    pub fn selection(&self) -> Option<EntryIx> {
        self.selection
    }

    /// Marks the entries of a plan and fades the others; an empty highlight ends that.
    pub fn set_highlight(&mut self, highlight: &Highlight) {
        if self.highlight != *highlight {
            self.highlight = highlight.clone();
            self.mark_all();
            self.rebuild();
        }
    }

    /// Shows which entries have notes and labels of the user.
    pub fn set_user_marks(&mut self, marks: UserMarks) {
        if self.user_marks != marks {
            self.user_marks = marks;
            self.mark_user();
            self.rebuild();
        }
    }

    fn mark_user(&mut self) {
        self.user.clear();
        let node_of = |entry: &u32| self.scene.node_of(EntryIx(*entry)).map(|node| node.id);
        for node in self.user_marks.noted.iter().filter_map(node_of) {
            self.user.entry(node).or_default().note = true;
        }
        for node in self.user_marks.labelled.iter().filter_map(node_of) {
            self.user.entry(node).or_default().label = true;
        }
    }

    /// Sets the entries before which the cut may stand, by position in the session and in the
    /// order of the path.
    pub fn set_cut_places(&mut self, places: &[u32]) {
        let places = places.iter().copied().map(EntryIx).collect();
        self.cut.set_places(places, &self.scene);
        self.painted = None;
    }

    /// Shows where the plan cuts, or that it does not. A cut that is held stays with the pointer.
    pub fn set_cut(&mut self, line: Option<CutLine>) {
        if self.cut.line() != line.as_ref() {
            self.cut.set_line(line);
            self.painted = None;
        }
    }

    /// Takes the cut from the pointer that holds it.
    pub fn let_go_of_cut(&mut self) {
        self.cut.let_go();
    }

    fn mark_all(&mut self) {
        self.marks.clear();
        if self.highlight == Highlight::default() {
            return;
        }
        self.marks
            .resize(self.scene.model().nodes.len(), Marks::default());
        let highlight = self.highlight.clone();
        self.mark(&highlight.summarized, |marks| marks.summarized = true);
        self.mark(&highlight.turn_prefix, |marks| marks.turn_prefix = true);
        self.mark(&highlight.kept, |marks| marks.kept = true);
        self.mark(&highlight.dropped, |marks| marks.dropped = true);
        self.mark(&highlight.cleared, |marks| marks.cleared = true);
    }

    fn mark(&mut self, entries: &[u32], set: impl Fn(&mut Marks)) {
        for &entry in entries {
            if let Some(node) = self.scene.node_of(EntryIx(entry)) {
                set(&mut self.marks[node.id as usize]);
            }
        }
    }

    /// Changes the colours.
    pub fn set_palette(&mut self, palette: Palette) {
        if *self.palette != palette {
            self.palette = Rc::new(palette);
            self.rebuild();
        }
    }

    /// Shows the whole tree, or as much of it as can still be told apart, from its active leaf.
    pub fn fit(&mut self) {
        self.go(Move::Fit);
    }

    /// Brings an entry to the middle.
    pub fn center_on(&mut self, entry: EntryIx) {
        self.go(Move::Center(entry));
    }

    /// Moves just so far that an entry is on screen; not at all when it is.
    pub fn reveal(&mut self, entry: EntryIx) {
        self.go(Move::Reveal(entry));
    }

    /// Zooms round the middle; above 1 is nearer.
    pub fn zoom(&mut self, factor: f32) {
        self.go(Move::Zoom(factor));
    }

    /// Points on screen per point of the model.
    pub fn zoom_level(&self) -> f32 {
        self.viewport.zoom
    }

    /// Where a model position is on screen, after the view has been shown in `rect`.
    pub fn to_screen(&self, rect: Rect, at: egui::Pos2) -> egui::Pos2 {
        self.viewport.to_screen(rect, at)
    }

    /// Must be called after egui's fonts were replaced: old shapes point into the old glyphs.
    pub fn fonts_changed(&mut self) {
        self.rebuild();
    }

    /// The colour behind everything.
    pub fn background(&self) -> egui::Color32 {
        self.palette.background
    }

    /// Number of frames that were redrawn instead of repainted.
    pub fn drawn_frames(&self) -> u32 {
        self.drawn
    }

    /// Number of shapes of the last frame.
    pub fn painted_shapes(&self) -> usize {
        self.painted
            .as_ref()
            .map_or(0, |painted| painted.shapes.len())
    }

    /// Number of nodes handed to the graph for the last frame.
    pub fn window_nodes(&self) -> usize {
        self.window.ids.len()
    }

    fn go(&mut self, to: Move) {
        // A move before the first frame must not undo the other: the start comes first anyway.
        if let Some(Move::Start) = self.pending
            && let Move::Reveal(_) = to
        {
            return;
        }
        self.pending = Some(to);
        self.painted = None;
    }

    fn rebuild(&mut self) {
        self.window.forget();
        self.painted = None;
    }

    /// Draws the view into all of the space left in `ui` and returns what the user did.
    ///
    /// Asks for one more frame after every frame in which something happened, and for none after
    /// a frame in which nothing did.
    pub fn show(&mut self, ui: &mut Ui) -> Vec<TreeEvent> {
        let rect = ui.available_rect_before_wrap();
        let builder = UiBuilder::new().id_salt(self.id).max_rect(rect);
        ui.scope_builder(builder, |ui| {
            if !(rect.width() >= 1.0 && rect.height() >= 1.0) {
                return Vec::new();
            }
            if self.repaint_as_before(ui, rect) {
                return Vec::new();
            }
            self.show_anew(ui, rect)
        })
        .inner
    }

    /// Paints the last frame's shapes when nothing can have changed; says whether it did.
    fn repaint_as_before(&mut self, ui: &mut Ui, rect: Rect) -> bool {
        let has_input = ui.input(|i| {
            !i.events.is_empty()
                || i.smooth_scroll_delta != egui::Vec2::ZERO
                || i.zoom_delta() != 1.0
        });
        let fill = ui.fonts(|fonts| fonts.font_atlas_fill_ratio());
        let Some(painted) = &self.painted else {
            return false;
        };
        // A rebuilt glyph texture (it only fills otherwise) has the glyphs in other positions than
        // the old shapes expect.
        if has_input
            || painted.rect != rect
            || painted.pixels_per_point != ui.pixels_per_point()
            || fill < painted.atlas_fill
        {
            return false;
        }
        // The widget must be there for the pointer to be found over it in the next frame.
        ui.allocate_response(ui.available_size(), Sense::click_and_drag());
        self.cut.point(ui.ctx());
        for (clip, shape) in &painted.shapes {
            Painter::new(ui.ctx().clone(), ui.layer_id(), *clip).add(shape.clone());
        }
        true
    }

    fn show_anew(&mut self, ui: &mut Ui, rect: Rect) -> Vec<TreeEvent> {
        let mut events = Vec::new();
        if self.widget.is_none() {
            // The library fits an unknown graph to the screen in its first frame, whatever it is
            // told; it gets an empty one for that frame, which is then thrown away.
            let response = window::show_nothing(ui, self.key());
            self.widget = Some(response.id);
            ui.ctx()
                .request_discard("the first frame only registers the canvas");
            return events;
        }
        self.drawn = self.drawn.wrapping_add(1);
        if let Some(to) = self.pending.take() {
            self.viewport.go(to, &self.scene, rect.size());
        }
        let mut is_cutting = false;
        if let Some(response) = self.widget.and_then(|id| ui.ctx().read_response(id)) {
            let (viewport, scene) = (&mut self.viewport, &self.scene);
            is_cutting = self
                .cut
                .follow(ui, &response, viewport, scene, rect, &mut events);
            if !is_cutting {
                input::navigate(ui, &response, viewport, scene, rect);
            }
        }
        let layer = ui.layer_id();
        let first_shape = ui
            .ctx()
            .graphics(|layers| layers.get(layer).map_or(0, |list| list.all_entries().len()));
        ui.painter().rect_filled(rect, 0.0, self.palette.background);

        self.window.prepare(
            &self.scene,
            &self.viewport,
            rect.size(),
            &window::Looks {
                palette: &self.palette,
                marks: &self.marks,
                user: &self.user,
                selected: self.selected_node(),
            },
        );
        let (response, changes) = self.show_graph(ui, rect);
        self.widget = Some(response.id);
        self.cut.paint(
            ui.painter(),
            self.viewport,
            &self.palette,
            rect,
            &mut events,
        );
        self.cut.point(ui.ctx());

        let shapes = ui.ctx().graphics(|layers| {
            let list = layers.get(layer);
            list.map_or_else(Vec::new, |list| {
                let entries = list.all_entries().skip(first_shape);
                entries
                    .map(|entry| (entry.clip_rect, entry.shape.clone()))
                    .collect()
            })
        });
        self.painted = Some(Painted {
            rect,
            pixels_per_point: ui.pixels_per_point(),
            atlas_fill: ui.fonts(|fonts| fonts.font_atlas_fill_ratio()),
            shapes,
        });
        // What the pointer does with the cut it does not do with the cards below.
        let changes = if is_cutting { Vec::new() } else { changes };
        self.report(&response, &changes, rect, &mut events);
        events
    }

    fn show_graph(&mut self, ui: &mut Ui, rect: Rect) -> (Response, Vec<GraphChange>) {
        let mut frame = MetadataFrame::new(Some(self.key())).load(ui);
        frame.zoom = self.viewport.zoom;
        frame.pan = self
            .viewport
            .pan_from(self.window.origin, rect.size(), ui.pixels_per_point());
        frame.save(ui);
        let shown = GraphView::<StillLayout, StillLayout>::new()
            .with_id(Some(self.key()))
            .with_interactions(
                &SettingsInteraction::new()
                    .with_hover_enabled(true)
                    .with_node_clicking_enabled(true),
            )
            .with_navigations(
                &SettingsNavigation::new()
                    .with_zoom_and_pan_enabled(false)
                    .with_fit_to_screen_enabled(false),
            )
            .show(ui, &mut self.window.graph);
        (shown.response, shown.changes)
    }

    fn key(&self) -> String {
        format!("{:?}", self.id)
    }

    fn selected_node(&self) -> Option<u32> {
        self.selection
            .and_then(|entry| self.scene.node_of(entry))
            .map(|node| node.id)
    }

    fn report(
        &mut self,
        response: &Response,
        changes: &[GraphChange],
        rect: Rect,
        events: &mut Vec<TreeEvent>,
    ) {
        for change in changes {
            match change {
                GraphChange::NodeClicked { node } => {
                    self.clicked(node.index(), response, rect, events);
                }
                GraphChange::NodeDoubleClicked { node } => {
                    if let Some(node) = self.window.node(&self.scene, node.index()) {
                        events.push(TreeEvent::NodeActivated(NodeRef::from(node)));
                    }
                }
                _ => {}
            }
        }
        let hovered = self
            .window
            .graph
            .hovered_node()
            .and_then(|node| self.window.ids.get(node.index()).copied())
            .filter(|_| response.hovered());
        if hovered != self.hovered {
            self.hovered = hovered;
            events.push(self.hover_event(response, rect));
        }
        if self.reported != Some(self.viewport) {
            self.reported = Some(self.viewport);
            events.push(self.viewport.event());
        }
    }

    fn clicked(
        &mut self,
        index: usize,
        response: &Response,
        rect: Rect,
        events: &mut Vec<TreeEvent>,
    ) {
        let Some(node) = self.window.node(&self.scene, index) else {
            return;
        };
        let (reference, last) = (NodeRef::from(node), node.last);
        let (group, expanded) = (node.group, node.is_expanded);
        let on_toggle = self.window.card(index).is_some_and(|card| {
            let center = self.viewport.to_screen(rect, self.scene.position(node.id));
            let area = Rect::from_center_size(center, card.size() * self.viewport.zoom);
            let toggle = card.toggle_rect(area, self.viewport.zoom);
            let pointer = response.interact_pointer_pos().or(response.hover_pos());
            toggle
                .zip(pointer)
                .is_some_and(|(toggle, at)| toggle.contains(at))
        });
        if on_toggle {
            self.anchor = Some(group);
            events.push(TreeEvent::NodeToggled {
                group: group.0,
                expanded: !expanded,
            });
        } else {
            self.set_selection(Some(last));
            events.push(TreeEvent::NodeSelected(reference));
        }
    }

    fn hover_event(&self, response: &Response, rect: Rect) -> TreeEvent {
        let node = self.hovered.and_then(|id| self.scene.node(id));
        let area = match node {
            Some(node) => Rect::from_center_size(
                self.viewport.to_screen(rect, self.scene.position(node.id)),
                egui::vec2(
                    palimpsest_core::layout::NODE_WIDTH,
                    palimpsest_core::layout::NODE_HEIGHT,
                ) * self.viewport.zoom,
            ),
            None => Rect::from_center_size(
                response.hover_pos().unwrap_or(rect.center()),
                egui::Vec2::ZERO,
            ),
        };
        TreeEvent::Hover {
            node: node.map(NodeRef::from),
            x: area.left() - rect.left(),
            y: area.top() - rect.top(),
            width: area.width(),
            height: area.height(),
        }
    }
}

/// The sessions of the bench serve the tests too.
#[cfg(test)]
#[path = "../benches/sample/mod.rs"]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
