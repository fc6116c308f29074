//! A document as one HTML file. It needs no network and no script.

use super::document::{Document, MEANINGS, Part, pieces};
use std::fmt::Write as _;

/// Nothing is loaded and nothing is run, whatever the texts contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// How the page looks, light and dark.
const STYLE: &str = include_str!("style.css");

/// The document as HTML.
pub(crate) fn html(document: &Document) -> String {
    let title = escaped(&document.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    parts(&mut out, &document.parts);
    out.push_str("</main>\n<footer>Exported by Palimpsest.</footer>\n</body>\n</html>\n");
    out
}

fn parts(out: &mut String, all: &[Part]) {
    for part in all {
        // Writing to a string cannot fail.
        let _ = match part {
            Part::Heading(level, text) => {
                writeln!(out, "<h{level}>{}</h{level}>", escaped(text))
            }
            Part::Text(text) => writeln!(out, "<p>{}</p>", escaped(text)),
            Part::Fields(fields) => {
                out.push_str("<dl>");
                for (name, value) in fields {
                    let (name, value) = (escaped(name), escaped(value));
                    let _ = write!(out, "<dt>{name}</dt><dd>{value}</dd>");
                }
                writeln!(out, "</dl>")
            }
            Part::List(items) => {
                out.push_str("<ul>");
                for item in items {
                    let _ = write!(out, "<li>{}</li>", escaped(item));
                }
                writeln!(out, "</ul>")
            }
            Part::Table { head, rows, right } => {
                table(out, head, rows, right);
                Ok(())
            }
            Part::Verbatim(text) => writeln!(out, "<pre>{}</pre>", escaped(text)),
            Part::Marked(text, marks) => {
                out.push_str("<p class=\"key\">");
                let used = |meaning: &&&str| marks.iter().any(|(_, own)| own == *meaning);
                for meaning in MEANINGS.iter().filter(used) {
                    let _ = write!(out, "<mark class=\"{meaning}\">{meaning}</mark> ");
                }
                out.push_str("</p>\n<pre>");
                for (piece, meaning) in pieces(text, marks) {
                    let piece = escaped(piece);
                    let _ = match meaning {
                        Some(class) => {
                            write!(
                                out,
                                "<mark class=\"{class}\" title=\"{class}\">{piece}</mark>"
                            )
                        }
                        None => write!(out, "{piece}"),
                    };
                }
                writeln!(out, "</pre>")
            }
            Part::Fold(title, inside) => {
                let _ = writeln!(out, "<details><summary>{}</summary>", escaped(title));
                parts(out, inside);
                writeln!(out, "</details>")
            }
        };
    }
}

fn table(out: &mut String, head: &[String], rows: &[Vec<String>], right: &[usize]) {
    let class = |column: usize| {
        if right.contains(&column) {
            " class=\"r\""
        } else {
            ""
        }
    };
    out.push_str("<table><thead><tr>");
    for (column, cell) in head.iter().enumerate() {
        let _ = write!(
            out,
            "<th scope=\"col\"{}>{}</th>",
            class(column),
            escaped(cell)
        );
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(out, "<td{}>{}</td>", class(column), escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
}

/// Text as HTML shows it. Characters that a page must not hold, and those that turn the direction
/// of text, are shown by their number.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            '\r' => {}
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(out, "[U+{:04X}]", u32::from(character));
            }
            _ if character.is_control() => {
                let _ = write!(out, "[U+{:04X}]", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out
}
