//! The words of the index, read from the pages of the full-text table.

use crate::sample::{add, session};
use palimpsest_store::IndexDb;
use palimpsest_store::index::terms::terms;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The words that the index lists, each once.
fn listed(db: &IndexDb) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let reader = db.reader().unwrap();
    let each = |word: &str| {
        words.insert(word.to_owned());
        ControlFlow::Continue(())
    };
    reader.each_indexed_word(&[], each).unwrap();
    words
}

/// So many words that they fill many pages, with beginnings in common and lists over several pages.
#[test]
fn all_words_of_all_transactions_are_listed() {
    let db = IndexDb::init_in_memory().unwrap();
    let mut expected = BTreeSet::new();
    for batch in 0..5 {
        let texts: Vec<String> = (0..400)
            .map(|n| {
                let number = batch * 400 + n;
                let long = "x".repeat(number % 300);
                format!(
                    "common Größe word{number} wordy{}{number} {long}z",
                    number * 7
                )
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let writer = db.writer().unwrap();
        add(&writer, &session(&format!("s{batch}")), &texts);
        writer.commit().unwrap();
        expected.extend(texts.iter().flat_map(|text| terms(text)));
    }
    assert_eq!(listed(&db), expected);
    // Those that begin with some letter come before the others, and the others follow.
    let first_of = |letter: char| {
        let mut words: Vec<String> = Vec::new();
        let reader = db.reader().unwrap();
        let each = |word: &str| {
            words.push(word.to_owned());
            ControlFlow::Continue(())
        };
        reader.each_indexed_word(&[letter], each).unwrap();
        let at = words.iter().position(|word| word.starts_with(letter));
        assert_eq!(words.into_iter().collect::<BTreeSet<_>>(), expected);
        at
    };
    for letter in ['c', 'g', 'w', 'x'] {
        let at = first_of(letter).unwrap();
        assert!(at < 1_000, "{letter}: {at} of {}", expected.len());
    }
    assert_eq!(first_of('q'), None);
}

#[test]
fn a_listing_ends_where_it_is_told_to() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    add(&writer, &session("a"), &["one two three"]);
    writer.commit().unwrap();
    let mut count = 0;
    let each = |_: &str| {
        count += 1;
        ControlFlow::Break(())
    };
    let reader = db.reader().unwrap();
    reader.each_indexed_word(&[], each).unwrap();
    assert_eq!(count, 1);
}
