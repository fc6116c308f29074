//! Folding and placing, over random trees and at the extremes.

use super::*;
use crate::body::Role;
use crate::category::Category;
use crate::entry::{BranchSummary, Compaction, Entry, MessageSize, SourceSpan};
use crate::ids::{Agent, EntryId};
use crate::rows::{Rows, TreeFilter};
use crate::session::SessionMeta;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// An entry of `kind` below `parent`, of 10 tokens when it is a message.
fn entry(i: usize, parent: Option<usize>, kind: EntryKind) -> Entry {
    let message = match kind {
        EntryKind::Message(role) => Some(MessageSize {
            role,
            native_role: "test",
            estimate: 10,
            units: vec![(Category::AssistantText, 40)],
            tool_name: (role == Role::Tool).then(|| "read".into()),
            sent: true,
        }),
        _ => None,
    };
    Entry {
        id: EntryId::from(format!("e{i}")),
        parent: parent.map(EntryIx::new),
        missing_parent: None,
        kind,
        at_ms: Some(i as i64),
        source: SourceSpan::default(),
        messages: message.into_iter().collect(),
        tool_calls: Vec::new(),
        usage: None,
        usage_trusted: false,
        stop_reason: None,
        is_error: false,
        model: None,
        preview: format!("words of {i}").into(),
        recovered: false,
        sidechain: false,
    }
}

fn session(entries: Vec<Entry>) -> Session {
    let active_leaf = entries.len().checked_sub(1).map(EntryIx::new);
    Session {
        meta: SessionMeta {
            agent: Agent::PI,
            native_id: "s".into(),
            path: String::new(),
            format_version: Some(3),
            cwd: None,
            title: None,
            parent_session: None,
            parent_kind: None,
            agent_version: None,
            branches: Vec::new(),
            created_at_ms: None,
            updated_at_ms: None,
        },
        entries,
        active_leaf,
        warnings: Vec::new(),
        merged: Vec::new(),
        restarts: Vec::new(),
        file_states: Vec::new(),
        links: Vec::new(),
        parts: Vec::new(),
        headers: Vec::new(),
    }
}

fn kind(number: u8) -> EntryKind {
    match number {
        0..=1 => EntryKind::Message(Role::User),
        2..=4 => EntryKind::Message(Role::Assistant),
        5..=7 => EntryKind::Message(Role::Tool),
        8 => EntryKind::Compaction(Box::default()),
        9 => EntryKind::BranchSummary(Box::default()),
        10 => EntryKind::ModelChange,
        _ => EntryKind::Label {
            target_id: EntryId::from("e0"),
            target: Some(EntryIx(0)),
            text: Some("mark".into()),
        },
    }
}

/// Trees that are mostly chains, as sessions are, with some branches and roots.
fn any_session() -> impl Strategy<Value = Session> {
    prop::collection::vec(
        (
            0u8..12,
            0u8..10,
            any::<prop::sample::Index>(),
            any::<bool>(),
        ),
        0..120,
    )
    .prop_map(|rows| {
        let entries = rows
            .iter()
            .enumerate()
            .map(|(i, &(number, branch, back, is_error))| {
                let parent = match branch {
                    _ if i == 0 => None,
                    0 => Some(back.index(i)),
                    1 if back.index(8) == 0 => None,
                    _ => Some(i - 1),
                };
                let mut entry = entry(i, parent, kind(number));
                entry.is_error = is_error && branch == 2;
                entry.sidechain = branch == 3;
                entry
            })
            .collect();
        session(entries)
    })
}

fn any_options() -> impl Strategy<Value = GraphOptions> {
    let filter = prop_oneof![
        Just(TreeFilter::Default),
        Just(TreeFilter::All),
        Just(TreeFilter::NoTools),
        Just(TreeFilter::UserOnly),
        Just(TreeFilter::LabeledOnly),
    ];
    let some = || prop::collection::btree_set((0u32..120).prop_map(EntryIx), 0..6);
    (filter, any::<bool>(), some(), some()).prop_map(|(filter, keep_errors, expanded, keep)| {
        GraphOptions {
            session: "s".into(),
            filter,
            keep_errors,
            expanded,
            keep,
            ..GraphOptions::default()
        }
    })
}

/// The entries with a row in the outline, nothing folded.
fn outline(session: &Session, filter: TreeFilter) -> HashSet<EntryIx> {
    let labels = labels(session);
    let rows = Rows {
        session,
        tree: &Tree::new(session),
        is_labelled: &|ix| labels[ix.get()].is_some(),
        filter,
    };
    let rows = rows.outline(&HashSet::new());
    rows.iter().map(|row| row.ix).collect()
}

/// Every row of the outline opens a node of the canvas, and no node holds a second one. A node
/// without a row holds entries that the filter hides and that no row stands above.
fn assert_same_rows(session: &Session, filter: TreeFilter) -> Result<(), TestCaseError> {
    let rows = outline(session, filter);
    let options = GraphOptions {
        filter,
        ..GraphOptions::default()
    };
    let model = model(session, &options);
    let firsts: HashSet<EntryIx> = model.nodes.iter().map(|node| node.first).collect();
    let hidden: Vec<&EntryIx> = rows.iter().filter(|ix| !firsts.contains(ix)).collect();
    prop_assert!(hidden.is_empty(), "rows that open no node: {:?}", hidden);
    let tree = Tree::new(session);
    for node in model
        .nodes
        .iter()
        .filter(|node| !rows.contains(&node.first))
    {
        let Some(above) = tree.parent(node.first) else {
            continue;
        };
        let above = &model.nodes[model.node_of[above.get()] as usize];
        let stands_alone = above.count == 1 && rows.contains(&above.first);
        prop_assert!(
            stands_alone,
            "{:?} could fold into {:?}",
            node.first,
            above.first
        );
    }
    Ok(())
}

fn model(session: &Session, options: &GraphOptions) -> GraphModel {
    graph_model(session, &Tree::new(session), options)
}

proptest! {
    #[test]
    fn outline_and_canvas_show_the_same_rows_without_tools(session in any_session()) {
        assert_same_rows(&session, TreeFilter::NoTools)?;
    }

    #[test]
    fn outline_and_canvas_show_the_same_rows_of_the_user(session in any_session()) {
        assert_same_rows(&session, TreeFilter::UserOnly)?;
    }

    #[test]
    fn outline_and_canvas_show_the_same_labelled_rows(session in any_session()) {
        assert_same_rows(&session, TreeFilter::LabeledOnly)?;
    }

    #[test]
    fn outline_and_canvas_show_the_same_rows_where_all_are_shown(session in any_session()) {
        assert_same_rows(&session, TreeFilter::All)?;
    }

    /// The canvas has one node per turn there: it hides no row, and each turn begins with one.
    #[test]
    fn turns_of_the_canvas_begin_at_rows_of_the_outline(session in any_session()) {
        let rows = outline(&session, TreeFilter::Default);
        let model = model(&session, &GraphOptions::default());
        let is_user = |ix: EntryIx| session.entry(ix).kind == EntryKind::Message(Role::User);
        for ix in session.indices().filter(|&ix| is_user(ix)) {
            prop_assert!(rows.contains(&ix));
            prop_assert_eq!(model.nodes[model.node_of[ix.get()] as usize].first, ix);
        }
    }

    #[test]
    fn nodes_part_the_entries_into_chains(session in any_session(), options in any_options()) {
        let tree = Tree::new(&session);
        let model = graph_model(&session, &tree, &options);
        prop_assert_eq!(model.node_of.len(), session.entries.len());
        let mut members: HashMap<u32, Vec<EntryIx>> = HashMap::new();
        for ix in tree.preorder() {
            members.entry(model.node_of[ix.get()]).or_default().push(ix);
        }
        prop_assert_eq!(members.len(), model.nodes.len());
        for node in &model.nodes {
            let chain = &members[&node.id];
            prop_assert_eq!(chain.first(), Some(&node.first));
            prop_assert_eq!(chain.last(), Some(&node.last));
            prop_assert_eq!(chain.len() as u32, node.count);
            for pair in chain.windows(2) {
                prop_assert_eq!(tree.children(pair[0]), &pair[1..], "a branch was folded away");
            }
            let above = tree.parent(node.first).map(|p| model.node_of[p.get()]);
            prop_assert_eq!(above, node.parent);
            let alone = chain.iter().any(|&ix| matches!(
                session.entry(ix).kind,
                EntryKind::Compaction(_) | EntryKind::BranchSummary(_)
            ) || session.active_leaf == Some(ix) || options.keep.contains(&ix));
            prop_assert!(!alone || node.count == 1, "{:?} shares its node", chain);
        }
    }

    #[test]
    fn nodes_do_not_overlap_and_lie_below_their_parents(
        session in any_session(), options in any_options()
    ) {
        let model = model(&session, &options);
        let mut rows: HashMap<i64, Vec<f32>> = HashMap::new();
        for node in &model.nodes {
            rows.entry(node.y as i64).or_default().push(node.x);
            let above = node.parent.map(|parent| model.nodes[parent as usize].y);
            prop_assert_eq!(node.y, above.map_or(0.0, |y| y + ROW_PITCH));
            if node.on_active_path {
                prop_assert_eq!(node.x, 0.0, "the active path bends at {}", node.id);
            }
            prop_assert!(node.x - NODE_WIDTH / 2.0 >= model.bounds.min_x);
            prop_assert!(node.x + NODE_WIDTH / 2.0 <= model.bounds.max_x);
            prop_assert!(node.y + NODE_HEIGHT / 2.0 <= model.bounds.max_y);
        }
        for row in rows.values_mut() {
            row.sort_by(f32::total_cmp);
            for pair in row.windows(2) {
                prop_assert!(pair[1] - pair[0] >= COLUMN_PITCH, "too near: {:?}", pair);
            }
        }
    }

    #[test]
    fn siblings_stand_in_time_order(session in any_session(), options in any_options()) {
        let model = model(&session, &options);
        let mut last: HashMap<Option<u32>, f32> = HashMap::new();
        for node in &model.nodes {
            if let Some(before) = last.insert(node.parent, node.x) {
                prop_assert!(before < node.x);
            }
        }
    }

    #[test]
    fn the_same_input_gives_the_same_model(session in any_session(), options in any_options()) {
        prop_assert_eq!(model(&session, &options), model(&session, &options));
    }

    #[test]
    fn a_model_survives_its_bytes(session in any_session(), options in any_options()) {
        let before = model(&session, &options);
        let bytes = GraphBytes::of(&before);
        prop_assert_eq!(GraphModel::from_bytes(bytes.bytes()).unwrap(), before);
        prop_assert_eq!(received(&[], &bytes.whole()).unwrap(), bytes.bytes());
    }

    #[test]
    fn what_changed_makes_one_model_of_another(
        one in any_session(),
        other in any_session(),
        kept in any::<prop::sample::Index>(),
        options in any_options(),
    ) {
        let mut grown = one.entries.clone();
        grown.truncate(kept.index(grown.len() + 1));
        let grown = session(grown);
        for (before, after) in [(&one, &other), (&grown, &one), (&one, &grown), (&one, &one)] {
            let before = GraphBytes::of(&model(before, &options));
            let after = GraphBytes::of(&model(after, &GraphOptions::default()));
            let sent = after.since(&before);
            prop_assert_eq!(received(before.bytes(), &sent).unwrap(), after.bytes());
            prop_assert!(sent.len() <= after.whole().len());
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_read_but_lead_nowhere(
        session in any_session(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = GraphBytes::of(&model(&session, &GraphOptions::default())).bytes().to_vec();
        let place = at.index(bytes.len());
        bytes[place] = byte;
        bytes.truncate(end.index(bytes.len() + 1));
        if let Ok(model) = GraphModel::from_bytes(&bytes) {
            let nodes = model.nodes.len() as u32;
            prop_assert!(model.node_of.iter().all(|&node| node < nodes));
            prop_assert!(model.edges.iter().all(|edge| edge.from.max(edge.to) < nodes));
        }
    }

    #[test]
    fn unfolding_shows_each_entry_of_the_chain_and_nothing_else(session in any_session()) {
        let folded = model(&session, &GraphOptions::default());
        let Some(chain) = folded.nodes.iter().find(|node| node.count > 1) else {
            return Ok(());
        };
        let expanded = BTreeSet::from([chain.group]);
        let unfolded = model(&session, &GraphOptions { expanded, ..GraphOptions::default() });
        let grown = unfolded.nodes.len() - folded.nodes.len();
        prop_assert_eq!(grown as u32, chain.count - 1);
        let parts = unfolded.nodes.iter().filter(|n| n.is_expanded && n.group == chain.group);
        prop_assert_eq!(parts.count() as u32, chain.count);
    }
}

#[test]
fn a_linear_session_is_a_chain_of_turns() {
    let roles = [Role::User, Role::Assistant, Role::Tool, Role::Assistant];
    let entries = (0..40)
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(roles[i % 4])))
        .collect();
    let model = model(&session(entries), &GraphOptions::default());
    // Ten turns, the last entry being the active leaf.
    assert_eq!(model.nodes.len(), 11);
    assert!(model.nodes.iter().all(|node| node.x == 0.0));
    let first = &model.nodes[0];
    assert_eq!(
        (first.class, first.count, first.tokens),
        (NodeClass::User, 4, 40)
    );
    assert_eq!(first.label, "words of 0");
    assert_eq!(first.sublabel, "4 entries \u{b7} 40 tokens");
}

#[test]
fn a_chain_of_200_000_entries_is_placed() {
    let count = 200_000;
    let parents: Vec<Option<u32>> = (0..count).map(|i: u32| i.checked_sub(1)).collect();
    let placement = place(&parents, Some(count - 1));
    assert_eq!(
        placement.y[count as usize - 1],
        (count - 1) as f32 * ROW_PITCH
    );

    let entries = (0..count as usize)
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::Assistant)))
        .collect();
    let options = GraphOptions {
        filter: TreeFilter::All,
        ..GraphOptions::default()
    };
    assert_eq!(
        model(&session(entries), &options).nodes.len(),
        count as usize
    );
}

#[test]
fn a_comb_of_200_000_nodes_is_placed_in_linear_time() {
    // Every node of the long path has a side branch; a quadratic layout does not end.
    let parents: Vec<Option<u32>> = (0..200_000u32)
        .map(|i| if i == 0 { None } else { Some((i - 1) & !1) })
        .collect();
    let placement = place(&parents, None);
    assert_eq!(placement.x.len(), 200_000);
}

#[test]
fn a_compaction_names_what_it_took_and_left() {
    let mut entries: Vec<Entry> = (0..6)
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::User)))
        .collect();
    let compaction = Compaction {
        first_kept: Some(EntryIx(4)),
        tokens_before: Some(128_400),
        ..Compaction::default()
    };
    entries.push(entry(
        6,
        Some(5),
        EntryKind::Compaction(Box::new(compaction)),
    ));
    entries[6].messages.push(MessageSize {
        role: Role::User,
        native_role: "compactionSummary",
        estimate: 1_200,
        units: Vec::new(),
        tool_name: None,
        sent: true,
    });
    let model = model(&session(entries), &GraphOptions::default());
    let node = &model.nodes[6];
    assert_eq!(node.class, NodeClass::Compaction);
    assert_eq!(node.label, "128k \u{2192} 1.2k tokens");
    assert_eq!((node.tokens, node.tokens_after), (128_400, Some(1_220)));
}

#[test]
fn a_label_names_its_node_until_it_is_cleared() {
    let label = |text: Option<&str>| EntryKind::Label {
        target_id: EntryId::from("e1"),
        target: Some(EntryIx(1)),
        text: text.map(Into::into),
    };
    let mut entries: Vec<Entry> = (0..3)
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::Assistant)))
        .collect();
    entries.push(entry(3, Some(2), label(Some("good state"))));
    let named = model(&session(entries.clone()), &GraphOptions::default());
    let node = &named.nodes[named.node_of[1] as usize];
    assert_eq!(
        (node.label.as_str(), node.flag, node.count),
        ("good state", true, 1)
    );
    assert_eq!(node.sublabel, "words of 1");

    entries.push(entry(4, Some(3), label(None)));
    let cleared = model(&session(entries), &GraphOptions::default());
    assert!(cleared.nodes.iter().all(|node| !node.flag));
}

#[test]
fn a_bridge_leads_from_the_abandoned_leaf_to_its_summary() {
    let summary = BranchSummary {
        from: Some(EntryIx(2)),
        ..BranchSummary::default()
    };
    let entries = vec![
        entry(0, None, EntryKind::Message(Role::User)),
        entry(1, Some(0), EntryKind::Message(Role::Assistant)),
        entry(2, Some(1), EntryKind::Message(Role::User)),
        entry(3, Some(1), EntryKind::BranchSummary(Box::new(summary))),
    ];
    let model = model(&session(entries), &GraphOptions::default());
    let bridge: Vec<&GraphEdge> = model
        .edges
        .iter()
        .filter(|edge| edge.class == EdgeClass::Bridge)
        .collect();
    assert_eq!(bridge.len(), 1);
    assert_eq!(bridge[0].from, model.node_of[2]);
    assert_eq!(bridge[0].to, model.node_of[3]);
    assert!(model.nodes[bridge[0].from as usize].x < model.nodes[bridge[0].to as usize].x);
}

#[test]
fn numbers_are_short() {
    let cases = [
        (0, "0"),
        (999, "999"),
        (1_000, "1k"),
        (1_249, "1.2k"),
        (9_960, "10k"),
        (45_400, "45k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (1_340_000, "1.3M"),
    ];
    for (value, text) in cases {
        assert_eq!(short_count(value), text);
    }
}

#[test]
fn an_empty_session_has_an_empty_model() {
    let model = model(&session(Vec::new()), &GraphOptions::default());
    assert_eq!(model.nodes.len(), 0);
    assert_eq!(model.bounds, GraphBounds::default());
}

#[test]
fn ids_of_every_form_come_back_as_they_were() {
    let ids = [
        "",
        "0a1b2c3d",
        "0A1B2C3D",
        "abc",
        "line:7",
        "123e4567-e89b-12d3-a456-426614174000",
        "123E4567-e89b-12d3-a456-426614174000",
        "123e4567-e89b-12d3-a456-42661417400",
        "----------------------------------ab",
        "ä",
    ];
    let mut entries: Vec<Entry> = (0..ids.len())
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::User)))
        .collect();
    for (entry, id) in entries.iter_mut().zip(ids) {
        entry.id = EntryId::from(id);
    }
    let before = model(&session(entries), &GraphOptions::default());
    let bytes = GraphBytes::of(&before);
    assert_eq!(GraphModel::from_bytes(bytes.bytes()).unwrap(), before);
}

#[test]
fn an_appended_entry_is_sent_alone() {
    let entries: Vec<Entry> = (0..5_000)
        .map(|i| entry(i, i.checked_sub(1), kind((i % 12) as u8)))
        .collect();
    let before = GraphBytes::of(&model(
        &session(entries[..4_999].to_vec()),
        &GraphOptions::default(),
    ));
    let after = GraphBytes::of(&model(&session(entries), &GraphOptions::default()));
    let sent = after.since(&before);
    assert!(sent.len() < 400, "{} bytes", sent.len());
    assert_eq!(received(before.bytes(), &sent).unwrap(), after.bytes());
}

#[test]
fn a_difference_against_other_bytes_is_refused() {
    let of = |count: usize| {
        let entries =
            (0..count).map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::User)));
        GraphBytes::of(&model(
            &session(entries.collect()),
            &GraphOptions::default(),
        ))
    };
    let sent = of(40).since(&of(39));
    let refused = received(of(38).bytes(), &sent);
    assert_eq!(refused, Err(GraphBytesError::OtherBase));
}
