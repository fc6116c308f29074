//! A program that a person copies into a message without a fence.

use super::line::{Line, is_code, is_indented};
use std::ops::Range;

/// Fewest statements of a program: a few lines of code among sentences spoil nothing round them.
const STATEMENTS: usize = 6;

/// What a line is to the program it may stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Only code has such a line.
    Statement,
    /// A comment or a string, inside a program its own.
    Comment,
    /// Nothing, or a line that a program may have.
    Open,
    /// A sentence at the beginning of a line.
    Sentence,
}

/// From the first statement to the last one before a sentence at the beginning of a line, everything is the program's:
/// its comments, and what it prints.
pub(super) fn programs(text: &str, lines: &[Range<usize>], kinds: &mut [Line]) {
    let roles = roles(text, lines, kinds);
    let mut at = 0;
    while at < roles.len() {
        let end = at
            + roles[at..]
                .iter()
                .take_while(|role| **role != Role::Sentence)
                .count();
        let block = &roles[at..end];
        let is_statement = |role: &Role| *role == Role::Statement;
        let statements = block.iter().filter(|role| is_statement(role)).count();
        if statements >= STATEMENTS
            && let Some(first) = block.iter().position(|role| *role == Role::Statement)
            && let Some(last) = block.iter().rposition(is_statement)
        {
            // A comment above the first statement belongs to it.
            let is_above = |nth: &usize| block[*nth] == Role::Comment || is_blank(kinds[at + nth]);
            let above = (0..first).rev().take_while(is_above).count();
            let told = (first..=last)
                .filter(|&nth| block[nth] != Role::Open || !is_blank(kinds[at + nth]));
            if 2 * statements >= told.count() {
                for kind in &mut kinds[at + first - above..=at + last] {
                    if !matches!(kind, Line::Blank | Line::Wrapped) {
                        *kind = Line::Material;
                    }
                }
            }
        }
        at = end + 1;
    }
}

fn is_blank(kind: Line) -> bool {
    kind == Line::Blank
}

fn roles(text: &str, lines: &[Range<usize>], kinds: &[Line]) -> Vec<Role> {
    let quotes = |line: &str| line.matches("\"\"\"").count();
    let whole: usize = lines.iter().map(|line| quotes(&text[line.clone()])).sum();
    let is_paired = whole > 0 && whole.is_multiple_of(2);
    let mut inside = false;
    let mut out = Vec::with_capacity(lines.len());
    for (line, kind) in lines.iter().zip(kinds) {
        let line = &text[line.clone()];
        let content = line.trim();
        let marks = quotes(line);
        let was_inside = inside;
        inside ^= is_paired && marks % 2 == 1;
        out.push(match kind {
            Line::Blank => Role::Open,
            // A fence says by itself where it ends.
            Line::Wrapped => Role::Sentence,
            _ if is_paired && (was_inside || marks > 0) => Role::Comment,
            _ if is_statement(content) => Role::Statement,
            // A sentence may end in data.
            Line::Unclear | Line::Material if is_code(content) => Role::Statement,
            _ if is_comment(content) => Role::Comment,
            Line::Words if !is_indented(line) => Role::Sentence,
            _ => Role::Open,
        });
    }
    out
}

fn is_comment(content: &str) -> bool {
    let behind = ["# ", "// ", "/* ", "* ", "-- "]
        .iter()
        .find_map(|mark| content.strip_prefix(mark));
    behind.is_some() && !content.starts_with("* *")
}

/// Words with which statements of Python, shells and the languages with braces begin, where the line ends as one.
const BLOCKS: [&str; 12] = [
    "def ",
    "class ",
    "if ",
    "elif ",
    "else",
    "for ",
    "while ",
    "try",
    "except",
    "finally",
    "with ",
    "async def ",
];

/// True for a line that only code has: an import, the head of a block, an assignment, a call.
fn is_statement(content: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| {
                c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '"' | '\'' | ':')
            })
    };
    let words: Vec<&str> = content.split_whitespace().collect();
    let imports = match words.as_slice() {
        ["import", rest] => is_name(rest.trim_end_matches(';')),
        ["import", rest, "as", name] => is_name(rest) && is_name(name),
        ["from", module, "import", ..] => is_name(module),
        _ => false,
    };
    let heads = content.ends_with(':')
        && BLOCKS.iter().any(|begin| content.starts_with(begin))
        && (content.contains(['(', '=', '.', '_']) || words.len() == 1);
    let assigns = content
        .split_once(" = ")
        .is_some_and(|(left, _)| is_name(left));
    let calls = content.split_once('(').is_some_and(|(name, rest)| {
        is_name(name) && name.len() > 1 && rest.trim_end_matches([';', ',']).ends_with(')')
    });
    imports || heads || assigns || calls
}

#[cfg(test)]
mod tests {
    use crate::pasted::own_words;

    fn own(text: &str) -> Vec<&str> {
        let ranges = own_words(text).into_iter();
        let lines = ranges.flat_map(|range| text[range].lines());
        lines.filter(|line| !line.trim().is_empty()).collect()
    }

    #[test]
    fn a_script_below_a_wish_is_not_what_is_wished() {
        let text = "Make the tool like this script. It should keep the rows. #!/usr/bin/env python3\n\"\"\"\nRows of a \
                    table\n\nThis script must have a file and should never print more than ten rows of it.\n\"\"\"\n\n\
                    import sys\nfrom pathlib import Path\n\n\ndef rows(path, most):\n    \"\"\"Read the rows of a \
                    file\"\"\"\n    lines = path.read_text().split()\n    # Always leave the head of the table out\n    \
                    return lines[1:most]\n\n\nif len(sys.argv) < 2:\n    print(\"Usage: rows.py FILE\")\n    \
                    print(\"Please add a file to it\")\n    sys.exit(1)\n\n# Show what is there\nprint(rows(Path(sys.argv[1]), \
                    10))\n\nUse a class for it, and please keep the tests green.\n";
        let own = own(text);
        assert_eq!(own.len(), 2, "{own:?}");
        assert!(own[0].starts_with("Make the tool"));
        assert!(own[1].starts_with("Use a class"));
    }

    #[test]
    fn sentences_between_lines_of_code_stay() {
        let text = "it has\nlet a = rows(1);\nlet b = rows(2);\n\nbut it should have only one of them, such as\n\nlet a = \
                    rows(3);\n\nand then we need to call it in the main loop as well:\n\nrun(a);\nrun(b);\nstop(a);\n";
        let own = own(text);
        assert!(
            own.iter().any(|line| line.starts_with("but it should")),
            "{own:?}"
        );
        assert!(
            own.iter().any(|line| line.starts_with("and then we")),
            "{own:?}"
        );
    }
}
