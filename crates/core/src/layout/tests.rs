//! Rows, lanes and sizes, over random trees and at the extremes.

use super::*;
use crate::body::Role;
use crate::category::Category;
use crate::entry::{BranchSummary, Compaction, Entry, MessageSize, Outcome, SourceSpan};
use crate::ids::{Agent, EntryId};
use crate::rows::{Rows, TreeFilter};
use crate::session::SessionMeta;
use crate::usage::Usage;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};

/// An entry of `kind` below `parent`, of 10 tokens when it is a message.
fn entry(i: usize, parent: Option<usize>, kind: EntryKind) -> Entry {
    let message = match kind {
        EntryKind::Message(role) => Some(MessageSize {
            role,
            native_role: "test",
            estimate: 10,
            units: vec![(Category::AssistantText, 40)],
            tool_name: (role == Role::Tool).then(|| "read".into()),
            outcome: Outcome::Fine,
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
        subagent: None,
        side_agent: None,
        rejected: false,
        undone: false,
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
        repeated: Default::default(),
        answer_places: Vec::new(),
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

fn any_options() -> impl Strategy<Value = PictureOptions> {
    let filter = prop_oneof![
        Just(TreeFilter::Default),
        Just(TreeFilter::All),
        Just(TreeFilter::NoTools),
        Just(TreeFilter::UserOnly),
        Just(TreeFilter::LabeledOnly),
    ];
    let keep = prop::collection::btree_set((0u32..120).prop_map(EntryIx), 0..6);
    (filter, keep, 0u64..40_000).prop_map(|(filter, keep, fixed)| PictureOptions {
        session: "s".into(),
        filter,
        keep,
        fixed,
        window: 200_000,
        threshold: 155_000,
        ..PictureOptions::default()
    })
}

/// The entries with a row in the outline, nothing folded.
fn outline(session: &Session, options: &PictureOptions) -> HashSet<EntryIx> {
    let labels = labels(session);
    let rows = Rows {
        session,
        tree: &Tree::new(session),
        is_labelled: &|ix| labels[ix.get()].is_some() || options.keep.contains(&ix),
        filter: options.filter,
    };
    let rows = rows.outline(&HashSet::new());
    rows.iter().map(|row| row.ix).collect()
}

fn shown(session: &Session, options: &PictureOptions) -> Picture {
    picture(session, &Tree::new(session), options)
}

fn plain(session: &Session) -> Picture {
    shown(session, &PictureOptions::default())
}

proptest! {
    #[test]
    fn outline_and_canvas_show_the_same_rows(session in any_session(), options in any_options()) {
        let picture = shown(&session, &options);
        let rows: HashSet<EntryIx> = picture.rows.iter().map(|row| row.entry).collect();
        prop_assert_eq!(rows.len(), picture.rows.len(), "an entry has two rows");
        prop_assert_eq!(rows, outline(&session, &options));
    }

    #[test]
    fn rows_are_in_the_order_of_the_file_and_lead_to_what_is_shown(
        session in any_session(), options in any_options()
    ) {
        let tree = Tree::new(&session);
        let picture = picture(&session, &tree, &options);
        prop_assert_eq!(picture.row_of.len(), session.entries.len());
        let ordered = picture.rows.windows(2).all(|two| two[0].entry < two[1].entry);
        prop_assert!(ordered);
        for row in &picture.rows {
            prop_assert_eq!(picture.row_of[row.entry.get()], row.id);
            // Nothing shown stands between a row and its parent.
            if let Some(parent) = row.parent {
                let above = picture.rows[parent as usize].entry;
                let path = tree.path(row.entry);
                let stands = path.iter().rposition(|&ix| ix == above);
                prop_assert!(stands.is_some(), "{:?} is not above {:?}", above, row.entry);
                let between = &path[stands.unwrap_or(0) + 1..path.len() - 1];
                let is_row = |ix: &EntryIx| picture.rows[picture.row_of[ix.get()] as usize].entry == *ix;
                prop_assert!(!between.iter().any(is_row));
            }
        }
    }

    #[test]
    fn the_active_path_is_the_first_lane_and_lanes_in_a_column_do_not_touch(
        session in any_session(), options in any_options()
    ) {
        let picture = shown(&session, &options);
        for row in picture.rows.iter().filter(|row| row.on_active_path) {
            prop_assert_eq!(row.lane, 0);
        }
        let lanes = &picture.lanes;
        prop_assert_eq!((lanes[0].kind, lanes[0].column), (LaneKind::Active, 0));
        let span = |lane: &Lane| (lane.from.unwrap_or(lane.first).min(lane.first), lane.last);
        for (at, lane) in lanes.iter().enumerate().skip(1) {
            prop_assert!(lane.column > 0);
            let rows: Vec<u32> = picture.rows.iter().filter(|row| row.lane as usize == at).map(|row| row.id).collect();
            prop_assert_eq!((rows.first(), rows.last()), (Some(&lane.first), Some(&lane.last)));
            for other in lanes.iter().skip(at + 1).filter(|other| other.column == lane.column) {
                let ((a, b), (c, d)) = (span(lane), span(other));
                prop_assert!(b < c || d < a, "{:?} and {:?}", lane, other);
            }
        }
    }

    #[test]
    fn the_parts_of_a_context_add_up_to_its_size(session in any_session(), options in any_options()) {
        for row in &shown(&session, &options).rows {
            let parts: u64 = row.band.iter().map(|&part| u64::from(part) * STEP_TOKENS).sum();
            // Each part is rounded to a step.
            let most = STEP_TOKENS * PARTS as u64;
            prop_assert!(parts.abs_diff(row.size) <= most, "{} parts of {}", parts, row.size);
        }
    }

    #[test]
    fn the_same_input_gives_the_same_picture(session in any_session(), options in any_options()) {
        prop_assert_eq!(shown(&session, &options), shown(&session, &options));
    }

    #[test]
    fn turns_and_phases_part_the_rows(session in any_session(), options in any_options()) {
        let picture = shown(&session, &options);
        let sections = Sections::of(&picture);
        prop_assert_eq!(sections.turn_of.len(), picture.rows.len());
        let mut next = 0;
        for turn in &sections.turns {
            prop_assert_eq!(turn.first, next);
            next = turn.last + 1;
            let lane = |row: u32| picture.rows[row as usize].lane;
            prop_assert!((turn.first..=turn.last).all(|row| lane(row) == turn.lane));
            let phase = &sections.phases[turn.phase as usize];
            prop_assert!(phase.first <= turn.first && turn.last <= phase.last);
        }
        prop_assert_eq!(next as usize, picture.rows.len());
    }

    #[test]
    fn a_picture_survives_its_bytes(session in any_session(), options in any_options()) {
        let before = shown(&session, &options);
        let bytes = GraphBytes::of(&before);
        prop_assert_eq!(Picture::from_bytes(bytes.bytes()).unwrap(), before);
        prop_assert_eq!(received(&[], &bytes.whole()).unwrap(), bytes.bytes());
    }

    #[test]
    fn what_changed_makes_one_picture_of_another(
        one in any_session(),
        other in any_session(),
        kept in any::<prop::sample::Index>(),
        options in any_options(),
    ) {
        let mut grown = one.entries.clone();
        grown.truncate(kept.index(grown.len() + 1));
        let grown = session(grown);
        for (before, after) in [(&one, &other), (&grown, &one), (&one, &grown), (&one, &one)] {
            let before = GraphBytes::of(&shown(before, &options));
            let after = GraphBytes::of(&plain(after));
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
        let mut bytes = GraphBytes::of(&plain(&session)).bytes().to_vec();
        let place = at.index(bytes.len());
        bytes[place] = byte;
        bytes.truncate(end.index(bytes.len() + 1));
        if let Ok(picture) = Picture::from_bytes(&bytes) {
            let rows = picture.rows.len() as u32;
            prop_assert!(picture.row_of.iter().all(|&row| row < rows.max(1)));
            for row in &picture.rows {
                prop_assert!(row.parent.is_none_or(|parent| parent < rows));
                prop_assert!((row.lane as usize) < picture.lanes.len());
                prop_assert!((row.name as usize) < picture.names.len());
            }
            let ends = picture.bridges.iter().all(|&(from, to)| from.max(to) < rows);
            prop_assert!(ends);
            Sections::of(&picture);
        }
    }
}

#[test]
fn a_linear_session_has_a_row_for_each_entry_and_turns_that_begin_with_prompts() {
    let roles = [Role::User, Role::Assistant, Role::Tool, Role::Assistant];
    let entries = (0..40)
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(roles[i % 4])))
        .collect();
    let picture = plain(&session(entries));
    assert_eq!(picture.rows.len(), 40);
    assert_eq!(picture.lanes.len(), 1);
    let first = &picture.rows[0];
    assert_eq!(
        (first.class, &*first.label, first.tokens),
        (NodeClass::User, "words of 0", 10)
    );
    assert_eq!(picture.names[picture.rows[2].name as usize], "read");
    let sections = Sections::of(&picture);
    assert_eq!((sections.turns.len(), sections.phases.len()), (10, 1));
    assert_eq!(sections.phases[0].prompts, 10);
}

#[test]
fn a_chain_of_200_000_entries_is_laid_out() {
    let count = 200_000;
    let entries = (0..count)
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::Assistant)))
        .collect();
    let picture = plain(&session(entries));
    assert_eq!(picture.rows.len(), count);
    assert_eq!(picture.rows[count - 1].size, 10 * count as u64);
}

#[test]
fn a_comb_of_200_000_entries_is_laid_out_in_linear_time() {
    // Every entry of the long path has a branch of one entry; a quadratic layout does not end.
    let entries = (0..200_000)
        .map(|i: usize| {
            let parent = i.checked_sub(1).map(|before| before & !1);
            entry(i, parent, EntryKind::Message(Role::User))
        })
        .collect();
    let mut comb = session(entries);
    comb.active_leaf = Some(EntryIx(199_998));
    let picture = plain(&comb);
    assert_eq!(picture.lanes.len(), 1 + 100_000);
    let columns = picture.lanes.iter().map(|lane| lane.column).max();
    assert!(
        columns <= Some(2),
        "{columns:?} columns for branches that end at once"
    );
}

#[test]
fn results_of_calls_made_at_once_are_no_branches() {
    let roles = [
        Role::User,
        Role::Assistant,
        Role::Assistant,
        Role::Tool,
        Role::Tool,
    ];
    let parents = [None, Some(0), Some(1), Some(1), Some(2)];
    let entries = (0..5)
        .map(|i| entry(i, parents[i], EntryKind::Message(roles[i])))
        .collect();
    let picture = plain(&session(entries));
    assert_eq!(picture.lanes.len(), 1, "{:?}", picture.lanes);
    assert!(picture.rows.iter().all(|row| row.lane == 0));
}

#[test]
fn lanes_are_named_by_their_first_prompt() {
    let mut entries = vec![
        entry(0, None, EntryKind::Message(Role::User)),
        entry(1, Some(0), EntryKind::Message(Role::Assistant)),
        entry(2, Some(0), EntryKind::Message(Role::Assistant)),
        entry(3, Some(2), EntryKind::Message(Role::User)),
        entry(4, None, EntryKind::Message(Role::User)),
        entry(5, Some(1), EntryKind::Message(Role::User)),
        entry(6, Some(1), EntryKind::Message(Role::Assistant)),
    ];
    entries[6].sidechain = true;
    let mut session = session(entries);
    session.active_leaf = Some(EntryIx(5));
    let lanes: Vec<_> = plain(&session)
        .lanes
        .into_iter()
        .skip(1)
        .map(|lane| (lane.kind, lane.from, lane.name))
        .collect();
    let words = |i: usize| format!("words of {i}");
    let listed: Vec<_> = branches(&session, &Tree::new(&session))
        .into_iter()
        .map(|branch| (branch.kind, branch.from, branch.name, branch.tip))
        .collect();
    let is_listed = [
        (LaneKind::Branch, Some(EntryIx(0)), words(3), EntryIx(3)),
        (LaneKind::Root, None, words(4), EntryIx(4)),
    ];
    // A subagent is no branch.
    assert_eq!(listed, is_listed);
    let tree = Tree::new(&session);
    let active = active_branch(&session, &tree, &branches(&session, &tree)).unwrap();
    assert_eq!(
        (active.kind, active.from, active.name, active.entries),
        (
            LaneKind::Active,
            Some(EntryIx(0)),
            words(5),
            vec![EntryIx(1), EntryIx(5)]
        )
    );
    let expected = [
        (LaneKind::Branch, Some(0), words(3)),
        (LaneKind::Root, None, words(4)),
        (LaneKind::Subagent, Some(1), words(6)),
    ];
    assert_eq!(lanes, expected);
}

/// A session of six prompts of 10 tokens, a compaction of 1,200 that keeps the last two, a reply.
fn compacted() -> Session {
    let mut entries: Vec<Entry> = (0..6)
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::User)))
        .collect();
    let compaction = Compaction {
        first_kept: Some(EntryIx(4)),
        tokens_before: Some(128_400),
        ..Compaction::default()
    };
    let kind = EntryKind::Compaction(Box::new(compaction));
    entries.push(entry(6, Some(5), kind));
    entries[6].messages.push(MessageSize {
        role: Role::User,
        native_role: "compactionSummary",
        estimate: 1_200,
        units: vec![(Category::Summaries, 1)],
        tool_name: None,
        outcome: Outcome::Fine,
        sent: true,
    });
    entries.push(entry(7, Some(6), EntryKind::Message(Role::Assistant)));
    session(entries)
}

#[test]
fn a_compaction_narrows_the_band_to_summary_and_kept() {
    let picture = plain(&compacted());
    let row = &picture.rows[6];
    assert_eq!(row.class, NodeClass::Compaction);
    assert_eq!(row.label, "128k \u{2192} 1.2k tokens");
    assert_eq!(row.size, 1_220, "the summary and two entries of 10");
    assert_eq!(
        row.band[Part::Summaries as usize],
        38,
        "1,200 tokens in steps of 32"
    );
    assert_eq!(picture.rows[7].size, 1_230);
    assert_eq!(Sections::of(&picture).phases.len(), 2);
}

#[test]
fn a_reported_size_is_the_size_and_behind_a_compaction_it_holds_what_follows() {
    let mut session = compacted();
    let reported = Usage {
        input: 30_000,
        output: 500,
        ..Usage::default()
    };
    session.entries[7].usage = Some(reported);
    session.entries[7].usage_trusted = true;
    let after = SizeAfter {
        tokens: 29_000,
        summary: 1_400,
    };
    let options = PictureOptions {
        fixed: 12_000,
        after: BTreeMap::from([(EntryIx(6), after)]),
        ..PictureOptions::default()
    };
    let picture = shown(&session, &options);
    assert_eq!(picture.rows[6].size, 29_000);
    assert_eq!(picture.rows[6].label, "128k \u{2192} 29k tokens");
    assert_eq!(picture.rows[7].size, reported.context_tokens());
    let fixed = picture.rows[6].band[Part::Fixed as usize];
    assert!(
        u64::from(fixed) * STEP_TOKENS > 12_000,
        "what is given again is not named"
    );
}

#[test]
fn a_label_names_its_row_until_it_is_cleared() {
    let label = |text: Option<&str>| EntryKind::Label {
        target_id: EntryId::from("e1"),
        target: Some(EntryIx(1)),
        text: text.map(Into::into),
    };
    let mut entries: Vec<Entry> = (0..3)
        .map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::Assistant)))
        .collect();
    entries.push(entry(3, Some(2), label(Some("good state"))));
    let named = plain(&session(entries.clone()));
    let row = &named.rows[named.row_of[1] as usize];
    assert_eq!((row.label.as_str(), row.flag), ("good state", true));

    entries.push(entry(4, Some(3), label(None)));
    let cleared = plain(&session(entries));
    assert!(cleared.rows.iter().all(|row| !row.flag));
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
    let picture = plain(&session(entries));
    assert_eq!(picture.bridges, [(2, 3)]);
    assert_ne!(picture.rows[2].lane, picture.rows[3].lane);
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
        (u64::MAX, "18446744073710M"),
    ];
    for (value, text) in cases {
        assert_eq!(short_count(value), text);
    }
}

#[test]
fn an_empty_session_has_an_empty_picture() {
    let picture = plain(&session(Vec::new()));
    assert_eq!(picture.rows.len(), 0);
    assert_eq!(picture.lanes.len(), 1);
    let bytes = GraphBytes::of(&picture);
    assert_eq!(Picture::from_bytes(bytes.bytes()), Ok(picture));
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
    let before = plain(&session(entries));
    let bytes = GraphBytes::of(&before);
    assert_eq!(Picture::from_bytes(bytes.bytes()).unwrap(), before);
}

#[test]
fn an_appended_entry_is_sent_alone() {
    let entries: Vec<Entry> = (0..5_000)
        .map(|i| entry(i, i.checked_sub(1), kind((i % 12) as u8)))
        .collect();
    let before = GraphBytes::of(&plain(&session(entries[..4_999].to_vec())));
    let after = GraphBytes::of(&plain(&session(entries)));
    let sent = after.since(&before);
    assert!(sent.len() < 400, "{} bytes", sent.len());
    assert_eq!(received(before.bytes(), &sent).unwrap(), after.bytes());
}

#[test]
fn a_difference_against_other_bytes_is_refused() {
    let of = |count: usize| {
        let entries =
            (0..count).map(|i| entry(i, i.checked_sub(1), EntryKind::Message(Role::User)));
        GraphBytes::of(&plain(&session(entries.collect())))
    };
    let sent = of(40).since(&of(39));
    let refused = received(of(38).bytes(), &sent);
    assert_eq!(refused, Err(GraphBytesError::OtherBase));
}
