//! What a program logged, without the signs of a terminal: names with their values, line below line.

use super::line::Line;
use std::ops::Range;

/// Fewest lines of a log in one block.
const LINES: usize = 8;

/// Share of them that have the form of a log.
const LOGGED: f64 = 0.6;

/// Lines of program output by their own form that a block must have for the rest of it to be a log.
const PRINTED: usize = 2;

/// Most words of a name that stands before its value.
const NAME_WORDS: usize = 5;

/// Most words of a state of a program ("Joining files...").
const STATE_WORDS: usize = 3;

/// Blocks of lines most of which are a name with its value, beside what a program printed: such lines, and those between
/// them that do not read like sentences, are material.
pub(super) fn logs(text: &str, lines: &[Range<usize>], kinds: &mut [Line]) {
    let mut at = 0;
    while at < kinds.len() {
        let is_outside = |kind: &Line| matches!(kind, Line::Blank | Line::Wrapped);
        if is_outside(&kinds[at]) {
            at += 1;
            continue;
        }
        let block = kinds[at..].iter().take_while(|kind| !is_outside(kind));
        let end = at + block.count();
        let is_logged =
            |nth: usize| kinds[nth] == Line::Material || has_value(text[lines[nth].clone()].trim());
        // "It stops there. Started: 17 files": a person's sentence stands before what is pasted.
        let opens = usize::from(at == 0 && has_sentence(&text[lines[at].clone()]));
        let logged: Vec<usize> = (at + opens..end).filter(|&nth| is_logged(nth)).collect();
        let count = end - at;
        let printed = kinds[at..end]
            .iter()
            .filter(|kind| **kind == Line::Material);
        if count >= LINES
            && printed.count() >= PRINTED
            && logged.len() as f64 >= LOGGED * count as f64
            && let (Some(&first), Some(&last)) = (logged.first(), logged.last())
        {
            for (nth, kind) in (first..).zip(&mut kinds[first..=last]) {
                if *kind != Line::Words || logged.binary_search(&nth).is_ok() {
                    *kind = Line::Material;
                }
            }
            kinds[at..at + opens].fill(Line::Words);
        }
        at = end;
    }
}

/// `encoder : x264`, `01. Opening: 31.50 s`, `[stderr]`, `Joining...`: a name with its value, or a state.
fn has_value(content: &str) -> bool {
    if content.starts_with(['-', '*', '•']) {
        return false;
    }
    let is_tag = content.starts_with('[') && content.contains(']');
    let is_state = content.split_whitespace().count() <= STATE_WORDS;
    let goes_on = is_state && (content.ends_with("...") || content.ends_with('…'));
    let valued = content.split_once(": ").is_some_and(|(name, value)| {
        let tells = value.contains('/') || value.bytes().any(|b| b.is_ascii_digit());
        name.split_whitespace().count() <= NAME_WORDS
            && (tells || value.split_whitespace().count() <= 3)
            && !content.ends_with(['.', '?', '!', '。', '？', '！'])
    });
    is_tag || goes_on || valued
}

/// True for a line in which a sentence ends before its end.
fn has_sentence(line: &str) -> bool {
    line.contains(['。', '！', '？', '?']) || line.contains(". ")
}

#[cfg(test)]
mod tests {
    use crate::pasted::tests::own;

    #[test]
    fn a_log_in_another_language_is_not_the_persons_words() {
        let text = "Zwei Zeilen fehlen. Start: 12 Dateien\nAusgabe: /home/ada/film\n  01.Anfang: 31.50s\n  \
                    02.Ende: 44.25s\n  Lied vom Meer: 52.75s\nTon wird verbunden...\n[stderr]\nencoder         : Lav58\n\
                    [rows @ 0x1a2b3c] cannot open\nsize=   2048KiB time=00:01:02.50 rate= 64.0kbits/s speed=3x\n\
                    [tone @ 0x1a2b] mean: 12.5\n\nbitte ohne Verlust";
        assert_eq!(
            own(text),
            [
                "Zwei Zeilen fehlen. Start: 12 Dateien",
                "bitte ohne Verlust"
            ]
        );
    }

    #[test]
    fn what_a_person_lists_is_no_log() {
        let text = "Set these:\n1. port: 8080\n2. retries: 3\n3. name: rows\n4. folder: /srv/rows\n5. limit: 20 MB\n\
                    6. mode: strict\n7. level: 2\n8. owner: ada";
        assert_eq!(own(text).len(), 9);
        // What a program printed above it makes a list no log.
        let printed = format!("[tone @ 0x1a] mean: 12.5\n[rows @ 0x1b] done\n\n{text}");
        assert_eq!(own(&printed).len(), 9);
        let settings = "Please train with lr=0.001 batch=32 epochs=10 now";
        assert_eq!(own(settings), [settings]);
        let text = "- speed: 9x\n- time: 3 s\nplease never write size=1 there";
        assert_eq!(own(text).len(), 3);
    }
}
