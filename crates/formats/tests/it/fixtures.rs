//! Each fixture's tree, warnings and context as read, held against a snapshot.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use crate::common::{Fixture, fixtures, fixtures_of};
use palimpsest_core::Bodies;
use palimpsest_formats::account::account;
use palimpsest_formats::continue_dev::Continue;
use palimpsest_formats::copilot_chat::CopilotChat;
use palimpsest_formats::opencode::OpenCode;
use palimpsest_formats::pi::Pi;
use palimpsest_formats::{SessionFormat, codex::Codex, copilot::Copilot, formats};
use palimpsest_testkit::cases::each;
use std::path::Path;

fn snapshot(fixture: &Fixture) {
    let ours = fixture.read();
    let accounted = account(&ours.session, &fixture.bytes);
    assert_eq!(accounted.lost, [0u32; 0], "{}", fixture.path.display());
    let name = format!("{}-{}", fixture.format.agent(), fixture.stem());
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, crate::common::told::told_session(&ours));
    });
}

#[test]
fn valid_files() {
    each(fixtures(&["valid"]), snapshot);
}

#[test]
fn invalid_files() {
    each(fixtures(&["invalid"]), snapshot);
}

#[test]
fn each_file_is_recognised_by_its_own_reader_alone() {
    // Some fixtures are what an assembly makes of the files on disk.
    let documents = [OpenCode.agent(), CopilotChat.agent(), Continue.agent()];
    let files = fixtures(&["valid"]);
    let on_disk = files
        .iter()
        .filter(|file| !documents.contains(&file.format.agent()));
    for file in on_disk {
        let takers: Vec<_> = formats()
            .iter()
            .filter(|format| format.sniff(&file.path, &file.bytes))
            .map(|format| format.agent())
            .collect();
        assert_eq!(takers, [file.format.agent()], "{}", file.path.display());
    }
}

#[test]
fn an_agent_whose_sessions_are_one_file_each_puts_none_together() {
    let files = fixtures(&["valid", "invalid"]);
    let whole = formats().iter().filter(|format| format.is_one_file());
    for format in whole {
        for file in &files {
            let assembly = format.assembly(&file.path, &file.bytes);
            assert!(assembly.is_none(), "{}", file.path.display());
        }
    }
    assert!(Pi.is_one_file() && !OpenCode.is_one_file());
}

#[test]
fn files_that_are_no_sessions_are_not_recognised() {
    let of_pi = [
        "empty",
        "blank",
        "not-a-session",
        "no-header",
        "header-late",
    ];
    let of_codex = ["empty", "blank", "no-header", "pretty-printed"];
    let of_copilot = ["empty", "blank", "pretty-printed"];
    let named = |format: &'static dyn SessionFormat, names: &[&str]| -> Vec<Fixture> {
        let mut files = fixtures_of(format, &["invalid"]);
        files.retain(|file| names.contains(&file.stem().as_str()));
        assert_eq!(files.len(), names.len());
        files
    };
    let mut files = named(&Pi, &of_pi);
    files.extend(named(&Codex, &of_codex));
    files.extend(named(&Copilot, &of_copilot));
    for file in &files {
        for format in formats() {
            let path = Path::new("");
            assert!(
                !format.sniff(path, &file.bytes),
                "{} as a file of {}",
                file.path.display(),
                format.agent()
            );
        }
    }
}

#[test]
fn sizes_of_entries_are_those_of_their_bodies() {
    for file in fixtures(&["valid", "invalid"]) {
        let ours = file.read();
        for ix in ours.session.indices() {
            let entry = ours.session.entry(ix);
            let body = ours.body(ix).unwrap();
            let spoken: Vec<_> = body
                .messages
                .iter()
                .filter(|message| message.native_role != "contextEdit")
                .map(|message| (message.role, message.native_role, message.sent))
                .collect();
            let sized: Vec<_> = entry
                .messages
                .iter()
                .map(|size| (size.role, size.native_role, size.sent))
                .collect();
            assert_eq!(spoken, sized, "{} {}", file.path.display(), entry.id);
        }
    }
}
