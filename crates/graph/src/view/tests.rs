//! The widget driven as a backend drives it: frames with input, without a window.

use super::*;
use egui::{Event, Modifiers, PointerButton, RawInput, pos2, vec2};
use palimpsest_core::Tree;
use palimpsest_core::layout::{GraphOptions, graph_model};
use palimpsest_core::rows::TreeFilter;

const SCREEN: Rect = Rect {
    min: pos2(0.0, 0.0),
    max: pos2(900.0, 700.0),
};

struct Stage {
    ctx: egui::Context,
    view: TreeView,
    time: f64,
}

fn model(count: usize, filter: TreeFilter) -> GraphModel {
    let session = super::sample::session(count);
    let options = GraphOptions {
        session: "s".into(),
        filter,
        ..GraphOptions::default()
    };
    graph_model(&session, &Tree::new(&session), &options)
}

impl Stage {
    fn new(model: GraphModel) -> Stage {
        let mut view = TreeView::new("test", Palette::light());
        view.set_model(model);
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

    /// Where a node's centre is on screen.
    fn place(&self, node: u32) -> egui::Pos2 {
        self.view.to_screen(SCREEN, self.view.scene.position(node))
    }

    /// Any node well inside the screen for which `wanted` holds.
    fn find(&self, wanted: impl Fn(&palimpsest_core::layout::GraphNode) -> bool) -> u32 {
        let inside = SCREEN.shrink(60.0);
        let mut nodes = self.view.model().nodes.iter();
        nodes
            .find(|n| inside.contains(self.place(n.id)) && wanted(n))
            .expect("such a node")
            .id
    }
}

#[test]
fn a_click_on_a_node_selects_it_and_moves_nothing() {
    let mut stage = Stage::new(model(400, TreeFilter::All));
    let node = stage.find(|node| node.count == 1 && !node.is_active_leaf);
    let before = stage.view.viewport;
    let told = stage.click(stage.place(node));
    let expected = NodeRef::from(&stage.view.model().nodes[node as usize]);
    assert!(
        told.contains(&TreeEvent::NodeSelected(expected.clone())),
        "{told:?}"
    );
    assert_eq!(stage.view.selection().map(|ix| ix.0), Some(expected.last));
    assert_eq!(stage.view.viewport, before);
}

#[test]
fn a_second_click_activates_the_node() {
    let mut stage = Stage::new(model(400, TreeFilter::All));
    let node = stage.find(|node| node.count == 1);
    let at = stage.place(node);
    let mut told = stage.click(at);
    told.extend(stage.click(at));
    let activated = |event: &TreeEvent| matches!(event, TreeEvent::NodeActivated(reference) if reference.node == node);
    assert!(told.iter().any(activated), "{told:?}");
}

#[test]
fn a_click_on_the_arrow_of_a_chain_asks_to_unfold_it() {
    let mut stage = Stage::new(model(400, TreeFilter::Default));
    let node = stage.find(|node| node.count > 1);
    let right = vec2(palimpsest_core::layout::NODE_WIDTH / 2.0 - 10.0, 0.0);
    let told = stage.click(stage.place(node) + right * stage.view.zoom_level());
    let group = stage.view.model().nodes[node as usize].group.0;
    assert!(
        told.contains(&TreeEvent::NodeToggled {
            group,
            expanded: true
        }),
        "{told:?}"
    );
    assert_eq!(stage.view.selection(), None);
}

#[test]
fn the_pointer_over_a_node_is_reported_once_and_so_is_its_leaving() {
    let mut stage = Stage::new(model(400, TreeFilter::Default));
    let node = stage.find(|_| true);
    let at = stage.place(node);
    let mut told = Vec::new();
    for step in 0..3 {
        told.extend(
            stage
                .frame(vec![Event::PointerMoved(at + vec2(step as f32, 0.0))])
                .0,
        );
    }
    told.extend(stage.frame(vec![Event::PointerGone]).0);
    let hovers: Vec<Option<u32>> = told
        .iter()
        .filter_map(|event| match event {
            TreeEvent::Hover { node, .. } => Some(node.as_ref().map(|node| node.node)),
            _ => None,
        })
        .collect();
    assert_eq!(hovers, [Some(node), None]);
}

#[test]
fn an_idle_view_asks_for_no_frames_and_draws_nothing_anew() {
    let mut stage = Stage::new(model(2_000, TreeFilter::All));
    let node = stage.find(|_| true);
    stage.click(stage.place(node));
    stage.frame(Vec::new());
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
    let mut stage = Stage::new(model(400, TreeFilter::All));
    for _ in 0..10 {
        stage.frame(Vec::new());
    }
    let node = stage.find(|node| node.count == 1);
    let told = stage.click(stage.place(node));
    assert!(
        told.iter()
            .any(|event| matches!(event, TreeEvent::NodeSelected(_))),
        "{told:?}"
    );
}

#[test]
fn zoomed_in_few_of_20_000_nodes_are_loaded_and_painted() {
    let mut stage = Stage::new(model(20_000, TreeFilter::All));
    assert_eq!(stage.view.model().nodes.len(), 20_000);
    stage.view.zoom(1.0 / stage.view.zoom_level());
    stage.frame(Vec::new());
    assert!(
        stage.view.window_nodes() < 400,
        "{} nodes",
        stage.view.window_nodes()
    );
    assert!(
        stage.view.painted_shapes() < 1_000,
        "{} shapes",
        stage.view.painted_shapes()
    );
    stage.view.zoom(0.0001);
    stage.frame(Vec::new());
    assert!(
        stage.view.painted_shapes() < 8_000,
        "{} shapes",
        stage.view.painted_shapes()
    );
}

#[test]
fn the_drag_moves_the_tree_with_the_pointer() {
    let mut stage = Stage::new(model(2_000, TreeFilter::Default));
    let node = stage.find(|_| true);
    let (from, by) = (stage.place(node), vec2(0.0, 80.0));
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    stage.frame(vec![Event::PointerMoved(from)]);
    stage.frame(vec![button(from, true)]);
    stage.frame(vec![Event::PointerMoved(from + by / 2.0)]);
    stage.frame(vec![Event::PointerMoved(from + by)]);
    let told = stage.frame(vec![button(from + by, false)]).0;
    assert!(
        (stage.place(node) - (from + by)).length() < 1.0,
        "{:?}",
        stage.place(node)
    );
    assert!(
        !told
            .iter()
            .any(|event| matches!(event, TreeEvent::NodeSelected(_)))
    );
}

#[test]
fn a_growing_session_leaves_the_view_where_it_is() {
    let mut stage = Stage::new(model(600, TreeFilter::Default));
    let node = stage.find(|node| node.on_active_path);
    let first = stage.view.model().nodes[node as usize].first;
    let before = stage.place(node);
    stage.view.set_model(model(640, TreeFilter::Default));
    stage.frame(Vec::new());
    let after = stage
        .view
        .scene
        .node_of(first)
        .map(|node| stage.place(node.id));
    assert_eq!(after, Some(before));

    let mut other = model(640, TreeFilter::Default);
    other.session = "another".into();
    stage.view.center_on(EntryIx(0));
    stage.frame(Vec::new());
    stage.view.set_model(other);
    stage.frame(Vec::new());
    let leaf = stage
        .view
        .model()
        .nodes
        .iter()
        .find(|node| node.is_active_leaf);
    assert!(leaf.is_some_and(|leaf| SCREEN.contains(stage.place(leaf.id))));
}

#[test]
fn a_new_theme_is_painted() {
    let mut stage = Stage::new(model(400, TreeFilter::Default));
    let fills = |stage: &Stage| -> Vec<egui::Color32> {
        let painted = stage.view.painted.as_ref().expect("a frame was drawn");
        painted
            .shapes
            .iter()
            .filter_map(|(_, shape)| match shape {
                Shape::Rect(rect) => Some(rect.fill),
                _ => None,
            })
            .collect()
    };
    assert!(fills(&stage).contains(&Palette::light().background));
    stage.view.set_palette(Palette::dark());
    stage.frame(Vec::new());
    assert!(fills(&stage).contains(&Palette::dark().background));
    assert!(!fills(&stage).contains(&Palette::light().surface));
}

#[test]
fn a_plan_marks_its_nodes_and_fades_the_rest() {
    let mut stage = Stage::new(model(400, TreeFilter::Default));
    let node = stage.find(|node| node.count > 1);
    let chain = stage.view.model().nodes[node as usize].clone();
    let highlight = Highlight {
        summarized: vec![chain.first.0],
        kept: vec![chain.last.0],
        ..Highlight::default()
    };
    stage.view.set_highlight(&highlight);
    let expected = Marks {
        summarized: true,
        kept: true,
        ..Marks::default()
    };
    assert_eq!(stage.view.marks[node as usize], expected);
    assert_eq!(
        stage
            .view
            .marks
            .iter()
            .filter(|marks| **marks != Marks::default())
            .count(),
        1
    );
    // The same session rebuilt keeps its plan, another one has none.
    stage.view.set_model(model(400, TreeFilter::Default));
    assert_eq!(stage.view.marks[node as usize], expected);
    let mut other = model(400, TreeFilter::Default);
    other.session = "another".into();
    stage.view.set_model(other);
    assert!(stage.view.marks.is_empty());
    stage.view.set_highlight(&highlight);
    assert!(!stage.view.marks.is_empty());
    stage.view.set_highlight(&Highlight::default());
    assert!(stage.view.marks.is_empty());
}

#[test]
fn notes_and_labels_of_the_user_are_signs_on_their_nodes() {
    let mut stage = Stage::new(model(400, TreeFilter::Default));
    let node = stage.find(|node| node.count > 1);
    let chain = stage.view.model().nodes[node as usize].clone();
    let shapes = |stage: &Stage| stage.view.painted.as_ref().map_or(0, |p| p.shapes.len());
    let before = shapes(&stage);
    let marks = UserMarks {
        noted: vec![chain.last.0],
        labelled: vec![chain.first.0, u32::MAX],
    };
    stage.view.set_user_marks(marks.clone());
    stage.frame(Vec::new());
    let expected = UserMark {
        note: true,
        label: true,
    };
    assert_eq!(stage.view.user, HashMap::from([(node, expected)]));
    assert!(shapes(&stage) > before);
    // The same session made anew keeps them, another one has none.
    stage.view.set_model(model(400, TreeFilter::Default));
    assert_eq!(stage.view.user.len(), 1);
    let mut other = model(400, TreeFilter::Default);
    other.session = "another".into();
    stage.view.set_model(other);
    assert!(stage.view.user.is_empty());
    stage.view.set_user_marks(marks);
    stage.view.set_user_marks(UserMarks::default());
    stage.frame(Vec::new());
    assert!(stage.view.user.is_empty());
}

#[test]
fn a_plan_that_comes_before_the_tree_is_marked_in_it() {
    let mut stage = Stage::new(GraphModel::default());
    let shown = model(400, TreeFilter::Default);
    let first = shown.nodes[0].first.0;
    stage.view.set_highlight(&Highlight {
        kept: vec![first],
        ..Highlight::default()
    });
    stage.view.set_model(shown);
    let marked = stage.view.marks.iter().filter(|marks| marks.kept);
    assert_eq!(marked.count(), 1);
}

#[test]
fn an_empty_tree_is_shown() {
    let mut stage = Stage::new(GraphModel::default());
    stage.view.fit();
    let (told, _) = stage.frame(Vec::new());
    assert!(told.len() <= 1, "{told:?}");
}

/// A stage with a cut in the middle of what is on screen, and the nodes of its places.
fn stage_with_cut() -> (Stage, Vec<u32>) {
    let mut stage = Stage::new(model(400, TreeFilter::All));
    let inside = SCREEN.shrink(90.0);
    let mut nodes = stage.view.model().nodes.to_vec();
    nodes.retain(|node| node.on_active_path && inside.contains(stage.place(node.id)));
    nodes.sort_by(|a, b| a.y.total_cmp(&b.y));
    assert!(nodes.len() >= 6, "{} nodes", nodes.len());
    let places: Vec<u32> = nodes.iter().map(|node| node.first.0).collect();
    stage.view.set_cut_places(&places);
    stage.view.set_cut(Some(CutLine {
        at: 3,
        by_hand: false,
        words: "keeps 12k".to_owned(),
    }));
    (stage, nodes.iter().map(|node| node.id).collect())
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
    let (mut stage, nodes) = stage_with_cut();
    let at = grip(&stage.frame(Vec::new()).0);
    let above = (stage.place(nodes[2]).y + stage.place(nodes[3]).y) / 2.0;
    assert!((at.y - above).abs() < 2.0, "the grip is at {at:?}");
    let before = stage.view.viewport;
    stage.frame(vec![Event::PointerMoved(at)]);
    let told = stage.frame(vec![button(at, true)]).0;
    assert!(told.contains(&TreeEvent::CutHeld), "{told:?}");
    let pitch = stage.place(nodes[4]).y - stage.place(nodes[3]).y;
    let up = at - vec2(0.0, 2.0 * pitch);
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
                .frame(vec![Event::PointerMoved(up + vec2(9.0, 1.0))])
                .0
        )
        .is_empty()
    );
    assert_eq!(stage.view.cut.line().map(|line| line.at), Some(1));
    let down = at + vec2(0.0, pitch);
    assert_eq!(moves(&stage.frame(vec![Event::PointerMoved(down)]).0), [4]);
    let told = stage.frame(vec![button(down, false)]).0;
    assert!(told.contains(&TreeEvent::CutReleased), "{told:?}");
    assert_eq!(
        stage.view.viewport, before,
        "the tree must not move with it"
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
    let (mut stage, nodes) = stage_with_cut();
    let all = u32::try_from(nodes.len()).expect("a small number");
    stage.view.set_cut(Some(CutLine {
        at: all,
        ..CutLine::default()
    }));
    let at = grip(&stage.frame(Vec::new()).0);
    let last = stage.place(nodes[nodes.len() - 1]).y;
    assert!(at.y > last && at.y < last + 60.0, "{at:?} after {last}");
    let far = stage.view.model().nodes.iter().map(|node| node.y);
    let far = far.fold(0.0_f32, f32::max);
    stage.view.viewport.y = f64::from(far) - 200_000.0;
    stage.view.painted = None;
    let at = grip(&stage.frame(Vec::new()).0);
    assert!(
        SCREEN.contains(at) && at.y > SCREEN.bottom() - 40.0,
        "{at:?}"
    );
    stage.view.set_cut(None);
    stage.frame(Vec::new());
    assert!(stage.view.cut.line().is_none());
}

#[test]
fn places_folded_into_one_node_share_its_row() {
    let mut stage = Stage::new(model(400, TreeFilter::Default));
    let node = stage.find(|node| node.count > 2);
    let first = stage.view.model().nodes[node as usize].first.0;
    stage.view.set_cut_places(&[first, first + 1, first + 2]);
    let mut heights = Vec::new();
    for at in 0..3 {
        stage.view.set_cut(Some(CutLine {
            at,
            ..CutLine::default()
        }));
        heights.push(grip(&stage.frame(Vec::new()).0).y);
    }
    let center = stage.place(node).y;
    assert!(heights.is_sorted_by(|a, b| a < b), "{heights:?}");
    assert!(
        heights.iter().all(|y| (y - center).abs() <= 31.0),
        "{heights:?} round {center}"
    );
}
