//! The widget: what is on show, where, and what the user does to it.

mod cut;
mod input;
mod marked;
mod viewport;
mod window;

use crate::draw::lanes::{self, Scale};
use crate::draw::plan;
use crate::draw::{head, map, times};
use crate::event::{RowFacts, RowRef, TreeEvent};
use crate::frame::{Distance, Frame};
use crate::palette::Palette;
use crate::scene::Scene;
use cut::Cut;
pub use cut::CutLine;
use egui::{Id, Painter, Pos2, Rect, Response, Sense, Shape, Ui, UiBuilder};
use egui_graphs::{GraphChange, GraphView, MetadataFrame, SettingsInteraction, SettingsNavigation};
use marked::Marked;
pub use marked::{Highlight, UserMarks};
use palimpsest_core::EntryIx;
use palimpsest_core::layout::Picture;
use std::collections::HashSet;
use std::rc::Rc;
use viewport::{Move, Viewport};
use window::{StillLayout, Window};

/// Most texts that are asked for at once.
const MOST_TEXTS: usize = 100;
/// Longest time between two steps of a smooth way that is believed, in seconds.
const LONGEST_STEP: f32 = 0.1;

/// The picture of one session on a canvas.
pub struct TreeView {
    id: Id,
    scene: Scene,
    palette: Rc<Palette>,
    selection: Option<EntryIx>,
    marked: Marked,
    cut: Cut,
    viewport: Viewport,
    /// Where a smooth way leads.
    goal: Option<Viewport>,
    is_smooth: bool,
    /// The last frame showed just the whole session.
    is_whole: bool,
    window: Window,
    pending: Option<Move>,
    /// What `show` painted last; painted again while nothing happens.
    painted: Option<Painted>,
    /// The widget's egui id, once it has been shown.
    widget: Option<Id>,
    hovered: Option<u32>,
    reported: Option<(Viewport, Rect)>,
    /// Entries whose texts were asked for.
    asked: HashSet<EntryIx>,
    /// Distance of the local time from UTC, in seconds.
    offset_s: i64,
    drawn: u32,
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
            marked: Marked::default(),
            cut: Cut::default(),
            viewport: Viewport::default(),
            goal: None,
            is_smooth: true,
            is_whole: false,
            window: Window::default(),
            pending: None,
            painted: None,
            widget: None,
            hovered: None,
            reported: None,
            asked: HashSet::new(),
            offset_s: 0,
            drawn: 0,
        }
    }

    /// Shows `picture`. While it is of the same session the view stays where it is (the row in the
    /// middle keeps its place on screen, and what was seen whole still is) and the plan marked; another session is shown whole,
    /// without selection or plan. A plan may be set before the first picture.
    pub fn set_picture(&mut self, picture: Picture) {
        let is_first = self.scene.picture().rows.is_empty();
        let is_same = !is_first && picture.session == self.scene.picture().session;
        let middle = self.scene.row_at(self.viewport.y);
        let anchor = middle.and_then(|row| self.scene.row(row)).map(|row| {
            let within = self.viewport.y - f64::from(self.scene.top(row.id));
            (row.entry, within)
        });
        let mut before = std::mem::replace(&mut self.scene, Scene::new(picture));
        if !is_same && !is_first {
            self.marked = Marked::default();
            self.cut = Cut::default();
        }
        self.cut.place(&self.scene);
        self.marked.place(&self.scene);
        self.hovered = None;
        if is_same {
            self.scene.keep_texts(&mut before);
            let row = anchor.and_then(|(entry, within)| Some((self.scene.row_of(entry)?, within)));
            if let Some((row, within)) = row {
                self.viewport.y = f64::from(self.scene.top(row.id)) + within;
            }
            if self.is_whole {
                self.is_smooth = false;
                self.pending = Some(Move::Fit);
            }
        } else {
            self.selection = None;
            self.asked.clear();
            self.goal = None;
            self.is_smooth = false;
            self.pending = Some(Move::Fit);
        }
        self.rebuild();
    }

    /// The picture on show.
    pub fn picture(&self) -> &Picture {
        self.scene.picture()
    }

    /// Keeps texts that were asked for.
    pub fn set_texts(&mut self, texts: Vec<(EntryIx, String)>) {
        for (entry, text) in texts {
            self.scene.set_text(entry, text);
        }
        self.rebuild();
    }

    /// Sets the distance of the local time from UTC, in seconds.
    pub fn set_utc_offset(&mut self, seconds: i64) {
        self.offset_s = seconds;
        self.painted = None;
    }

    /// Selects the row that shows `entry`, without moving.
    pub fn set_selection(&mut self, entry: Option<EntryIx>) {
        if self.selection != entry {
            self.selection = entry;
            self.rebuild();
        }
    }

    /// The selected entry.
    pub fn selection(&self) -> Option<EntryIx> {
        self.selection
    }

    /// Marks the entries of a plan and fades the others; an empty highlight ends that.
    pub fn set_highlight(&mut self, highlight: &Highlight) {
        if self.marked.set_plan(highlight, &self.scene) {
            self.rebuild();
        }
    }

    /// Shows which entries have notes and labels of the user.
    pub fn set_user_marks(&mut self, marks: UserMarks) {
        if self.marked.set_user(marks, &self.scene) {
            self.rebuild();
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

    /// Changes the colours.
    pub fn set_palette(&mut self, palette: Palette) {
        if *self.palette != palette {
            self.palette = Rc::new(palette);
            self.rebuild();
        }
    }

    /// Shows the whole session.
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

    /// Goes to one of the three distances, round the selected entry where it is on screen.
    pub fn look_from(&mut self, distance: Distance) {
        self.go(Move::To(distance, self.selection));
    }

    /// Moves by so many screens, down where positive.
    pub fn page(&mut self, screens: f32) {
        self.go(Move::Page(screens));
    }

    /// The distance that is looked from.
    pub fn distance(&self) -> Distance {
        Distance::of(self.viewport.scale)
    }

    /// Points on screen per unit of height.
    pub fn scale(&self) -> f32 {
        self.viewport.scale
    }

    /// Where the middle of a row is on screen, for a view shown in `rect`.
    pub fn place_of(&self, rect: Rect, entry: EntryIx) -> Option<Pos2> {
        let frame = Frame::of(rect, self.viewport.scale, &self.scene);
        let row = self.scene.row_of(entry)?.id;
        let units = f64::from(self.scene.top(row) + self.scene.bottom(row)) / 2.0;
        let y = self.viewport.to_screen(&frame, units);
        Some(egui::pos2(frame.cards.center(), y))
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

    /// Number of cards handed to the graph for the last frame.
    pub fn cards(&self) -> usize {
        self.window.cards()
    }

    fn go(&mut self, to: Move) {
        // A move before the first frame must not undo the start.
        if self.pending == Some(Move::Fit) && matches!(to, Move::Reveal(_) | Move::Center(_)) {
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
        }) || self.goal.is_some();
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
        let mut frame = Frame::of(rect, self.viewport.scale, &self.scene);
        self.travel(ui, frame.body);
        frame = Frame::of(rect, self.viewport.scale, &self.scene);
        let mut is_cutting = false;
        if let Some(response) = self.widget.and_then(|id| ui.ctx().read_response(id)) {
            let (viewport, scene) = (&mut self.viewport, &self.scene);
            is_cutting = self
                .cut
                .follow(ui, &response, viewport, scene, &frame, &mut events);
            if !is_cutting && input::navigate(ui, &response, viewport, scene, &frame) {
                self.goal = None;
                frame = Frame::of(rect, self.viewport.scale, &self.scene);
            }
        }
        let layer = ui.layer_id();
        let first_shape = ui
            .ctx()
            .graphics(|layers| layers.get(layer).map_or(0, |list| list.all_entries().len()));
        self.paint_below(ui, &frame);
        self.window.prepare(
            &self.scene,
            &self.viewport,
            &frame,
            &window::Looks {
                palette: &self.palette,
                marks: &self.marked.plan,
                user: &self.marked.user,
                selected: self.selected_row(),
            },
        );
        let (response, changes) = self.show_graph(ui, &frame);
        self.widget = Some(response.id);
        self.paint_above(ui, &frame, &mut events);
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
        // What the pointer does with the cut it does not do with what is below.
        let changes = if is_cutting { Vec::new() } else { changes };
        self.report(&response, &changes, &frame, is_cutting, &mut events);
        events
    }

    /// Goes where it was told to, a step at a time.
    fn travel(&mut self, ui: &Ui, body: Rect) {
        if let Some(to) = self.pending.take() {
            let from = self.goal.unwrap_or(self.viewport);
            let goal = from.after(to, &self.scene, body);
            // What only keeps the selection in sight does not glide.
            let glides = self.is_smooth && matches!(to, Move::To(..) | Move::Fit | Move::Zoom(_));
            self.is_smooth = true;
            if glides {
                self.goal = Some(goal);
            } else {
                (self.viewport, self.goal) = (goal, None);
            }
        }
        if let Some(goal) = self.goal {
            let seconds = ui.input(|i| i.stable_dt).min(LONGEST_STEP);
            if self.viewport.step_to(goal, seconds) {
                self.goal = None;
            }
            ui.ctx().request_repaint();
        }
    }

    fn scaled<'a>(&'a self, frame: &'a Frame) -> Scale<'a> {
        Scale {
            scene: &self.scene,
            frame,
            palette: &self.palette,
            points: self.viewport.scale,
            middle: self.viewport.y,
        }
    }

    /// What lies below the cards.
    fn paint_below(&self, ui: &Ui, frame: &Frame) {
        let painter = ui.painter().with_clip_rect(frame.pane);
        painter.rect_filled(frame.pane, 0.0, self.palette.background);
        let scale = self.scaled(frame);
        lanes::paint(&painter, &scale);
        if !self.marked.plan.is_empty() {
            let fate = |row: u32| plan::main_fate(*self.marked.plan.get(row as usize)?);
            lanes::plan(&painter, &scale, fate);
        }
        if let Some(row) = self.selected_row() {
            lanes::selection(&painter, &scale, row);
        }
    }

    /// What lies above them.
    fn paint_above(&mut self, ui: &Ui, frame: &Frame, events: &mut Vec<TreeEvent>) {
        let painter = ui.painter().with_clip_rect(frame.pane);
        let viewport = self.viewport;
        let seen = viewport.seen(frame);
        let scene = &self.scene;
        head::paint(
            &painter,
            scene,
            frame,
            &self.palette,
            scene.rows_in(seen.clone()),
        );
        times::paint(
            &painter,
            scene,
            frame,
            &self.palette,
            self.offset_s,
            |y| {
                let units = viewport.to_units(frame, y);
                (units < f64::from(scene.height())).then(|| scene.row_at(units))?
            },
            |row| viewport.to_screen(frame, f64::from(scene.top(row))),
        );
        map::paint(&painter, scene, frame, &self.palette, seen);
        self.cut
            .paint(&painter, viewport, &self.palette, frame, events);
        self.cut.point(ui.ctx());
    }

    fn show_graph(&mut self, ui: &mut Ui, frame: &Frame) -> (Response, Vec<GraphChange>) {
        let mut meta = MetadataFrame::new(Some(self.key())).load(ui);
        meta.zoom = 1.0;
        let down = self.viewport.to_screen(frame, self.window.origin) - frame.pane.top();
        let pixels = ui.pixels_per_point();
        meta.pan = egui::vec2(0.0, (down * pixels).round() / pixels);
        meta.save(ui);
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

    fn selected_row(&self) -> Option<u32> {
        let row = self.selection.and_then(|entry| self.scene.row_of(entry));
        row.map(|row| row.id)
    }

    /// The row that a place on screen is about: of a card its line, elsewhere by height.
    fn row_at(&self, at: Pos2, frame: &Frame) -> Option<u32> {
        if !frame.body.contains(at) || frame.map.contains(at.x) {
            return None;
        }
        let units = self.viewport.to_units(frame, at.y);
        if units < 0.0 || units >= f64::from(self.scene.height()) {
            return None;
        }
        let by_height = self.scene.row_at(units)?;
        if at.x < frame.cards.min {
            return Some(by_height);
        }
        let node = self.window.graph.hovered_node();
        let card = node.and_then(|node| self.window.card(node));
        let Some((card, center)) = card else {
            return Some(by_height);
        };
        let origin = self.viewport.to_screen(frame, self.window.origin);
        let top = origin + center.y - card.size.y / 2.0;
        Some(card.row_at(at.y - top))
    }

    fn report(
        &mut self,
        response: &Response,
        changes: &[GraphChange],
        frame: &Frame,
        is_cutting: bool,
        events: &mut Vec<TreeEvent>,
    ) {
        let pointer = response.interact_pointer_pos().or(response.hover_pos());
        let is_double = changes
            .iter()
            .any(|change| matches!(change, GraphChange::NodeDoubleClicked { .. }))
            || response.double_clicked();
        let row = pointer.and_then(|at| self.row_at(at, frame));
        let row = row.and_then(|row| self.scene.row(row));
        if let Some(row) = row.filter(|_| !is_cutting) {
            let (reference, entry) = (RowRef::of(&self.scene, row), row.entry);
            if is_double {
                events.push(TreeEvent::RowActivated(reference));
            } else if response.clicked() {
                self.set_selection(Some(entry));
                events.push(TreeEvent::RowSelected(reference));
            }
        }
        let at = response
            .hover_pos()
            .filter(|_| response.hovered() && !is_cutting);
        let hovered = at.and_then(|at| self.row_at(at, frame));
        if hovered != self.hovered {
            self.hovered = hovered;
            let row = hovered.and_then(|row| self.scene.row(row));
            let at = at.unwrap_or(frame.pane.min) - frame.pane.min;
            events.push(TreeEvent::Hover {
                facts: row.map(|row| Box::new(RowFacts::of(&self.scene, row))),
                x: at.x,
                y: at.y,
            });
        }
        if self.goal.is_none() {
            self.ask_for_texts(events);
        }
        self.is_whole = self.viewport.is_whole(&self.scene, frame.body);
        if self.reported != Some((self.viewport, frame.pane)) {
            self.reported = Some((self.viewport, frame.pane));
            events.push(self.viewport.event(frame, &self.scene));
        }
    }

    /// Asks for the texts of the lines on loaded cards that have none yet.
    fn ask_for_texts(&mut self, events: &mut Vec<TreeEvent>) {
        let rows = self
            .window
            .line_rows()
            .filter_map(|row| self.scene.row(row));
        let wanted: Vec<EntryIx> = rows
            .filter(|row| self.scene.text(row.id).is_none() && !row.flag)
            .filter(|row| row.class != palimpsest_core::layout::NodeClass::Compaction)
            .map(|row| row.entry)
            .filter(|entry| !self.asked.contains(entry))
            .take(MOST_TEXTS)
            .collect();
        if !wanted.is_empty() {
            self.asked.extend(&wanted);
            events.push(TreeEvent::TextsWanted {
                entries: wanted.into_iter().map(|entry| entry.0).collect(),
            });
        }
    }
}

/// The sessions of the bench serve the tests too.
#[cfg(test)]
#[path = "../benches/sample/mod.rs"]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
