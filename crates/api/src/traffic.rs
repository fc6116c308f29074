//! What goes over the wire when a long session is opened and when a line is appended to it.

use crate::error::to_wire;
use crate::{Answer, Api, Options, WireError};
use palimpsest_app::bench::Sent;
use palimpsest_app::{AppError, AppResult};
use palimpsest_core::layout::GraphRevision;
use serde_json::{Value, json};
use std::path::Path;

/// Points of the timeline and rows of the outline, as the page asks for them.
const POINTS: u64 = 800;
const ROWS: u64 = 200;

/// Where the revision of a whole tree is read from its bytes: behind the byte that says so.
const BEHIND_KIND: usize = 1;

/// The same as [`measure`] on a separate program, started with `options`.
pub(crate) fn measure_apart(
    options: Options,
    session: &Path,
    append: &mut dyn FnMut() -> AppResult<()>,
) -> AppResult<Vec<Sent>> {
    let api = Api::open(options);
    let sent = api.and_then(|api| measure(&api, session, append));
    sent.map_err(|error| AppError::Internal(error.to_string()))
}

/// The bytes of every answer that the page asks for with the canvas on screen: when it opens the
/// session in `path`, and after `append` has written one more line.
pub(crate) fn measure(
    api: &Api,
    path: &Path,
    append: &mut dyn FnMut() -> AppResult<()>,
) -> Result<Vec<Sent>, WireError> {
    let session = path.display().to_string();
    // In a separate thread with a runtime of its own: the caller may be a task of another runtime, in
    // which none may be waited for or dropped.
    let ask = |command: &str, request: Value| {
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().build();
                let runtime = runtime.map_err(|error| WireError::internal(&error.to_string()))?;
                runtime.block_on(api.answer(command, request))
            });
            let panicked = |_| Err(WireError::internal("the thread that asks panicked"));
            asking.join().unwrap_or_else(panicked)
        })
    };
    let asked = |graph: Value| {
        [
            ("open", json!({"session": session})),
            (
                "timeline",
                json!({"session": session, "max_points": POINTS}),
            ),
            (
                "outline",
                json!({"session": session, "limit": ROWS, "around": "leaf"}),
            ),
            ("graph", graph),
        ]
    };
    let answers = |name: &'static str, graph: Value| -> Result<(Sent, String), WireError> {
        let (mut total, mut parts, mut revision) = (0, Vec::new(), String::new());
        // In the order in which the page asks.
        for (command, request) in asked(graph) {
            let bytes = match ask(command, request)? {
                Answer::Json(answer) => answer.to_string().len(),
                Answer::Bytes(bytes) => {
                    let tree = bytes.get(BEHIND_KIND..).unwrap_or_default();
                    revision = GraphRevision::of(tree).to_string();
                    bytes.len()
                }
            };
            total += bytes;
            parts.push(format!("{command} {bytes}"));
        }
        let note = format!("bytes: {}", parts.join(", "));
        let kilobytes = total as f64 / 1e3;
        Ok((
            Sent {
                name,
                kilobytes,
                note,
            },
            revision,
        ))
    };
    let whole = json!({"session": session});
    let (opened, known) = answers("sent to open a large session", whole)?;
    append().map_err(|error| to_wire(&error))?;
    let changed = json!({"session": session, "known": known});
    let (grown, _) = answers("sent when a line is appended to it", changed)?;
    Ok(vec![opened, grown])
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_testkit::session::PiSession;
    use std::io::Write as _;

    #[test]
    fn a_tree_is_sent_once_and_then_what_changed() {
        let home = tempfile::tempdir().unwrap();
        let mut session = PiSession::new();
        for turn in 0..2_000 {
            session.user(&format!("Please look at part {turn}."));
        }
        let path = home.path().join("long.jsonl");
        std::fs::write(&path, session.to_jsonl()).unwrap();
        let options = Options::from_environment(Some(home.path().join("data")), false).unwrap();
        let api = Api::open(options).unwrap();
        let last = session.leaf().unwrap();
        let mut append = || {
            let line = json!({
                "type": "message", "id": "feedbeef", "parentId": last,
                "timestamp": "2026-11-20T10:00:00.000Z",
                "message": {"role": "user", "content": "One more."},
            });
            let mut file = std::fs::OpenOptions::new()
                .append(true)
                .open(&path)
                .unwrap();
            writeln!(file, "{line}").unwrap();
            Ok(())
        };
        // The command line measures within its own runtime.
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let measuring = async { measure(&api, &path, &mut append) };
        let sent = runtime.unwrap().block_on(measuring).unwrap();
        let graph = |sent: &Sent| -> usize {
            let (_, bytes) = sent.note.rsplit_once("graph ").unwrap();
            bytes.parse().unwrap()
        };
        // Ids of eight digits take five bytes with the entry they name.
        assert!(graph(&sent[0]) > 2_000 * 5, "{}", sent[0].note);
        assert!(graph(&sent[1]) < 500, "{}", sent[1].note);
    }
}
