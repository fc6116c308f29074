//! A document as Markdown. Texts of the session stand in fences or are escaped.

use super::document::{Document, Part, pieces};
use std::fmt::Write as _;

/// The document as Markdown.
pub(crate) fn markdown(document: &Document) -> String {
    let mut out = format!("# {}\n", line(&document.title));
    parts(&mut out, &document.parts);
    out
}

fn parts(out: &mut String, all: &[Part]) {
    for part in all {
        out.push('\n');
        // Writing to a string cannot fail.
        let _ = match part {
            Part::Heading(level, text) => {
                writeln!(out, "{} {}", "#".repeat(usize::from(*level)), line(text))
            }
            Part::Text(text) => writeln!(out, "{}", line(text)),
            Part::Fields(fields) => {
                for (name, value) in fields {
                    let _ = writeln!(out, "- {}: {}", line(name), line(value));
                }
                Ok(())
            }
            Part::List(items) => {
                for item in items {
                    let _ = writeln!(out, "- {}", line(item));
                }
                Ok(())
            }
            Part::Table { head, rows, .. } => {
                table(out, head, rows);
                Ok(())
            }
            Part::Verbatim(text) => write!(out, "{}", fenced(text)),
            Part::Marked(text, marks) => {
                let _ = write!(out, "{}", fenced(text));
                let mut lines: Vec<String> = Vec::new();
                for (piece, meaning) in pieces(text, marks) {
                    let Some(meaning) = meaning else { continue };
                    let words: Vec<&str> = piece.split_whitespace().collect();
                    let item = format!("- {meaning}: {}", line(&words.join(" ")));
                    if !lines.contains(&item) {
                        lines.push(item);
                    }
                }
                if lines.is_empty() {
                    Ok(())
                } else {
                    writeln!(out, "\nMarked in it:\n\n{}", lines.join("\n"))
                }
            }
            Part::Fold(title, inside) => {
                let _ = writeln!(out, "#### {}", line(title));
                parts(out, inside);
                Ok(())
            }
        };
    }
}

fn table(out: &mut String, head: &[String], rows: &[Vec<String>]) {
    let cells = |row: &[String]| {
        let cells: Vec<String> = row.iter().map(|cell| line(cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let _ = writeln!(out, "{}", cells(head));
    let _ = writeln!(out, "|{}", " --- |".repeat(head.len()));
    for row in rows {
        let _ = writeln!(out, "{}", cells(row));
    }
}

/// Text in one line in which nothing is a sign of Markdown or HTML.
fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        for (at, character) in word.chars().enumerate() {
            // At its beginning a line would be a heading, an item or a quote.
            let begins = out.is_empty() && at == 0 && matches!(character, '#' | '+' | '-' | '=');
            // A sign within a name is none.
            let sign = matches!(
                character,
                '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~'
            ) || (character == '_' && (at == 0 || at + 1 == word.chars().count()))
                || (character == '&' && word.contains(';'))
                || character == '!' && word[1.min(word.len())..].contains('[');
            if begins || sign {
                out.push('\\');
            }
            if character.is_control() {
                let _ = write!(out, "[U+{:04X}]", u32::from(character));
            } else {
                out.push(character);
            }
        }
    }
    // "1. " at the beginning would number a list.
    let digits = out.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && out[digits..].starts_with(['.', ')']) {
        out.insert(digits, '\\');
    }
    out
}

/// Text in a fence that no line of it can close.
pub(crate) fn fenced(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{text}{end}{fence}\n")
}
