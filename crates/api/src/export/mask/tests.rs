//! What of a text is masked, and what stays.

use super::*;

/// The text as an export masks it: read first.
fn masked(mask: &mut Mask, text: &str) -> String {
    mask.read(text);
    mask.text(text)
}

#[test]
fn the_same_name_is_masked_the_same_way_and_words_stay() {
    let mut mask = Mask::knowing(["/home/anna/code/courier"]);
    let text = "Anna, anna edits /home/anna/code/courier/src/queue.rs:12 and src/queue.rs; \
                see courier-queue, CourierQueue, e.g. 3/4 of it. Ask ana@corp.example.";
    let masked = mask.text(text);
    for gone in ["anna", "courier", "queue.rs", "corp"] {
        assert!(
            !masked.to_lowercase().contains(gone),
            "{gone} is still in: {masked}"
        );
    }
    assert!(
        masked.contains("src/file-1.rs:12 and src/file-1.rs;"),
        "{masked}"
    );
    assert!(
        masked.contains("see name-2-queue, name-2Queue, e.g. 3/4 of it. Ask mail-1."),
        "{masked}"
    );
}

#[test]
fn a_part_of_a_path_is_masked_in_paths_only() {
    let mut mask = Mask::default();
    let text =
        "cat /srv/the/nil/zebra/id and the nil zebra, a/the.rs, https://x.example... and ... a";
    assert_eq!(
        masked(&mut mask, text),
        "cat /folder-1/folder-2/folder-3/folder-4/folder-5 and the nil zebra, a/folder-2.rs, \
         https://address-1... and ... a"
    );
}

#[test]
fn words_with_slashes_keys_and_escapes_stay() {
    let mut mask = Mask::knowing(["/home/anna/data/test"]);
    for text in [
        "if err != nil {\n\t\treturn N/A and/or I/O, read/write\n",
        r#"{"id": "a\n\t\treturn nil", "type": "text/markdown"}"#,
        r"\d+\s*\w \\n \u00e9 regex \bfoo\b",
        "Factory/initialization </section><br/> // comment, react@18.2.0 and process.env",
        "model openai/gpt-4, test the data",
        "...",
        r"done.\nfunc main",
    ] {
        assert_eq!(masked(&mut mask, text), text);
    }
}

#[test]
fn names_behind_escapes_and_in_paths_of_windows_are_masked() {
    let mut mask = Mask::knowing(["C:\\Users\\anna\\courier"]);
    assert_eq!(
        masked(&mut mask, r"x\nanna\tC:\Users\anna\courier\new.rs"),
        r"x\nname-1\tC:\Users\name-1\name-2\file-1.rs"
    );
    assert_eq!(
        masked(&mut mask, r"C:\\Users\\anna\\notes\nthe rest src\queue.rs"),
        r"C:\\Users\\name-1\\folder-1\nthe rest src\file-2.rs"
    );
}

#[test]
fn people_are_masked_wherever_they_are_named() {
    let mut mask = Mask::default();
    let text = "veraholm asked: {\"login\":\"veraholm\"} [@jonas-b] and @veraholm; jonas-b said \
                {\"login\":\"mark\"} @mark should mark it in /home/karl/x, karl.";
    assert_eq!(
        masked(&mut mask, text),
        "name-1 asked: {\"login\":\"name-1\"} [@name-2] and @name-1; name-2 said \
         {\"login\":\"name-4\"} @name-4 should mark it in /home/name-3/x, name-3."
    );
}

#[test]
fn folders_of_a_project_that_are_called_users_are_no_homes() {
    let mut mask = Mask::default();
    let text = "POST /users/createZorb, src/users/invitations.ts and components/home/Carousel.tsx: \
                createZorb, Carousel; /mnt/c/Users/karlh/x and C:\\Users\\bodil\\y, karlh, bodil";
    let masked = masked(&mut mask, text);
    assert!(masked.contains(": createZorb, Carousel;"), "{masked}");
    for gone in ["karlh", "bodil"] {
        assert!(!masked.contains(gone), "{gone} is still in: {masked}");
    }
}

#[test]
fn a_long_word_full_of_escapes_is_read_once() {
    // A second for a megabyte where every escape reads the rest; it has no separators of a path.
    let word = "\\u4e2d\\u6587".repeat(40_000);
    assert_eq!(masked(&mut Mask::default(), &word), word);
    let versions = "x@1".repeat(100_000);
    assert_eq!(masked(&mut Mask::default(), &versions), versions);
}

#[test]
fn authors_of_commits_are_masked() {
    let mut mask = Mask::default();
    let log = "Author: Vera Holm <vera@holm.example>\nVera wrote it.";
    assert_eq!(
        masked(&mut mask, log),
        "Author: name-1 name-2 <mail-1>\nname-1 wrote it."
    );
    for author in [
        "\"Jorun Vask\"",
        "commit by Jorun Vask",
        "Signed-off-by: Maria del Mar Jorun Vask",
    ] {
        let masked = masked(&mut Mask::default(), &format!("{author} <x@holm.example>"));
        assert!(
            !masked.contains("Jorun") && !masked.contains("Vask"),
            "{masked}"
        );
    }
}

#[test]
fn ranges_of_masked_json_are_emptied() {
    let mut value = serde_json::json!({
        "text": "zorb/secret.rs", "evidence": [{"start": 1, "end": 3}], "start": 4, "keep": 7
    });
    Mask::default().value(&mut value);
    assert_eq!(
        value,
        serde_json::json!({"text": "folder-1/file-1.rs", "evidence": [], "start": 0, "keep": 7})
    );
}
