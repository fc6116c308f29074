//! Sessions, summaries and ledgers as documents that are read without the program.

mod chain;
mod claims;
mod document;
mod figures;
mod handoff;
mod html;
mod ledger;
mod markdown;
mod mask;
mod session;

use crate::commands as c;
use crate::wire::*;
use document::Document;
use mask::Mask;
use palimpsest_app::{App, AppError, AppResult};
use palimpsest_core::failure::{Input, NextStep};
use serde_json::{Value, json};

/// Makes a document of a session or of a part of it.
pub(crate) fn export(app: &App, request: ExportRequest) -> AppResult<ExportView> {
    let mut mask = if request.mask {
        Some(known_names(app, &request.session)?)
    } else {
        None
    };
    let text = match (request.what, request.form) {
        (ExportWhat::Handoff, form) => {
            let shelved = c::ledger::shelved(app, &request.session, of(&request))?;
            let text = handoff::handoff(&shelved, mask.as_mut());
            match form {
                ExportForm::Markdown => text,
                ExportForm::Html => html::html(&handoff::document(&text)),
                ExportForm::Json => pretty(&json!({ "markdown": text })),
            }
        }
        (_, ExportForm::Json) => {
            let mut value = value(app, &request)?;
            if let Some(mask) = &mut mask {
                mask.read_value(&value);
                mask.value(&mut value);
            }
            pretty(&value)
        }
        (_, form) => {
            let mut made = document(app, &request)?;
            if let Some(mask) = &mut mask {
                made.each_text(&mut |text| mask.read(text));
                made = made.map(&mut |text| mask.text(text));
            }
            match form {
                ExportForm::Html => html::html(&made),
                _ => markdown::markdown(&made),
            }
        }
    };
    let (ending, media_type) = match request.form {
        ExportForm::Markdown => ("md", "text/markdown"),
        ExportForm::Html => ("html", "text/html"),
        ExportForm::Json => ("json", "application/json"),
    };
    let what = serde_json::to_value(request.what).unwrap_or_default();
    let what = what.as_str().unwrap_or_default();
    let file_name = format!("palimpsest-{what}-{}.{ending}", stem(&request));
    let path = match &request.out {
        Some(out) => Some(app.save_export(out, &file_name, &text)?),
        None => None,
    };
    Ok(ExportView {
        file_name,
        media_type: media_type.to_owned(),
        path,
        text,
    })
}

/// What tells the file apart from others of its kind: only letters, digits and signs that every
/// file system takes.
fn stem(request: &ExportRequest) -> String {
    let own = request.of.as_deref().or(request.entry.as_deref());
    let own = own.map(|own| own.trim_start_matches("entry:"));
    let own = own.unwrap_or_else(|| {
        request
            .session
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
    });
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    own.chars().filter(plain).take(16).collect()
}

/// The names that a mask replaces wherever they stand: those in the session's paths.
fn known_names(app: &App, session: &str) -> AppResult<Mask> {
    let request = SessionRequest {
        session: session.to_owned(),
    };
    let row = c::sessions::open(app, request)?.row;
    let paths = [row.cwd, row.project_root, row.worktree, Some(row.project)];
    Ok(Mask::knowing(paths.iter().flatten().map(String::as_str)))
}

/// The summary that is exported; empty for the newest compaction.
fn of(request: &ExportRequest) -> &str {
    request.of.as_deref().unwrap_or_default()
}

fn document(app: &App, request: &ExportRequest) -> AppResult<Document> {
    let named = || SessionRequest {
        session: request.session.clone(),
    };
    Ok(match request.what {
        ExportWhat::Session => {
            let view = c::sessions::open(app, named())?;
            session::session(&view, &path(app, request)?)
        }
        ExportWhat::Tree => {
            let view = c::sessions::open(app, named())?;
            session::tree(&view, &c::tree::tree(app, named())?)
        }
        ExportWhat::Entry => session::entry(&entry(app, request)?),
        ExportWhat::Context => session::context(&context(app, request)?),
        ExportWhat::Ledger => {
            let shelved = c::ledger::shelved(app, &request.session, of(request))?;
            let made = figures(app, request)?;
            let mut document = figures::with_figures(ledger::ledger(&shelved), &made);
            claims::by_model(&mut document, &shelved);
            document
        }
        ExportWhat::Chain => chain::chain(&followed(app, request)?),
        ExportWhat::Comparison => {
            let view = compared(app, request)?;
            let mut document = ledger::comparison(&view);
            claims::compared(&mut document, &view);
            document
        }
        // `export` has its text.
        ExportWhat::Handoff => Document::new("Hand-off"),
    })
}

/// The same as the wire has it.
fn value(app: &App, request: &ExportRequest) -> AppResult<Value> {
    let named = || SessionRequest {
        session: request.session.clone(),
    };
    Ok(match request.what {
        ExportWhat::Session => json!({
            "session": c::sessions::open(app, named())?,
            "entries": path(app, request)?,
        }),
        ExportWhat::Tree => json!(c::tree::tree(app, named())?),
        ExportWhat::Entry => json!(entry(app, request)?),
        ExportWhat::Context => json!(context(app, request)?),
        ExportWhat::Ledger => {
            let shelved = c::ledger::shelved(app, &request.session, of(request))?;
            let summary = &shelved.material.summary;
            let mut value = json!(c::ledger::view(&shelved, summary, &shelved.ledger));
            value["figures"] = json!(figures(app, request)?.figures);
            value
        }
        ExportWhat::Chain => json!(followed(app, request)?),
        ExportWhat::Comparison => {
            json!(compared(app, request)?)
        }
        ExportWhat::Handoff => Value::Null,
    })
}

fn figures(app: &App, request: &ExportRequest) -> AppResult<FiguresView> {
    let asked = FiguresRequest {
        session: request.session.clone(),
        of: of(request).to_owned(),
    };
    c::figures::figures(app, asked)
}

/// The chain with all its facts.
fn followed(app: &App, request: &ExportRequest) -> AppResult<ChainView> {
    let asked = ChainRequest {
        session: request.session.clone(),
        at: request.entry.clone(),
        ..ChainRequest::default()
    };
    c::chain::chain(app, asked)
}

fn compared(app: &App, request: &ExportRequest) -> AppResult<CompareAllView> {
    if request.sides.len() < 2 {
        return Err(AppError::bad_request(
            "a comparison needs two or more summaries",
            NextStep::Give {
                what: Input::Summary,
            },
        ));
    }
    let asked = CompareAllRequest {
        session: request.session.clone(),
        sides: request.sides.clone(),
    };
    c::runs::compare_all(app, asked)
}

/// The entries on the active path, or on that to the entry named.
fn path(app: &App, request: &ExportRequest) -> AppResult<Vec<EntryTextView>> {
    let open = app.open(&request.session)?;
    let leaf = open.resolve_or_leaf(request.entry.as_deref())?;
    let path = leaf.map(|leaf| open.tree.path(leaf)).unwrap_or_default();
    path.into_iter()
        .map(|ix| c::entry::whole(&open, ix))
        .collect()
}

fn entry(app: &App, request: &ExportRequest) -> AppResult<EntryTextView> {
    let open = app.open(&request.session)?;
    let ix = open.resolve_or_leaf(request.entry.as_deref())?;
    let ix = ix.ok_or_else(|| {
        AppError::bad_request(
            "the session has no entries",
            NextStep::Give {
                what: Input::Session,
            },
        )
    })?;
    c::entry::whole(&open, ix)
}

fn context(app: &App, request: &ExportRequest) -> AppResult<ContextView> {
    let asked = ContextRequest {
        session: request.session.clone(),
        at: request.entry.clone(),
        ..ContextRequest::default()
    };
    c::context::context(app, asked)
}

fn pretty(value: &Value) -> String {
    // A value of strings and numbers always prints.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::document::Part;
    use super::*;

    const HOSTILE: &str =
        "<script>alert(1)</script><img src=x onerror=alert(2)> \u{202e}```\n# no\u{1b}[31m";

    fn hostile() -> Document {
        let mut made = Document::new(HOSTILE);
        made.heading(2, HOSTILE);
        made.text(HOSTILE);
        let verbatim = Part::Verbatim(HOSTILE.into());
        made.parts.extend([
            Part::Fields(vec![(HOSTILE.into(), HOSTILE.into())]),
            Part::List(vec![HOSTILE.into()]),
            Part::Table {
                head: vec![HOSTILE.into()],
                rows: vec![vec![HOSTILE.into()]],
                right: vec![0],
            },
            Part::Marked(HOSTILE.into(), vec![(0..8, "dropped")]),
            Part::Fold(HOSTILE.into(), vec![verbatim]),
        ]);
        made
    }

    #[test]
    fn hostile_text_stays_text_in_html() {
        let page = html::html(&hostile());
        // What the page itself has: no script, and no element that loads anything.
        for sign in [
            "<script", "<img", "<a ", "<link", "\u{202e}", "\u{1b}", "http://", "https://",
        ] {
            assert!(!page.contains(sign), "{sign} is in the page");
        }
        assert_eq!(
            page.matches("&lt;script&gt;alert(1)&lt;/script&gt;")
                .count(),
            11
        );
        assert!(page.contains("<mark class=\"dropped\" title=\"dropped\">&lt;script&gt;</mark>"));
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn hostile_text_stays_text_in_markdown() {
        let text = markdown::markdown(&hostile());
        // Outside of fences there is no tag and no heading of the text.
        let mut fence: Option<String> = None;
        for line in text.lines() {
            match &fence {
                Some(own) if line == own => fence = None,
                Some(_) => {}
                None if line.starts_with("```") => {
                    fence = Some(line.trim_end_matches("text").to_owned());
                }
                None => {
                    let bare = line.replace("\\<", "").replace("\\`", "");
                    assert!(!bare.contains(['<', '`']), "{line}");
                    assert_ne!(line, "# no");
                }
            }
        }
        assert_eq!(fence, None, "a fence is open at the end");
    }

    #[test]
    fn marks_stay_on_their_words_when_a_text_is_masked() {
        let mut made = Document::new("");
        let text = "see src/queue.rs now".to_owned();
        made.parts
            .push(Part::Marked(text, vec![(4..16, "verbatim")]));
        let mut mask = Mask::default();
        let masked = made.map(&mut |text| mask.text(text));
        let Part::Marked(text, marks) = &masked.parts[0] else {
            panic!("{masked:?}");
        };
        assert_eq!(&text[marks[0].0.clone()], "src/file-1.rs");
    }
}
