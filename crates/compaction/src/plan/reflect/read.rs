//! Reading what a model wrote: questions, insights with what they cite, and stored insights.

use std::ops::Range;
/// An insight as a reply has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// What it says.
    pub text: String,
    /// What it cites.
    pub cited: Vec<String>,
}

/// At most `most` questions of a reply: its list items, or where it has no list its lines that
/// end in a question mark.
pub(crate) fn questions(reply: &str, most: usize) -> Vec<String> {
    let lines = || reply.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut questions: Vec<&str> = lines().filter_map(list_item).collect();
    if questions.is_empty() {
        questions = lines().filter(|line| line.ends_with('?')).collect();
    }
    let questions = questions.into_iter().take(most);
    questions
        .map(|own| own.trim_matches('*').trim().to_owned())
        .collect()
}

/// At most `most` insights of a reply: its list items, and other lines that cite something. What
/// is cited stands in the last pair of square or round brackets of a line.
pub(crate) fn insights(reply: &str, most: usize, known: &dyn Fn(&str) -> bool) -> Vec<Said> {
    let lines = reply.lines().map(str::trim);
    let said = lines.filter_map(|line| {
        let item = list_item(line);
        let (text, cited) = citations(item.unwrap_or(line), known);
        let is_one = item.is_some() || !cited.is_empty();
        let text = text.trim_matches('*').trim().to_owned();
        (is_one && !text.is_empty()).then_some(Said { text, cited })
    });
    said.take(most).collect()
}

/// The line without its bullet or number; `None` for a line that has neither.
fn list_item(line: &str) -> Option<&str> {
    let bullet = line.strip_prefix(['-', '*', '•']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = line[digits..]
        .strip_prefix(['.', ')', ':'])
        .filter(|_| digits > 0);
    let rest = bullet.or(numbered)?;
    let own = rest.trim_start();
    // Without a space it is no mark: `-5` or `**bold**`.
    (own.len() < rest.len() && !own.is_empty()).then_some(own)
}

/// Words in brackets that cite nothing.
const FILLERS: [&str; 15] = [
    "above", "and", "because", "by", "entries", "entry", "evidence", "id", "ids", "insight",
    "none", "of", "record", "records", "see",
];

/// The line without what it cites, and that.
fn citations<'a>(line: &'a str, known: &dyn Fn(&str) -> bool) -> (&'a str, Vec<String>) {
    let whole = line.trim_end_matches(['.', ' ']);
    let open = match whole.chars().last() {
        Some(']') => whole.rfind('['),
        Some(')') => whole.rfind('('),
        _ => None,
    };
    let Some(open) = open else {
        return (line, Vec::new());
    };
    let inside = &whole[open + 1..whole.len() - 1];
    let parts = inside.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '[' | ']'));
    let names = parts.map(|part| part.trim_matches(['`', '"', '\'', '.', '#']));
    // Round brackets hold remarks as well; nearly all ids have digits.
    let is_square = whole.ends_with(']');
    let is_id = |name: &&str| {
        if is_square {
            !name.is_empty() && !FILLERS.contains(&name.to_lowercase().as_str())
        } else {
            name.contains(|c: char| c.is_ascii_digit()) || known(name)
        }
    };
    let cited = names.filter(is_id);
    let cited: Vec<String> = cited.map(str::to_owned).collect();
    if cited.is_empty() {
        return (line, cited);
    }
    (whole[..open].trim_end(), cited)
}

/// An insight in a stored summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredInsight {
    /// Its id, such as `i1.2.3`: round, question and number.
    pub id: String,
    /// What it says.
    pub text: String,
    /// What it rests on: beginnings of entry ids, each of one entry when it was written, and ids
    /// of earlier insights.
    pub evidence: Vec<String>,
    /// Why it is assumed to be unsupported, in words.
    pub unsupported: Option<String>,
    /// Its line, in bytes of the summary.
    pub range: Range<usize>,
}

/// The insights of a summary that was made by reflection, in its order; none in others.
pub fn read_insights(summary: &str) -> Vec<StoredInsight> {
    let mut start = 0;
    let lines = summary.split_inclusive('\n').filter_map(|line| {
        let range = start..start + line.trim_end().len();
        start += line.len();
        let mut insight = stored(line.trim_end())?;
        insight.range = range;
        Some(insight)
    });
    lines.collect()
}

fn stored(line: &str) -> Option<StoredInsight> {
    let (id, rest) = line.strip_prefix("- ")?.split_once(": ")?;
    round_of(id)?;
    let (rest, unsupported) = match tail(rest, " [unsupported: ") {
        Some((before, why)) => (before, Some(why.to_owned())),
        None => (rest, None),
    };
    let (text, evidence) = tail(rest, " [evidence: ")?;
    Some(StoredInsight {
        id: id.to_owned(),
        text: text.to_owned(),
        evidence: evidence
            .split(", ")
            // As `write` puts it where nothing is cited.
            .filter(|own| *own != "none")
            .map(str::to_owned)
            .collect(),
        unsupported,
        range: 0..0,
    })
}

/// What stands before `opening`, and what stands between it and the bracket that ends the text.
fn tail<'a>(text: &'a str, opening: &str) -> Option<(&'a str, &'a str)> {
    let inner = text.strip_suffix(']')?;
    let at = inner.rfind(opening)?;
    let own = &inner[at + opening.len()..];
    (!own.contains(']')).then_some((&inner[..at], own))
}

/// The round in an insight's id; `None` for what is no such id.
pub(crate) fn round_of(id: &str) -> Option<usize> {
    let mut numbers = id.strip_prefix('i')?.split('.').map(str::parse::<usize>);
    let round = numbers.next()?.ok()?;
    let rest: Vec<_> = numbers.collect();
    (rest.len() == 2 && rest.iter().all(Result::is_ok)).then_some(round)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_list_items_or_ask() {
        let reply = "Here they are:\n1. What broke?\n 2) **Why?**\n- And now?\n4. Too many?";
        assert_eq!(questions(reply, 3), ["What broke?", "Why?", "And now?"]);
        assert_eq!(
            questions("So: what broke?\nI wonder.", 3),
            ["So: what broke?"]
        );
        assert!(questions("No idea. 3.5 is a number.", 3).is_empty());
    }

    #[test]
    fn insights_cite_in_brackets() {
        let reply = "Insights:\n1. The gears turn [a1b2, i1.1.2].\n- No source\n\
                     It slips (because of `e5`; e6)\n2.5 is a number\n* last [see above]";
        let said = insights(reply, 9, &|_| false);
        let shown: Vec<(&str, Vec<&str>)> = said
            .iter()
            .map(|own| (&*own.text, own.cited.iter().map(|id| &**id).collect()))
            .collect();
        assert_eq!(
            shown,
            [
                ("The gears turn", vec!["a1b2", "i1.1.2"]),
                ("No source", vec![]),
                ("It slips", vec!["e5", "e6"]),
                ("last [see above]", vec![]),
            ]
        );
        assert_eq!(insights(reply, 1, &|_| false).len(), 1);
        let said = insights("- last [abc]", 9, &|name| name == "abc");
        assert_eq!((&*said[0].text, &*said[0].cited[0]), ("last", "abc"));
    }

    #[test]
    fn stored_insights_are_read_back() {
        let summary = "## Reflections\n\n### Why?\n- i1.2.3: It [turns] twice. \
                       [evidence: a1b2, i1.1.1]\n- i2.1.1: Ä. [evidence: none] \
                       [unsupported: cites nothing]\n- other: thing [evidence: x]\n";
        let [one, two] = &read_insights(summary)[..] else {
            panic!("{:?}", read_insights(summary));
        };
        assert_eq!((&*one.id, &*one.text), ("i1.2.3", "It [turns] twice."));
        assert_eq!(one.evidence, ["a1b2", "i1.1.1"]);
        assert_eq!(one.unsupported, None);
        assert!(summary[one.range.clone()].starts_with("- i1.2.3"));
        assert!(two.evidence.is_empty());
        assert_eq!(two.unsupported.as_deref(), Some("cites nothing"));
        assert!(summary[two.range.clone()].ends_with("nothing]"));
    }
}
