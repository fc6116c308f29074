//! What of a sentence says it: without labels, ids and places, without what leads up to it and what
//! explains it.

use crate::turns::Turns;

/// A sentence without the label in front of it (`**Design decision:** text`).
pub(crate) fn unlabelled(sentence: &str) -> &str {
    let Some((label, rest)) = sentence
        .strip_prefix("**")
        .and_then(|rest| rest.split_once("**"))
    else {
        return sentence;
    };
    let rest = rest.trim_start_matches([':', ' ', '-', '–', '—']);
    let is_label = label.trim_end().ends_with(':') && label.split_whitespace().count() <= 4;
    if is_label && rest.split_whitespace().count() >= 3 {
        rest
    } else {
        sentence
    }
}

/// Openings that lead up to what a sentence says.
#[rustfmt::skip]
const LEADS: &[&str] = &[
    "now let me ", "let me ", "now ", "i need to ", "i'll ", "i see - ", "i see, ", "the issue is that ", "the problem is that ",
    "the issue is ", "the problem is ", "the fix is to ", "the cause is that ", "the test is failing because ", "so ", "ah, ", "yes! ", "found it. ",
    "there's a ", "there is a ", "note: ", "btw, ", "okay, ", "ok, ", "alright, ", "actually, ", "won't fix - ", "already fixed - ",
    "can we ", "can you ", "could you ", "please ", "let's ", "i want you to ",
];

/// Leads behind which stands what is chosen.
#[rustfmt::skip]
const CHOOSING: &[&str] = &["i'd lean toward ", "i'd lean towards ", "i'd go with ", "i'd suggest ", "i'd recommend ", "i'll go with ", "going with ", "let's go with "];

/// Letters of the longest of them, and some.
const LONGEST_LEAD: usize = 24;

/// True for a sentence that begins with such a lead.
pub(crate) fn chooses(sentence: &str) -> bool {
    // This is asked of every wording that is looked for: the first letter sorts most of them out.
    if !sentence.starts_with(['I', 'i', 'G', 'g', 'L', 'l']) {
        return false;
    }
    let plain = |c: char| {
        if c == '’' {
            '\''
        } else {
            c.to_ascii_lowercase()
        }
    };
    let start: String = sentence.chars().take(LONGEST_LEAD).map(plain).collect();
    CHOOSING.iter().any(|lead| start.starts_with(lead))
}

/// What begins a clause that explains what stands in front of it.
#[rustfmt::skip]
static CLAUSES: Turns = Turns::anywhere(&[
    ", because ", " because ", ", since ", " instead of ", " rather than ", ", so ", ", which ", " so that ", " - it's ",
    " in order to ", " to eliminate ", " to avoid ", " by setting ", ", but ", " (", ", then ", "; ", ", otherwise ", " - ", " — ",
]);

/// What stands behind an item and tells where it is, or where it is told.
static PLACING: Turns = Turns::anywhere(&[
    " at line",
    " - line",
    " - need to",
    " (line",
    " (duplicate",
    " (same as",
]);

/// An item without its number, its ids and its place: the longest cell of a row, what stands behind
/// `[123]`, `Fix #2 (123): `, `Comment 123 (a.go:4) - ` and `src/a.go:4 - `, and in front of
/// ` at line 5`.
pub(crate) fn bare(item: &str) -> &str {
    let cells = item.split(" | ");
    let count = |cell: &&str| {
        let ids = |word: &&str| word.bytes().any(|b| b.is_ascii_alphabetic()) && !is_place(word);
        cell.split_whitespace().filter(ids).count()
    };
    let mut rest = cells.max_by_key(count).unwrap_or(item).trim();
    if let Some((id, told)) = rest
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
        && id.bytes().all(|b| b.is_ascii_digit())
    {
        rest = told;
    }
    for mark in [": ", " - ", " – "] {
        if let Some((label, told)) = rest.split_once(mark)
            && label.split_whitespace().count() <= 4
            && (is_place(label) || label.contains('#') || label.ends_with(')'))
            && label.bytes().any(|b| b.is_ascii_digit())
            && told.split_whitespace().count() >= 2
        {
            rest = told;
        }
    }
    let end = PLACING.starts(rest).min();
    rest[..end.unwrap_or(rest.len())].trim()
}

/// True for `src/a.go:4`.
fn is_place(word: &str) -> bool {
    word.rsplit_once(':').is_some_and(|(file, row)| {
        file.contains('.')
            && !row.is_empty()
            && row.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    })
}

/// The main clause of a sentence, without what leads up to it and what explains it, the shortest first:
/// with each more clause.
pub(crate) fn essences(sentence: &str) -> Vec<&str> {
    let mut rest = bare(unlabelled(sentence)).trim_start_matches(['*', ' ', '`']);
    // "Fixed in 1a2b3c4 - text": the reply to a comment.
    if let Some((verdict, told)) = rest.split_once(" - ")
        && verdict.split_whitespace().count() <= 4
        && verdict.bytes().any(|b| b.is_ascii_digit())
        && told.split_whitespace().count() >= 3
    {
        rest = told;
    }
    while let Some(lead) = LEADS.iter().chain(CHOOSING).find(|lead| {
        rest.get(..lead.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(lead))
    }) {
        rest = &rest[lead.len()..];
    }
    let mut ends: Vec<usize> = CLAUSES
        .starts(rest)
        .filter(|&at| rest[..at].split_whitespace().count() >= 4)
        .chain([rest.len()])
        .collect();
    ends.sort_unstable();
    ends.dedup();
    ends.into_iter().map(|end| &rest[..end]).collect()
}

/// The thing that is chosen, behind a lead of a choice and in front of the reason (`--apply - it is known
/// from git`).
pub(crate) fn chosen(sentence: &str) -> Option<&str> {
    if !chooses(sentence) {
        return None;
    }
    let whole = essences(sentence).pop()?;
    let end = [" - ", " – ", " — ", ", "]
        .iter()
        .filter_map(|mark| whole.find(mark))
        .min();
    Some(&whole[..end.unwrap_or(whole.len())])
}

/// The clause of a limit that binds ("the index is written once; rows must be read before").
pub(crate) fn binding(sentence: &str) -> Option<&str> {
    let mut clauses = sentence.split("; ").filter(|clause| {
        let padded = crate::prose::spaced(clause);
        [
            " must ", " never ", " always ", " only ", " should ", " not ",
        ]
        .iter()
        .any(|word| padded.contains(word))
    });
    clauses
        .next()
        .filter(|clause| clause.len() < sentence.len())
}

/// A message without the place in front of it (`src/a.go:3:1: text`): the summary tells of what was
/// wrong, not where.
pub(crate) fn without_place(message: &str) -> &str {
    match message.split_once(": ") {
        Some((place, said))
            if place.contains([':', '('])
                && !place.contains(' ')
                && said.split_whitespace().count() >= 2 =>
        {
            said
        }
        _ => message,
    }
}

/// The name of a step in front of what it is (`WP3: text`, `Step 2: text`), in lower case.
pub(crate) fn step(sentence: &str) -> Option<String> {
    let (name, rest) = sentence.split_once([':', '.'])?;
    let name = name.trim_start_matches(['*', '#', ' ']);
    let numbered = name.ends_with(|c: char| c.is_ascii_digit())
        && name.len() <= 12
        && name.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
        && name.split_whitespace().count() <= 2;
    (numbered && !rest.trim().is_empty()).then(|| {
        if name.bytes().all(|b| b.is_ascii_digit()) {
            format!("#{name}")
        } else {
            name.to_lowercase()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_clause_stands_for_a_sentence() {
        for (sentence, main) in [
            (
                "The loader passes `rows` but not `index`, so `save` returns early.",
                "The loader passes `rows` but not `index`",
            ),
            (
                "Fixed in 1a2b3c4 - sorted rows by their end.",
                "sorted rows by their end.",
            ),
            (
                "Now let me move `load` out of the loop:",
                "move `load` out of the loop:",
            ),
            (
                "Drop the unused column of rows (always empty)",
                "Drop the unused column of rows",
            ),
        ] {
            assert_eq!(essences(sentence)[0], main);
        }
        for (item, told) in [
            (
                "5. 27346 | a.go:48 | Slow search in `find_rows`",
                "Slow search in `find_rows`",
            ),
            (
                "[27346] src/a.go:48 - Rows are sorted twice",
                "Rows are sorted twice",
            ),
            (
                "Fix #2 (27346): Log the failure of `load` at line 5",
                "Log the failure of `load`",
            ),
            (
                "Keep one table - it is bounded",
                "Keep one table - it is bounded",
            ),
        ] {
            assert_eq!(bare(item), told);
        }
        assert_eq!(without_place("src/a.go:3:1: x is unused"), "x is unused");
        assert_eq!(without_place("error: x is unused"), "error: x is unused");
    }

    #[test]
    fn what_is_chosen_stands_in_front_of_the_reason() {
        let sentence = "I'd lean toward `--apply` - it is known from git, and short";
        assert!(chooses(sentence));
        assert_eq!(
            essences(sentence)[0],
            "`--apply` - it is known from git, and short"
        );
        assert_eq!(chosen(sentence), Some("`--apply`"));
        assert_eq!(chosen("`--apply` is known from git"), None);
    }

    #[test]
    fn more_clauses_are_taken_one_by_one() {
        assert_eq!(
            essences("This is no bug because `load` stops here, so `rows` is full."),
            [
                "This is no bug",
                "This is no bug because `load` stops here",
                "This is no bug because `load` stops here, so `rows` is full.",
            ]
        );
    }

    #[test]
    fn of_a_limit_one_clause_binds() {
        assert_eq!(
            binding("The index fires once; rows must be read again behind it"),
            Some("rows must be read again behind it")
        );
        assert_eq!(binding("Rows must be read again"), None);
    }

    #[test]
    fn steps_have_names() {
        for (text, name) in [
            ("WP3: Add the reader", Some("wp3")),
            ("Step 2: Sort rows", Some("step 2")),
            ("5. Missing check", Some("#5")),
            ("The rows: all of them", None),
        ] {
            assert_eq!(step(text).as_deref(), name, "for {text}");
        }
    }
}
