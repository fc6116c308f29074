//! Lists in a message of the user with what leads up to them.

use crate::prose;
use crate::turns::Turns;
use std::ops::Range;

/// Longest list, in bytes, that is one wish with what leads up to it.
const LED_BYTES: usize = 400;

/// Fewest lines without marks that are a list: three lines without an end are often one sentence.
const UNMARKED_ITEMS: usize = 4;

/// Longest line without a mark that may be an item, in bytes: a longer one is a sentence whose end was left out.
const UNMARKED_BYTES: usize = 80;

/// Words of a lead whose list says what something consists of ("Your plan should include:").
static PARTS_TURNS: Turns = Turns::of_words(&[
    "include",
    "includes",
    "contain",
    "contains",
    "cover",
    "covers",
    "consist of",
    "consists of",
]);

/// A sentence that leads up to a list.
pub(crate) struct Lead {
    /// The sentence.
    pub own: Range<usize>,
    /// The sentence with its list.
    pub whole: Range<usize>,
    /// True where the items ask or limit by themselves, and the lead says nothing more, or where the first of them is
    /// too long to stand with it.
    pub lists_wishes: bool,
    /// True where it says what something consists of.
    pub names_parts: bool,
}

/// The sentences of a message that lead up to its lists ("I'd like two things:").
pub(crate) fn leads(text: &str, sentences: &[Range<usize>]) -> Vec<Lead> {
    let mut out = Vec::new();
    let mut rest = sentences.iter().peekable();
    while let Some(own) = rest.next() {
        let announces = text[own.clone()].ends_with(':');
        let mut items: Vec<&Range<usize>> = Vec::new();
        if announces {
            let is_item = |next: &&Range<usize>| belongs(text, own, next);
            let mut ahead = rest.clone();
            let mut opens = false;
            while let Some(item) = ahead.next_if(is_item) {
                let has_own =
                    |next: &&&Range<usize>| is_marked(text, item) && belongs(text, item, next);
                opens |=
                    text[item.clone()].ends_with(':') && ahead.peek().filter(has_own).is_some();
                items.push(item);
            }
            if opens {
                // Its items have lists of their own; it counts where it wishes or limits itself, and not as "It must
                // include:".
                let led = prose::cues(&text[own.clone()]);
                let parts = ends_with_parts(&text[own.clone()]);
                out.push(Lead {
                    own: own.clone(),
                    whole: own.clone(),
                    lists_wishes: parts || !(led.constraint || led.request),
                    names_parts: false,
                });
                continue;
            }
            rest = ahead;
        }
        let marked = !items.is_empty();
        let mut taken = None;
        if !marked {
            // Without a mark only the form tells: the lead does not end as a sentence either.
            if text[own.clone()].ends_with(['.', '!', '?']) {
                continue;
            }
            let mut ahead = rest.clone();
            items.extend(std::iter::from_fn(|| {
                ahead.next_if(|next| is_bare_line(text, next))
            }));
            if items.len() < UNMARKED_ITEMS {
                continue;
            }
            taken = Some(ahead);
        }
        let Some(last) = items.last() else {
            continue;
        };
        let cues = |item: &Range<usize>| prose::cues(&text[item.clone()]);
        let wishes = |item: &&&Range<usize>| {
            let cues = cues(item);
            cues.request || cues.constraint || cues.todo
        };
        let wishing = items.iter().filter(wishes).count();
        // Rows with labels ("Now: black", "To do: fix it") tell of one thing together.
        let are_rows = items.len() > 1
            && wishing < items.len()
            && items.iter().all(|item| has_label(&text[(*item).clone()]));
        let wishing = if are_rows { 0 } else { wishing };
        let mostly = 2 * wishing >= items.len();
        let whole = own.start..last.end;
        let led = cues(own);
        let names_parts = PARTS_TURNS.stand_in(&prose::spaced(&text[own.clone()]));
        // Below a lead that wishes, one may happen to begin with a verb ("Open risks").
        let lists_wishes = if names_parts || !marked || led.constraint || led.request {
            mostly
        } else {
            wishing > 0
        };
        if !marked && lists_wishes {
            continue;
        }
        rest = taken.unwrap_or(rest);
        let (whole, lists_wishes) = if lists_wishes || whole.len() <= LED_BYTES {
            (whole, lists_wishes)
        } else {
            // Of a long list the beginning is enough.
            let most = own.start + LED_BYTES;
            let shown = items.iter().rfind(|item| item.end <= most);
            let end = shown.map_or(last.end, |item| item.end);
            (own.start..end, shown.is_none())
        };
        out.push(Lead {
            own: own.clone(),
            whole,
            lists_wishes,
            names_parts,
        });
    }
    out
}

/// True for a sentence behind the mark of an item.
pub(crate) fn is_marked(text: &str, range: &Range<usize>) -> bool {
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let mark = text[line..range.start].trim();
    let bare = mark.trim_end_matches(['.', ')']);
    matches!(mark, "-" | "*" | "•")
        || (bare.len() < mark.len() && !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit()))
}

/// True for a lead at whose end it says what something consists of ("The plan must include the following:").
fn ends_with_parts(lead: &str) -> bool {
    let words: Vec<&str> = lead.split_whitespace().collect();
    let last = words[words.len().saturating_sub(3)..].join(" ");
    PARTS_TURNS.stand_in(&prose::spaced(&last))
}

/// How far the line of a sentence is indented, in bytes.
fn indentation(text: &str, range: &Range<usize>) -> usize {
    let line = &text[text[..range.start].rfind('\n').map_or(0, |at| at + 1)..];
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// True where a marked sentence is an item of a lead: below a lead that is an item itself, where it is indented deeper,
/// or has a sign below a number.
fn belongs(text: &str, lead: &Range<usize>, next: &Range<usize>) -> bool {
    let (own, deep) = (indentation(text, lead), indentation(text, next));
    let is_below = deep > own || deep == own && is_numbered(text, lead) && !is_numbered(text, next);
    is_marked(text, next) && (!is_marked(text, lead) || is_below)
}

/// True for a sentence behind a number.
fn is_numbered(text: &str, range: &Range<usize>) -> bool {
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    text[line..range.start]
        .trim()
        .starts_with(|c: char| c.is_ascii_digit())
}

/// Most words of a label.
const LABEL_WORDS: usize = 2;

/// True for an item that begins with a word or two and a colon.
fn has_label(item: &str) -> bool {
    item.split_once(": ").is_some_and(|(label, value)| {
        let words = label.split_whitespace().count();
        (1..=LABEL_WORDS).contains(&words)
            && label.chars().all(|c| c.is_alphabetic() || c == ' ')
            && !value.trim().is_empty()
    })
}

/// True for a short line that is one sentence without a mark and without an end.
fn is_bare_line(text: &str, range: &Range<usize>) -> bool {
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[range.end..].trim_start_matches([' ', '\t', '\r']);
    let sentence = &text[range.clone()];
    text[line..range.start].trim().is_empty()
        && (rest.is_empty() || rest.starts_with('\n'))
        && range.len() <= UNMARKED_BYTES
        // "tools -> core/tools" says by itself where something goes.
        && !puts_in_place(sentence)
        && !sentence.ends_with(['.', '!', '?', ':', ';', ','])
}

/// Arrows by which a line puts one thing in the place of another, or shows an order.
const ARROWS: [&str; 3] = [" -> ", " → ", " => "];

/// True for a line with one arrow; several show an order of steps.
fn puts_in_place(line: &str) -> bool {
    arrows(line) == 1
}

/// How many arrows a line has.
pub(crate) fn arrows(line: &str) -> usize {
    ARROWS.iter().map(|arrow| line.matches(arrow).count()).sum()
}

/// The sides of the first arrow of a line.
pub(crate) fn sides(line: &str) -> Option<(&str, &str)> {
    ARROWS.iter().find_map(|arrow| line.split_once(arrow))
}

/// True where a range lies in another one.
pub(crate) fn within(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn rows_of_an_item_stand_with_it() {
        let text = "What differs:\n- Row spacing:\n  - Wanted: 12\n  - Now: 10\n  - To do: please fix it\n- Quote:\n  - Wanted: grey\n  - To do: \
                    fix that too\n";
        let sentences = words::sentences(text);
        let leads = leads(text, &sentences);
        let shown: Vec<&str> = leads.iter().map(|lead| &text[lead.whole.clone()]).collect();
        let rows = "Row spacing:\n  - Wanted: 12\n  - Now: 10\n  - To do: please fix it";
        let quote = "Quote:\n  - Wanted: grey\n  - To do: fix that too";
        assert_eq!(shown, ["What differs:", rows, quote]);
        let wishing: Vec<bool> = leads.iter().map(|lead| lead.lists_wishes).collect();
        assert_eq!(wishing, [true, false, false]);
    }

    fn shown(text: &str) -> Vec<(&str, bool)> {
        let sentences = words::sentences(text);
        let leads = leads(text, &sentences).into_iter();
        leads
            .map(|lead| (&text[lead.whole], lead.lists_wishes))
            .collect()
    }

    #[test]
    fn a_lead_that_limits_counts_above_items_with_lists() {
        let text = "Do not change the API while you fix these:\n- Parser:\n  - empty rows\n  - long rows\n- Writer:\n  - quotes\n";
        let found = shown(text);
        assert_eq!(
            found[0],
            ("Do not change the API while you fix these:", false)
        );
        assert_eq!(found.len(), 3);
        let parts =
            shown("The plan must include:\n- Parser:\n  - empty rows\n- Writer:\n  - quotes\n");
        assert_eq!(parts[0], ("The plan must include:", true));
        let limit = shown(
            "Never touch the files that contain rows of these:\n- Parser:\n  - empty rows\n- Writer:\n  - quotes\n",
        );
        assert!(!limit[0].1);
    }

    #[test]
    fn signs_below_a_number_are_its_items() {
        let found = shown("1. Parser:\n- rows\n- cells\n2. Writer:\n- quotes\n");
        let parser = ("Parser:\n- rows\n- cells", false);
        assert_eq!(found, [parser, ("Writer:\n- quotes", false)]);
    }

    #[test]
    fn items_that_all_wish_are_wishes_with_labels_too() {
        let found = shown(
            "What is left:\n- Parser: please keep the order\n- Writer: you should quote cells\n",
        );
        assert_eq!(found.len(), 1);
        assert!(found[0].1);
    }
}
