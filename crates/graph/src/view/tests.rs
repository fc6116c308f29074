//! The widget driven as a backend drives it: frames with input, without a window.

use super::*;
use crate::draw::plan::Marks;
use crate::draw::user::UserMark;
use egui::{Event, Modifiers, PointerButton, RawInput, pos2, vec2};
use palimpsest_core::Tree;
use palimpsest_core::layout::{PictureOptions, PictureRow, picture};
use palimpsest_core::rows::TreeFilter;
use std::collections::HashMap;

const SCREEN: Rect = Rect {
    min: pos2(0.0, 0.0),
    max: pos2(900.0, 700.0),
};

struct Stage {
    ctx: egui::Context,
    view: TreeView,
    time: f64,
}

fn sample(count: usize, filter: TreeFilter) -> Picture {
    let session = super::sample::session(count);
    let options = PictureOptions {
        session: "s".into(),
        filter,
        ..PictureOptions::default()
    };
    picture(&session, &Tree::new(&session), &options)
}

impl Stage {
    fn new(picture: Picture) -> Stage {
        let mut view = TreeView::new("test", Palette::light());
        view.set_picture(picture);
        let mut stage = Stage {
            ctx: egui::Context::default(),
            view,
            time: 0.0,
        };
        for _ in 0..4 {
            stage.frame(Vec::new());
        }
        stage
    }

    /// Runs a frame and returns the events, and the delay egui wants until the next.
    fn frame(&mut self, events: Vec<Event>) -> (Vec<TreeEvent>, std::time::Duration) {
        self.time += 0.05;
        let input = RawInput {
            screen_rect: Some(SCREEN),
            time: Some(self.time),
            events,
            ..RawInput::default()
        };
        let mut told = Vec::new();
        let output = self.ctx.run_ui(input, |ui| told.extend(self.view.show(ui)));
        let delay = output
            .viewport_output
            .values()
            .map(|viewport| viewport.repaint_delay)
            .min()
            .unwrap_or_default();
        output.drop_without_applying_deltas();
        (told, delay)
    }

    fn click(&mut self, at: egui::Pos2) -> Vec<TreeEvent> {
        let button = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        let mut told = self.frame(vec![Event::PointerMoved(at)]).0;
        told.extend(self.frame(vec![button(true)]).0);
        told.extend(self.frame(vec![button(false)]).0);
        told.extend(self.frame(Vec::new()).0);
        told
    }

    /// Goes near to the middle of the session, at once.
    fn near(&mut self) {
        let rows = &self.view.picture().rows;
        let middle = rows[rows.len() / 2].entry;
        self.view.look_from(Distance::Near);
        self.rest();
        self.view.center_on(middle);
        self.rest();
    }

    /// Runs frames until the view has arrived; returns what it told.
    fn rest(&mut self) -> Vec<TreeEvent> {
        let mut told = Vec::new();
        for _ in 0..60 {
            told.extend(self.frame(Vec::new()).0);
            if self.view.goal.is_none() && self.view.pending.is_none() {
                break;
            }
        }
        told.extend(self.frame(Vec::new()).0);
        told
    }

    /// Where a row's middle is on screen, over the cards.
    fn place(&self, row: u32) -> egui::Pos2 {
        let entry = self.view.picture().rows[row as usize].entry;
        self.view.place_of(SCREEN, entry).expect("the row is there")
    }

    /// Where a row's upper edge is on screen.
    fn top_of(&self, row: u32) -> f32 {
        let frame = Frame::of(SCREEN, self.view.scale(), &self.view.scene);
        let top = f64::from(self.view.scene.top(row));
        self.view.viewport.to_screen(&frame, top)
    }

    /// Any row well inside the screen for which `wanted` holds.
    fn find(&self, wanted: impl Fn(&PictureRow) -> bool) -> u32 {
        let inside = SCREEN.shrink(60.0);
        let mut rows = self.view.picture().rows.iter();
        rows.find(|row| inside.contains(self.place(row.id)) && wanted(row))
            .expect("such a row")
            .id
    }
}

/// A picture near to which one stands, in the middle of the session.
fn near(count: usize) -> Stage {
    let mut stage = Stage::new(sample(count, TreeFilter::All));
    stage.near();
    stage
}

#[test]
fn a_click_on_a_card_selects_its_row_and_moves_nothing() {
    let mut stage = near(400);
    let row = stage.find(|row| !row.is_active_leaf);
    let before = stage.view.viewport;
    let told = stage.click(stage.place(row));
    let shown = &stage.view.picture().rows[row as usize];
    let expected = RowRef::of(&stage.view.scene, shown);
    assert_eq!(stage.view.selection(), Some(shown.entry));
    assert!(told.contains(&TreeEvent::RowSelected(expected)), "{told:?}");
    assert_eq!(stage.view.viewport, before);
}

#[test]
fn from_afar_a_click_selects_a_row_that_is_shown() {
    let mut stage = Stage::new(sample(3_000, TreeFilter::Default));
    assert_eq!(stage.view.distance(), Distance::Far);
    for (x, y) in [
        (120.0, 200.0),
        (600.0, 200.0),
        (600.0, 430.0),
        (820.0, 650.0),
    ] {
        stage.click(pos2(x, y));
        let entry = stage.view.selection().expect("something is selected");
        let row = stage.view.scene.row_of(entry).expect("it has a row");
        assert_eq!(row.entry, entry, "a hidden entry was selected");
        let at = stage.place(row.id).y;
        assert!((at - y).abs() < 40.0, "row at {at} for a click at {y}");
    }
}

#[test]
fn a_second_click_activates_the_row() {
    let mut stage = near(400);
    let row = stage.find(|_| true);
    let at = stage.place(row);
    let mut told = stage.click(at);
    told.extend(stage.click(at));
    let activated = |event: &TreeEvent| matches!(event, TreeEvent::RowActivated(reference) if reference.row == row);
    assert!(told.iter().any(activated), "{told:?}");
}

#[test]
fn the_pointer_over_a_row_is_reported_once_and_so_is_its_leaving() {
    let mut stage = near(400);
    let row = stage.find(|_| true);
    let at = stage.place(row);
    let mut told = Vec::new();
    for step in 0..3 {
        let to = Event::PointerMoved(at + vec2(step as f32, 0.0));
        told.extend(stage.frame(vec![to]).0);
    }
    told.extend(stage.frame(vec![Event::PointerGone]).0);
    let hovers: Vec<Option<u32>> = told
        .iter()
        .filter_map(|event| match event {
            TreeEvent::Hover { facts, .. } => Some(facts.as_ref().map(|facts| facts.row.row)),
            _ => None,
        })
        .collect();
    assert_eq!(hovers, [Some(row), None]);
}

#[test]
fn an_idle_view_asks_for_no_frames_and_draws_nothing_anew() {
    let mut stage = near(2_000);
    let row = stage.find(|_| true);
    stage.click(stage.place(row));
    stage.rest();
    let drawn = stage.view.drawn_frames();
    for _ in 0..5 {
        let (told, delay) = stage.frame(Vec::new());
        assert!(told.is_empty());
        assert!(
            delay > std::time::Duration::from_secs(3600),
            "wants a frame in {delay:?}"
        );
    }
    assert_eq!(stage.view.drawn_frames(), drawn);
    assert!(
        stage.view.painted_shapes() > 10,
        "the idle frame must not be empty"
    );
}

#[test]
fn a_click_after_an_idle_time_still_arrives() {
    let mut stage = near(400);
    for _ in 0..10 {
        stage.frame(Vec::new());
    }
    let row = stage.find(|_| true);
    let told = stage.click(stage.place(row));
    let is_selected = |event: &TreeEvent| matches!(event, TreeEvent::RowSelected(_));
    assert!(told.iter().any(is_selected), "{told:?}");
}

#[test]
fn few_of_20_000_rows_are_loaded_and_painted_at_every_distance() {
    let mut stage = Stage::new(sample(20_000, TreeFilter::All));
    assert_eq!(stage.view.picture().rows.len(), 20_000);
    for distance in [Distance::Far, Distance::Middle, Distance::Near] {
        stage.view.look_from(distance);
        stage.rest();
        assert_eq!(stage.view.distance(), distance);
        let (cards, shapes) = (stage.view.cards(), stage.view.painted_shapes());
        assert!((5..400).contains(&cards), "{cards} cards from {distance:?}");
        assert!(shapes < 4_000, "{shapes} shapes from {distance:?}");
    }
}

#[test]
fn a_session_opens_whole_and_the_way_nearer_is_smooth() {
    let mut stage = Stage::new(sample(20_000, TreeFilter::Default));
    let (first, last) = (stage.place(0).y, stage.view.picture().rows.len() as u32 - 1);
    let last = stage.place(last).y;
    assert!(first > 0.0 && last < SCREEN.bottom(), "{first} to {last}");
    let before = stage.view.scale();
    stage.view.look_from(Distance::Near);
    stage.frame(Vec::new());
    let between = stage.view.scale();
    stage.rest();
    assert!(before < between && between < stage.view.scale());
}

#[test]
fn texts_are_asked_for_once_where_they_can_be_read() {
    let mut stage = Stage::new(sample(2_000, TreeFilter::Default));
    stage.rest();
    let rows = &stage.view.picture().rows;
    let middle = rows[rows.len() / 2].entry;
    stage.view.set_selection(Some(middle));
    stage.view.look_from(Distance::Near);
    let told = stage.rest();
    let wanted: Vec<u32> = told
        .iter()
        .filter_map(|event| match event {
            TreeEvent::TextsWanted { entries } => Some(entries.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    assert!(wanted.contains(&middle.0), "{wanted:?}");
    let texts = wanted
        .iter()
        .map(|&entry| (EntryIx(entry), format!("text of {entry}")));
    stage.view.set_texts(texts.collect());
    let told = stage.rest();
    let again = |event: &TreeEvent| matches!(event, TreeEvent::TextsWanted { .. });
    assert!(!told.iter().any(again), "{told:?}");
    let row = stage.view.scene.row_of(middle).expect("it has a row").id;
    assert_eq!(
        stage.view.scene.text(row),
        Some(&*format!("text of {}", middle.0))
    );
}

#[test]
fn the_drag_moves_the_picture_with_the_pointer() {
    let mut stage = near(2_000);
    let row = stage.find(|_| true);
    let (from, by) = (stage.place(row), vec2(0.0, 80.0));
    stage.frame(vec![Event::PointerMoved(from)]);
    stage.frame(vec![button(from, true)]);
    stage.frame(vec![Event::PointerMoved(from + by / 2.0)]);
    stage.frame(vec![Event::PointerMoved(from + by)]);
    let told = stage.frame(vec![button(from + by, false)]).0;
    assert!(
        (stage.place(row) - (from + by)).length() < 1.0,
        "{:?}",
        stage.place(row)
    );
    let is_selected = |event: &TreeEvent| matches!(event, TreeEvent::RowSelected(_));
    assert!(!told.iter().any(is_selected));
}

#[test]
fn the_map_leads_to_the_place_that_is_clicked() {
    let mut stage = near(4_000);
    stage.click(pos2(SCREEN.right() - 10.0, SCREEN.bottom() - 20.0));
    let seen = stage.view.viewport.y / f64::from(stage.view.scene.height());
    assert!(seen > 0.9, "at {seen}");
    assert_eq!(stage.view.selection(), None, "the map selects nothing");
}

#[test]
fn a_growing_session_leaves_the_view_where_it_is() {
    let mut stage = Stage::new(sample(600, TreeFilter::Default));
    stage.near();
    let row = stage.find(|row| row.on_active_path);
    let entry = stage.view.picture().rows[row as usize].entry;
    let before = stage.place(row);
    stage.view.set_picture(sample(640, TreeFilter::Default));
    stage.frame(Vec::new());
    let after = stage.view.place_of(SCREEN, entry).expect("still there");
    assert!(
        (after - before).length() < 0.5,
        "{before:?} became {after:?}"
    );

    let mut other = sample(640, TreeFilter::Default);
    other.session = "another".into();
    stage.view.set_picture(other);
    stage.rest();
    assert_ne!(
        stage.view.distance(),
        Distance::Near,
        "another is shown whole"
    );
    let mut leaf = stage.view.picture().rows.iter();
    let leaf = leaf.find(|row| row.is_active_leaf);
    assert!(leaf.is_some_and(|leaf| SCREEN.contains(stage.place(leaf.id))));
}

#[test]
fn a_growing_session_that_is_seen_whole_stays_so() {
    let mut stage = Stage::new(sample(600, TreeFilter::Default));
    stage.view.set_picture(sample(900, TreeFilter::Default));
    stage.rest();
    let last = stage.view.picture().rows.len() as u32 - 1;
    let (first, last) = (stage.place(0).y, stage.place(last).y);
    assert!(first > 0.0 && last < SCREEN.bottom(), "{first} to {last}");
}

#[test]
fn a_new_theme_is_painted() {
    let mut stage = Stage::new(sample(400, TreeFilter::Default));
    let fills = |stage: &Stage| -> Vec<egui::Color32> {
        let painted = stage.view.painted.as_ref().expect("a frame was drawn");
        let shapes = painted.shapes.iter().filter_map(|(_, shape)| match shape {
            Shape::Rect(rect) => Some(rect.fill),
            _ => None,
        });
        shapes.collect()
    };
    assert!(fills(&stage).contains(&Palette::light().background));
    stage.view.set_palette(Palette::dark());
    stage.frame(Vec::new());
    assert!(fills(&stage).contains(&Palette::dark().background));
    assert!(!fills(&stage).contains(&Palette::light().surface));
}

#[test]
fn a_plan_marks_its_rows_and_fades_the_rest() {
    let mut stage = Stage::new(sample(400, TreeFilter::Default));
    let entries: Vec<u32> = stage
        .view
        .picture()
        .rows
        .iter()
        .map(|row| row.entry.0)
        .collect();
    let highlight = Highlight {
        summarized: vec![entries[4], entries[5]],
        kept: vec![entries[5]],
        ..Highlight::default()
    };
    stage.view.set_highlight(&highlight);
    let summarized = Marks {
        summarized: true,
        ..Marks::default()
    };
    let both = Marks {
        kept: true,
        ..summarized
    };
    let marked = |stage: &Stage| (stage.view.marked.plan[4], stage.view.marked.plan[5]);
    assert_eq!(marked(&stage), (summarized, both));
    let others = stage
        .view
        .marked
        .plan
        .iter()
        .filter(|&&marks| marks != Marks::default());
    assert_eq!(others.count(), 2);
    // The same session made anew keeps its plan, another one has none.
    stage.view.set_picture(sample(400, TreeFilter::Default));
    assert_eq!(marked(&stage), (summarized, both));
    let mut other = sample(400, TreeFilter::Default);
    other.session = "another".into();
    stage.view.set_picture(other);
    assert!(stage.view.marked.plan.is_empty());
    stage.view.set_highlight(&highlight);
    assert!(!stage.view.marked.plan.is_empty());
    stage.view.set_highlight(&Highlight::default());
    assert!(stage.view.marked.plan.is_empty());
}

#[test]
fn notes_and_labels_of_the_user_are_signs_on_their_cards() {
    let mut stage = near(400);
    let row = stage.find(|_| true);
    let entry = stage.view.picture().rows[row as usize].entry.0;
    let shapes = |stage: &Stage| stage.view.painted.as_ref().map_or(0, |p| p.shapes.len());
    let before = shapes(&stage);
    let marks = UserMarks {
        noted: vec![entry],
        labelled: vec![entry, u32::MAX],
    };
    stage.view.set_user_marks(marks.clone());
    stage.frame(Vec::new());
    let expected = UserMark {
        note: true,
        label: true,
    };
    assert_eq!(stage.view.marked.user, HashMap::from([(row, expected)]));
    assert!(shapes(&stage) > before);
    // The same session made anew keeps them, another one has none.
    stage.view.set_picture(sample(400, TreeFilter::All));
    assert_eq!(stage.view.marked.user.len(), 1);
    let mut other = sample(400, TreeFilter::All);
    other.session = "another".into();
    stage.view.set_picture(other);
    assert!(stage.view.marked.user.is_empty());
    stage.view.set_user_marks(marks);
    stage.view.set_user_marks(UserMarks::default());
    stage.frame(Vec::new());
    assert!(stage.view.marked.user.is_empty());
}

#[test]
fn a_plan_that_comes_before_the_picture_is_marked_in_it() {
    let mut stage = Stage::new(Picture::default());
    let shown = sample(400, TreeFilter::Default);
    let first = shown.rows[0].entry.0;
    stage.view.set_highlight(&Highlight {
        kept: vec![first],
        ..Highlight::default()
    });
    stage.view.set_picture(shown);
    let marked = stage.view.marked.plan.iter().filter(|marks| marks.kept);
    assert_eq!(marked.count(), 1);
}

#[test]
fn an_empty_session_is_shown() {
    let mut stage = Stage::new(Picture::default());
    stage.view.fit();
    let told = stage.rest();
    assert!(told.len() <= 1, "{told:?}");
}

/// A stage with a cut in the middle of what is on screen, and the rows of its places.
fn stage_with_cut() -> (Stage, Vec<u32>) {
    let mut stage = near(400);
    let inside = SCREEN.shrink(90.0);
    let mut rows = stage.view.picture().rows.clone();
    rows.retain(|row| row.on_active_path && inside.contains(stage.place(row.id)));
    assert!(rows.len() >= 6, "{} rows", rows.len());
    let places: Vec<u32> = rows.iter().map(|row| row.entry.0).collect();
    stage.view.set_cut_places(&places);
    stage.view.set_cut(Some(CutLine {
        at: 3,
        by_hand: false,
        words: "keeps 12k".to_owned(),
    }));
    (stage, rows.iter().map(|row| row.id).collect())
}

fn grip(told: &[TreeEvent]) -> egui::Pos2 {
    let shown = told.iter().rev().find_map(|event| match event {
        TreeEvent::CutShown { x, y } => Some(pos2(*x, *y)),
        _ => None,
    });
    shown.expect("the grip is shown")
}

fn button(pos: egui::Pos2, pressed: bool) -> Event {
    Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    }
}

fn moves(told: &[TreeEvent]) -> Vec<u32> {
    told.iter()
        .filter_map(|event| match event {
            TreeEvent::CutMoved { place } => Some(*place),
            _ => None,
        })
        .collect()
}

#[test]
fn the_cut_stands_above_the_first_that_stays_and_is_dragged_from_place_to_place() {
    let (mut stage, rows) = stage_with_cut();
    let at = grip(&stage.frame(Vec::new()).0);
    let above = stage.top_of(rows[3]);
    assert!((at.y - above).abs() < 2.0, "the grip is at {at:?}");
    let before = stage.view.viewport;
    stage.frame(vec![Event::PointerMoved(at)]);
    let told = stage.frame(vec![button(at, true)]).0;
    assert!(told.contains(&TreeEvent::CutHeld), "{told:?}");
    let up = pos2(at.x, at.y + stage.top_of(rows[1]) - above);
    let told = stage.frame(vec![Event::PointerMoved(up)]).0;
    assert_eq!(moves(&told), [1]);
    // What the page still says about the place before does not pull it back.
    stage.view.set_cut(Some(CutLine {
        at: 3,
        by_hand: true,
        words: String::new(),
    }));
    assert!(
        moves(
            &stage
                .frame(vec![Event::PointerMoved(up + vec2(9.0, 0.5))])
                .0
        )
        .is_empty()
    );
    assert_eq!(stage.view.cut.line().map(|line| line.at), Some(1));
    let down = pos2(at.x, at.y + stage.top_of(rows[4]) - above);
    assert_eq!(moves(&stage.frame(vec![Event::PointerMoved(down)]).0), [4]);
    let told = stage.frame(vec![button(down, false)]).0;
    assert!(told.contains(&TreeEvent::CutReleased), "{told:?}");
    assert_eq!(
        stage.view.viewport, before,
        "the picture must not move with it"
    );
    assert_eq!(
        stage.view.selection(),
        None,
        "no card must be clicked by it"
    );
}

#[test]
fn a_cut_taken_from_the_pointer_needs_another_press() {
    let (mut stage, _) = stage_with_cut();
    let at = grip(&stage.frame(Vec::new()).0);
    stage.frame(vec![Event::PointerMoved(at)]);
    stage.frame(vec![button(at, true)]);
    stage.frame(vec![Event::PointerMoved(at - vec2(0.0, 130.0))]);
    stage.view.let_go_of_cut();
    let before = stage.view.viewport;
    let mut told = stage
        .frame(vec![Event::PointerMoved(at - vec2(0.0, 190.0))])
        .0;
    told.extend(stage.frame(vec![button(at - vec2(0.0, 190.0), false)]).0);
    assert!(moves(&told).is_empty(), "{told:?}");
    assert!(!told.contains(&TreeEvent::CutReleased), "{told:?}");
    assert_eq!(stage.view.viewport, before);
}

#[test]
fn a_cut_out_of_view_has_its_grip_at_the_edge_and_one_behind_all_stands_at_the_end() {
    let (mut stage, rows) = stage_with_cut();
    let all = u32::try_from(rows.len()).expect("a small number");
    stage.view.set_cut(Some(CutLine {
        at: all,
        ..CutLine::default()
    }));
    let at = grip(&stage.frame(Vec::new()).0);
    let last = stage.place(rows[rows.len() - 1]).y;
    assert!(at.y > last && at.y < last + 60.0, "{at:?} after {last}");
    stage.view.page(-1e6);
    stage.rest();
    stage.view.set_cut(Some(CutLine::default()));
    stage.view.page(1e6);
    stage.view.painted = None;
    let at = grip(&stage.frame(Vec::new()).0);
    assert!(SCREEN.contains(at) && at.y < SCREEN.top() + 60.0, "{at:?}");
    stage.view.set_cut(None);
    stage.frame(Vec::new());
    assert!(stage.view.cut.line().is_none());
}
