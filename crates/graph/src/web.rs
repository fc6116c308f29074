//! The canvas in a page: a handle for JavaScript round an eframe application.
//!
//! Calls go through a queue that the next frame empties, and events come back on a later tick:
//! neither can meet the application while it is borrowed. The canvas never takes the keyboard
//! focus, so that every key stays with the page.

use crate::{CutLine, Distance, Highlight, Palette, TreeEvent, TreeView, UserMarks};
use palimpsest_core::EntryIx;
use palimpsest_core::layout::{GraphRevision, Picture, received};
use serde::Deserialize;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

/// What the page may ask for at the start.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Options {
    /// The palette, as for `set_theme`; light when absent.
    palette: Option<serde_json::Value>,
}

/// Something to do in the next frame.
enum Command {
    Picture(Box<Picture>),
    Select(Option<EntryIx>),
    Highlight(Highlight),
    UserMarks(UserMarks),
    CutPlaces(Vec<u32>),
    Cut(Option<CutLine>),
    LetGoOfCut,
    Theme(Box<Palette>),
    Font(Vec<u8>),
    Fit,
    Center(EntryIx),
    Reveal(EntryIx),
    Zoom(f32),
    Texts(Vec<(EntryIx, String)>),
    Offset(i64),
    Look(Distance),
    Page(f32),
}

/// What the handle and the application share.
#[derive(Default)]
struct Shared {
    commands: RefCell<Vec<Command>>,
    context: RefCell<Option<egui::Context>>,
    frames: Cell<u32>,
    drawn: Cell<u32>,
}

impl Shared {
    fn push(&self, command: Command) {
        self.commands.borrow_mut().push(command);
        if let Some(context) = &*self.context.borrow() {
            context.request_repaint();
        }
    }
}

/// The picture that was received last.
#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    /// Positions of entries by id.
    positions: HashMap<Box<str>, u32>,
}

/// The position of an entry that the picture does not have.
const NOWHERE: u32 = u32::MAX;

/// The picture of a session on a canvas.
#[wasm_bindgen]
pub struct TreeCanvas {
    runner: eframe::WebRunner,
    shared: Rc<Shared>,
    palette: Palette,
    received: RefCell<Received>,
    focus_guard: RefCell<Option<(HtmlCanvasElement, Closure<dyn FnMut(web_sys::Event)>)>>,
}

#[wasm_bindgen]
impl TreeCanvas {
    /// Makes a handle; `options` is JSON, `{"palette": {...}}` or empty.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<TreeCanvas, JsError> {
        let options: Options = match options.trim() {
            "" => Options::default(),
            text => serde_json::from_str(text).map_err(|error| {
                JsError::new(&format!("the canvas options are not JSON: {error}"))
            })?,
        };
        let palette = match options.palette {
            Some(value) => Palette::from_json(&value.to_string())?,
            None => Palette::light(),
        };
        Ok(TreeCanvas {
            runner: eframe::WebRunner::new(),
            shared: Rc::default(),
            palette,
            received: RefCell::default(),
            focus_guard: RefCell::new(None),
        })
    }

    /// Starts drawing into `canvas`; `on_event` is called with a JSON string per event, never
    /// from within another call. Fails when the page has no WebGL.
    pub async fn start(
        &self,
        canvas: HtmlCanvasElement,
        on_event: js_sys::Function,
    ) -> Result<(), JsValue> {
        take_plain_context(&canvas)?;
        let shared = self.shared.clone();
        let view = TreeView::new("page", self.palette.clone());
        let options = eframe::WebOptions {
            // The page hears everything but the wheel, which it would scroll with.
            should_stop_propagation: Box::new(is_wheel),
            should_prevent_default: Box::new(is_wheel),
            dithering: false,
            ..eframe::WebOptions::default()
        };
        self.runner
            .start(
                canvas.clone(),
                options,
                Box::new(move |creation| {
                    set_up(&creation.egui_ctx);
                    shared.context.replace(Some(creation.egui_ctx.clone()));
                    Ok(Box::new(App {
                        view,
                        shared,
                        on_event,
                    }))
                }),
            )
            .await?;
        self.keep_focus_out(canvas)
    }

    /// Shows a picture: the answer of the command `graph`, which is whole or what changed since the
    /// one named by [`TreeCanvas::known`].
    pub fn set_graph(&self, answer: &[u8]) -> Result<(), JsError> {
        let mut at_hand = self.received.borrow_mut();
        let bytes = received(&at_hand.bytes, answer)?;
        let picture = Picture::from_bytes(&bytes)?;
        let ids = picture.ids.iter().map(|id| id.0.clone());
        *at_hand = Received {
            positions: ids.zip(0..).collect(),
            bytes,
        };
        self.shared.push(Command::Picture(Box::new(picture)));
        Ok(())
    }

    /// Names the picture received last, so that only what changed is sent; empty before the first.
    pub fn known(&self) -> String {
        let at_hand = self.received.borrow();
        if at_hand.bytes.is_empty() {
            String::new()
        } else {
            GraphRevision::of(&at_hand.bytes).to_string()
        }
    }

    /// The positions of entries in the session, by id; `0xffffffff` for those it does not have.
    pub fn positions(&self, entries: Vec<String>) -> Vec<u32> {
        let at_hand = self.received.borrow();
        let position = |id: &String| at_hand.positions.get(id.as_str()).copied();
        let all = entries.iter().map(position);
        all.map(|found| found.unwrap_or(NOWHERE)).collect()
    }

    /// Selects the row that shows an entry, without moving; nothing when `undefined`.
    pub fn set_selection(&self, entry: Option<u32>) {
        self.shared.push(Command::Select(entry.map(EntryIx)));
    }

    /// Marks the entries of a plan: JSON `{"summarized": [ix], "turn_prefix": [ix], "kept": [ix],
    /// "dropped": [ix], "cleared": [ix]}`; an empty string or object ends it.
    pub fn set_highlight(&self, json: &str) -> Result<(), JsError> {
        let highlight = match json.trim() {
            "" => Highlight::default(),
            text => serde_json::from_str(text).map_err(|error| {
                JsError::new(&format!("the highlight is not readable: {error}"))
            })?,
        };
        self.shared.push(Command::Highlight(highlight));
        Ok(())
    }

    /// Shows which entries have notes and labels of the user: their positions.
    pub fn set_user_marks(&self, noted: Vec<u32>, labelled: Vec<u32>) {
        let marks = UserMarks { noted, labelled };
        self.shared.push(Command::UserMarks(marks));
    }

    /// Sets the entries before which the cut may stand, in the order of the path.
    pub fn set_cut_places(&self, places: Vec<u32>) {
        self.shared.push(Command::CutPlaces(places));
    }

    /// Shows where the plan cuts: JSON `{"at": place, "by_hand": bool, "words": "..."}`; an empty
    /// string ends it.
    pub fn set_cut(&self, json: &str) -> Result<(), JsError> {
        let line = match json.trim() {
            "" => None,
            text => Some(
                serde_json::from_str(text)
                    .map_err(|error| JsError::new(&format!("the cut is not readable: {error}")))?,
            ),
        };
        self.shared.push(Command::Cut(line));
        Ok(())
    }

    /// Takes the cut from the pointer that holds it.
    pub fn let_go_of_cut(&self) {
        self.shared.push(Command::LetGoOfCut);
    }

    /// Changes the colours: JSON `{"dark": bool, "<name>": "<css colour>", ...}`.
    pub fn set_theme(&self, json: &str) -> Result<(), JsError> {
        self.shared
            .push(Command::Theme(Box::new(Palette::from_json(json)?)));
        Ok(())
    }

    /// Changes the font: the bytes of a TrueType or OpenType file.
    pub fn set_font(&self, bytes: Vec<u8>) {
        self.shared.push(Command::Font(bytes));
    }

    /// Keeps the texts of entries: positions, and as many texts.
    pub fn set_texts(&self, positions: Vec<u32>, texts: Vec<String>) {
        let positions = positions.into_iter().map(EntryIx);
        self.shared
            .push(Command::Texts(positions.zip(texts).collect()));
    }

    /// Sets the distance of the local time from UTC, in seconds.
    pub fn set_utc_offset(&self, seconds: i32) {
        self.shared.push(Command::Offset(seconds.into()));
    }

    /// Looks from `far`, `middle` or `near`.
    pub fn look_from(&self, distance: &str) -> Result<(), JsError> {
        let distance = serde_json::from_value(serde_json::Value::from(distance))
            .map_err(|error| JsError::new(&format!("no such distance: {error}")))?;
        self.shared.push(Command::Look(distance));
        Ok(())
    }

    /// Moves by so many screens, down where positive.
    pub fn page(&self, screens: f32) {
        self.shared.push(Command::Page(screens));
    }

    /// Shows the whole session.
    pub fn fit(&self) {
        self.shared.push(Command::Fit);
    }

    /// Brings an entry to the middle.
    pub fn center_on(&self, entry: u32) {
        self.shared.push(Command::Center(EntryIx(entry)));
    }

    /// Moves just so far that an entry is on screen.
    pub fn reveal(&self, entry: u32) {
        self.shared.push(Command::Reveal(EntryIx(entry)));
    }

    /// Zooms round the middle; above 1 is nearer.
    pub fn zoom(&self, factor: f32) {
        self.shared.push(Command::Zoom(factor));
    }

    /// Frames since the start, and how many of them were redrawn, for measurements.
    pub fn frames(&self) -> Vec<u32> {
        vec![self.shared.frames.get(), self.shared.drawn.get()]
    }

    /// Stops drawing and lets go of the canvas; call `free` afterwards.
    pub fn destroy(&self) {
        if let Some((canvas, guard)) = self.focus_guard.take() {
            let listener = guard.as_ref().unchecked_ref();
            canvas
                .remove_event_listener_with_callback("mousedown", listener)
                .ok();
        }
        self.shared.context.replace(None);
        self.runner.destroy();
    }

    /// True when the application has panicked; it then stops drawing and must be recreated.
    pub fn has_panicked(&self) -> bool {
        self.runner.has_panicked()
    }

    /// What the panic said, for a report.
    pub fn panic_message(&self) -> Option<String> {
        self.runner.panic_summary().map(|summary| summary.message())
    }

    /// eframe makes the canvas focusable, and a focused canvas swallows Tab and the arrow keys.
    fn keep_focus_out(&self, canvas: HtmlCanvasElement) -> Result<(), JsValue> {
        // Without the attribute its own calls of `focus` do nothing either.
        canvas.remove_attribute("tabindex")?;
        let guard = Closure::<dyn FnMut(web_sys::Event)>::new(|event: web_sys::Event| {
            event.prevent_default();
        });
        canvas.add_event_listener_with_callback("mousedown", guard.as_ref().unchecked_ref())?;
        self.focus_guard.replace(Some((canvas, guard)));
        Ok(())
    }
}

/// Makes the canvas's WebGL context before eframe does, which then gets the same one: without the
/// multisampling and depth that it would ask for. egui smooths edges itself, and where WebGL is
/// rendered in software those two halve the frame rate.
fn take_plain_context(canvas: &HtmlCanvasElement) -> Result<(), JsValue> {
    let attributes = js_sys::Object::new();
    for name in ["antialias", "depth", "stencil"] {
        js_sys::Reflect::set(&attributes, &JsValue::from_str(name), &JsValue::FALSE)?;
    }
    let name = JsValue::from_str("powerPreference");
    js_sys::Reflect::set(&attributes, &name, &JsValue::from_str("low-power"))?;
    // A browser without WebGL 2 gives null; eframe then asks for the older one itself.
    canvas.get_context_with_context_options("webgl2", &attributes)?;
    Ok(())
}

fn is_wheel(event: &egui::Event) -> bool {
    matches!(event, egui::Event::MouseWheel { .. } | egui::Event::Zoom(_))
}

fn set_up(context: &egui::Context) {
    context.options_mut(|options| {
        // The page zooms; egui's own zoom keys and drags of text would only get in the way.
        options.zoom_with_keyboard = false;
    });
}

struct App {
    view: TreeView,
    shared: Rc<Shared>,
    on_event: js_sys::Function,
}

impl App {
    fn obey(&mut self, context: &egui::Context) {
        for command in self.shared.commands.take() {
            match command {
                Command::Picture(picture) => self.view.set_picture(*picture),
                Command::Texts(texts) => self.view.set_texts(texts),
                Command::Offset(seconds) => self.view.set_utc_offset(seconds),
                Command::Look(distance) => self.view.look_from(distance),
                Command::Page(screens) => self.view.page(screens),
                Command::Select(entry) => self.view.set_selection(entry),
                Command::Highlight(highlight) => self.view.set_highlight(&highlight),
                Command::UserMarks(marks) => self.view.set_user_marks(marks),
                Command::CutPlaces(places) => self.view.set_cut_places(&places),
                Command::Cut(line) => self.view.set_cut(line),
                Command::LetGoOfCut => self.view.let_go_of_cut(),
                Command::Theme(palette) => self.view.set_palette(*palette),
                Command::Font(bytes) => {
                    set_font(context, bytes);
                    self.view.fonts_changed();
                }
                Command::Fit => self.view.fit(),
                Command::Center(entry) => self.view.center_on(entry),
                Command::Reveal(entry) => self.view.reveal(entry),
                Command::Zoom(factor) => self.view.zoom(factor),
            }
        }
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.obey(&ui.ctx().clone());
        for event in self.view.show(ui) {
            deliver(&self.on_event, &event);
        }
        self.shared
            .frames
            .set(self.shared.frames.get().wrapping_add(1));
        self.shared.drawn.set(self.view.drawn_frames());
    }

    fn clear_color(&self, _visuals: &egui::Visuals) -> [f32; 4] {
        self.view.background().to_normalized_gamma_f32()
    }

    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }
}

/// Puts a font before the built-in ones.
fn set_font(context: &egui::Context, bytes: Vec<u8>) {
    let mut fonts = egui::FontDefinitions::default();
    fonts
        .font_data
        .insert("page".to_owned(), egui::FontData::from_owned(bytes).into());
    if let Some(family) = fonts.families.get_mut(&egui::FontFamily::Proportional) {
        family.insert(0, "page".to_owned());
    }
    context.set_fonts(fonts);
}

/// Calls the page on a later tick; what it throws is its own to report.
fn deliver(on_event: &js_sys::Function, event: &TreeEvent) {
    let Ok(json) = serde_json::to_string(event) else {
        return;
    };
    let on_event = on_event.clone();
    let call = Closure::once_into_js(move || {
        on_event
            .call1(&JsValue::NULL, &JsValue::from_str(&json))
            .ok();
    });
    if let Some(window) = web_sys::window() {
        window.set_timeout_with_callback(call.unchecked_ref()).ok();
    }
}
