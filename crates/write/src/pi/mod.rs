//! pi's session files (version 3, pi 0.31 to 1.5): a copied path, or records appended to the tree.
//!
//! A new session has the shape that pi's own `/fork` gives one (`createBranchedSession`,
//! `session-manager.js` of pi 0.87 and 1.5): a header with the path of the original, the entries
//! from the root to the leaf under their own ids, without labels, which follow at the end.

mod chain;
mod prediction;
mod record;
mod system;

use crate::members::text;
use crate::planned::{Addition, NewSession};
use crate::refusal::Refusal;
use crate::request::Request;
use chain::Chain;
use record::{Names, VERSION, Writer};

/// A session file of its own.
pub(crate) fn new_session(request: &Request<'_>) -> Result<NewSession, Refusal> {
    check_version(request)?;
    let chain = Chain::of(request)?;
    let fresh = request.fresh;
    let meta = &request.session.meta;
    let id = fresh.uuid();
    let time = fresh.iso();
    let mut bytes = header(&id, &time, meta.cwd.as_deref(), &meta.path).into_bytes();
    let mut writer = Writer::new(request, Names::of_new_file(request, &chain));
    for link in &chain.links {
        bytes.extend(writer.line(link)?);
    }
    for line in writer.labels(&chain) {
        bytes.extend(line);
    }
    // pi's own form of a file name: no character that a file system may refuse.
    let stamp = time.replace([':', '.'], "-");
    Ok(NewSession {
        bytes,
        file_name: format!("{stamp}_{id}.jsonl"),
        native_id: id,
        found_as: None,
        context: prediction::context(request, &chain)?,
        resume: resume(),
    })
}

/// The records that make the requested entry the leaf of the original.
pub(crate) fn addition(request: &Request<'_>) -> Result<Addition, Refusal> {
    check_version(request)?;
    let version = request.session.meta.format_version.unwrap_or(1);
    if version < VERSION {
        return Err(Refusal::OldVersion { version });
    }
    let session = request.session;
    if let Some(&ix) = session.repeated.first() {
        let id = session.entry(ix).id.to_string();
        return Err(Refusal::RepeatedId { id });
    }
    let chain = Chain::of(request)?;
    let stays = chain.unchanged(session);
    let mut writer = Writer::new(request, Names::of_addition(request, &chain, stays));
    let mut bytes = Vec::new();
    for link in &chain.links[stays..] {
        bytes.extend(writer.line(link)?);
    }
    if bytes.is_empty() {
        // pi resumes from the last record of the file, so that the leaf needs one. An entry of
        // an extension is never sent.
        bytes.extend(writer.marker());
    }
    Ok(Addition {
        bytes,
        context: prediction::context(request, &chain)?,
        resume: resume(),
    })
}

/// pi's harness writes version 4, which the program pi does not open.
fn check_version(request: &Request<'_>) -> Result<(), Refusal> {
    let meta = &request.session.meta;
    match meta.format_version {
        Some(version) if version > VERSION => Err(Refusal::Version {
            agent: meta.agent,
            version,
        }),
        _ => Ok(()),
    }
}

fn header(id: &str, time: &str, cwd: Option<&str>, parent: &str) -> String {
    let mut header = format!(
        "{{\"type\":\"session\",\"version\":{VERSION},\"id\":{},\"timestamp\":{}",
        text(id),
        text(time)
    );
    header.push_str(&format!(",\"cwd\":{}", text(cwd.unwrap_or_default())));
    if !parent.is_empty() {
        header.push_str(&format!(",\"parentSession\":{}", text(parent)));
    }
    header.push_str("}\n");
    header
}

fn resume() -> Vec<String> {
    ["pi", "--session", "{path}"].map(str::to_owned).to_vec()
}
