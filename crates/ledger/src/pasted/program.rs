//! A program that a person copies into a message without a fence.

use super::line::{Line, is_code, is_indented};
use crate::prose;
use std::ops::Range;

/// Fewest statements of a program: a few lines of code among sentences spoil nothing round them.
const STATEMENTS: usize = 6;

/// What a line is to the program it may stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Only code has such a line.
    Statement,
    /// A comment of code.
    Comment,
    /// In a string of several lines.
    Text,
    /// Nothing.
    Blank,
    /// A line that a program may have.
    Open,
    /// A person's words at the beginning of a line, or a fence.
    Words,
}

/// From the first statement to the last one before words at the beginning of a line, everything is the program's: its
/// comments, and what it prints.
pub(super) fn programs(text: &str, lines: &[Range<usize>], kinds: &mut [Line]) {
    let roles = roles(text, lines, kinds);
    let mut at = 0;
    while at < roles.len() {
        let end = at
            + roles[at..]
                .iter()
                .take_while(|role| **role != Role::Words)
                .count();
        if let Some(own) = program(&roles[at..end], |nth| &text[lines[at + nth].clone()]) {
            for kind in &mut kinds[at + own.start..at + own.end] {
                if !matches!(kind, Line::Blank | Line::Wrapped) {
                    *kind = Line::Material;
                }
            }
        }
        at = end + 1;
    }
}

/// The lines of the program in a block without a person's words. Assignments and calls alone may be values and names
/// that the person lists: a program has a head, an import, a text or something indented deeper as well.
fn program<'a>(block: &[Role], line: impl Fn(usize) -> &'a str) -> Option<Range<usize>> {
    let is_statement = |nth: &usize| block[*nth] == Role::Statement;
    let statements: Vec<usize> = (0..block.len()).filter(is_statement).collect();
    let (&first, &last) = (statements.first()?, statements.last()?);
    let inside = &block[first..=last];
    let depth = |nth: usize| line(nth).len() - line(nth).trim_start().len();
    let is_made = inside.contains(&Role::Text)
        || statements.iter().any(|&nth| {
            let content = line(nth).trim();
            depth(nth) > depth(first)
                || is_import(content)
                || is_head(content)
                || matches!(content, "fi" | "done" | "esac")
        });
    let told = inside.iter().filter(|role| **role != Role::Blank).count();
    if statements.len() < STATEMENTS || !is_made || 2 * statements.len() < told {
        return None;
    }
    // Comments right above the first statement belong to it, and so does the text that opens a file.
    let mut start = first;
    for nth in (0..first).rev() {
        match block[nth] {
            Role::Text => start = nth,
            Role::Comment if start == nth + 1 => start = nth,
            Role::Blank | Role::Comment => {}
            _ => break,
        }
    }
    Some(start..last + 1)
}

fn roles(text: &str, lines: &[Range<usize>], kinds: &[Line]) -> Vec<Role> {
    let quotes = |line: &str| line.matches("\"\"\"").count();
    let whole: usize = lines.iter().map(|line| quotes(&text[line.clone()])).sum();
    let is_paired = whole > 0 && whole.is_multiple_of(2);
    let mut inside = false;
    let mut out: Vec<Role> = Vec::with_capacity(lines.len());
    for (line, &kind) in lines.iter().zip(kinds) {
        let line = &text[line.clone()];
        let content = line.trim();
        let was_inside = inside;
        let marks = quotes(line);
        inside ^= is_paired && marks % 2 == 1;
        out.push(match kind {
            Line::Blank => Role::Blank,
            // A fence says by itself where it ends.
            Line::Wrapped => Role::Words,
            _ if is_paired && (was_inside || marks > 0) => Role::Text,
            _ if is_statement(content, kind) => Role::Statement,
            _ if is_comment(line) => Role::Comment,
            Line::Words if !is_indented(line) => Role::Words,
            Line::Unclear if !is_indented(line) && is_said(content) => Role::Words,
            _ => Role::Open,
        });
    }
    // A heading or an order may begin as a comment does: only one right above code is a comment.
    for nth in (0..out.len()).rev() {
        let next = out.get(nth + 1).copied();
        let is_above = matches!(next, Some(Role::Statement | Role::Comment));
        let line = &text[lines[nth].clone()];
        let is_words = kinds[nth] == Line::Words || is_said(line.trim());
        if out[nth] == Role::Comment && is_words && !is_above {
            out[nth] = if is_indented(line) {
                Role::Open
            } else {
                Role::Words
            };
        }
    }
    out
}

/// True for an order or a limit, behind the mark of an item too.
fn is_said(content: &str) -> bool {
    let said = content.trim_start_matches(['-', '*', '•', ' ']);
    let cues = prose::cues(said);
    is_order(content) || cues.constraint || cues.request
}

/// True for a line of plain words only, two at least ("Never use eval").
fn is_order(content: &str) -> bool {
    let plain = |word: &str| {
        word.chars()
            .all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | ','))
    };
    content.split_whitespace().count() >= 2
        && content
            .trim_end_matches(['.', '!'])
            .split_whitespace()
            .all(plain)
}

fn is_comment(line: &str) -> bool {
    let content = line.trim();
    // Stars begin items too, but for those of a block that is indented.
    let stars = line.starts_with(' ') && content.starts_with("* ");
    stars
        || ["# ", "// ", "/* ", "-- "]
            .iter()
            .any(|mark| content.starts_with(mark))
}

/// Words with which blocks of Python begin.
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
fn is_statement(content: &str, kind: Line) -> bool {
    let is_sentence = kind == Line::Words;
    is_import(content)
        || is_head(content) && (!is_sentence || compares(content))
        || assigns(content)
        || calls(content)
        || is_of_shell(content)
        // A sentence may end in data.
        || !is_sentence && is_code(content)
}

/// True for a line that only a script of a shell has.
fn is_of_shell(content: &str) -> bool {
    matches!(
        content,
        "then" | "fi" | "else" | "do" | "done" | "esac" | ";;"
    ) || [
        "if [", "elif [", "while [", "local ", "export ", "echo \"", "echo -",
    ]
    .iter()
    .any(|start| content.starts_with(start) && content.contains(['=', '"', '[']))
}

fn is_name(text: &str) -> bool {
    let of_names =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '"' | '\'' | ':');
    !text.is_empty() && text.chars().all(of_names)
}

fn is_import(content: &str) -> bool {
    let words: Vec<&str> = content.split_whitespace().collect();
    match words.as_slice() {
        ["import", name] => is_name(name.trim_end_matches(';')),
        ["import", name, "as", other] => is_name(name) && is_name(other),
        ["from", module, "import", ..] => is_name(module),
        _ => false,
    }
}

fn is_head(content: &str) -> bool {
    content.ends_with(':')
        && BLOCKS.iter().any(|begin| content.starts_with(begin))
        && (content.contains(['(', '=', '.', '_']) || !content.contains(' '))
}

/// True for a head that no sentence has.
fn compares(content: &str) -> bool {
    content.ends_with("):") && !content.contains(" (")
        || [" == ", " != ", " in range("]
            .iter()
            .any(|sign| content.contains(sign))
}

fn assigns(content: &str) -> bool {
    content
        .split_once(" = ")
        .is_some_and(|(left, _)| is_name(left))
}

/// True for a call that is the whole line.
fn calls(content: &str) -> bool {
    let content = content.trim_end_matches([';', ',']);
    let Some((name, rest)) = content.split_once('(') else {
        return false;
    };
    let mut depth = 1_usize;
    let closed = rest.char_indices().find(|(_, c)| {
        depth += usize::from(*c == '(');
        depth -= usize::from(*c == ')');
        depth == 0
    });
    name.len() > 1 && is_name(name) && closed.is_some_and(|(at, _)| at + 1 == rest.len())
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
    fn what_a_person_lists_and_orders_beside_a_program_stays() {
        let program = "import sys\nfrom rows import load\nrows = load(sys.argv[1])\ntotal = sum(rows)\nprint(total)\n\
                       print(len(rows))\n";
        for (before, behind, words) in [
            (
                "Rewrite this, but:\n\n* it must keep the order of the rows\n* never drop a row with an id\n\n",
                "",
                3,
            ),
            (
                "Rewrite this:\n\n",
                "\n# Please never change the format\n\nprint(rows)\n",
                3,
            ),
            ("Rewrite this:\n\n", "\nNever use eval\n\nprint(rows)\n", 3),
            (
                "Rewrite this:\n\n",
                "\nNever use `eval`\n\nprint(rows)\n",
                3,
            ),
            (
                "Rewrite this:\n\n",
                "\n- never drop rows\n\nprint(rows)\n",
                3,
            ),
            (
                "Rewrite this:\n\n",
                "\nfor the second file (b.py):\n- always keep the header\n- never drop rows\n",
                4,
            ),
            (
                "Rewrite this:\n\n",
                "\nload_rows() must return an error (never None)\n",
                2,
            ),
            (
                "Rewrite this:\n\n",
                "\nfor the second part (b.py) do this:\n- always keep the header\n- never drop rows\n",
                4,
            ),
        ] {
            let text = format!("{before}{program}{behind}");
            let own = own(&text);
            assert_eq!(own.len(), words, "{own:?}");
        }
    }

    #[test]
    fn values_and_names_that_a_person_lists_are_no_program() {
        for text in [
            "Use these values:\nmax_rows = 500\ntimeout_ms = 30\nretries = 3\npage_size = 50\nlog_level = info\nworkers = 4",
            "Implement these:\ncreateUser(name)\nrenameUser(id, name)\ndeleteUser(id)\nlistUsers(page)\ncountUsers()\nlockUser(id)",
        ] {
            assert_eq!(own(text).len(), 7, "{:?}", own(text));
            let indented = text.replace('\n', "\n  ");
            assert_eq!(own(&indented).len(), 7, "{:?}", own(&indented));
        }
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
