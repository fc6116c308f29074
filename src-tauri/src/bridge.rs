//! Between the page and the API: one command in, one event out.

use palimpsest_api::{Answer, Api, Event, WireError};
use serde_json::Value;
use std::time::{Duration, Instant};
use tauri::ipc::Response;
use tauri::{AppHandle, Emitter as _, Manager as _, State};

/// The one event of the shell; its payload is an [`Event`] with a `type`.
const EVENT: &str = "palimpsest";
/// How long the end of the window waits for runs to be kept.
const LONGEST_END: Duration = Duration::from_secs(5);
/// How long to wait before looking again whether they are.
const UNTIL_KEPT: Duration = Duration::from_millis(20);

/// Runs any command of the API. JSON is written once; bytes are handed over as they are.
#[tauri::command]
pub(crate) async fn rpc(
    api: State<'_, Api>,
    command: String,
    params: Option<Value>,
) -> Result<Response, WireError> {
    let answer = api.answer(&command, params.unwrap_or_default()).await?;
    Ok(match answer {
        Answer::Json(answer) => Response::new(answer.to_string()),
        Answer::Bytes(bytes) => Response::new(bytes),
    })
}

/// Hands the API to the page's calls and forwards its events from now on.
pub(crate) fn connect(app: &AppHandle, api: Api) {
    let mut events = api.events();
    app.manage(api);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        while let Some(event) = events.next().await {
            emit(&app, &event);
        }
    });
}

/// Sends one event to the page.
fn emit(app: &AppHandle, event: &Event) {
    if let Err(error) = app.emit(EVENT, event) {
        eprintln!("warning: an event did not reach the window: {error}");
    }
}

/// Cancels what still runs, and waits until runs in flight are kept as cancelled.
pub(crate) fn disconnect(app: &AppHandle) {
    let Some(api) = app.try_state::<Api>() else {
        return;
    };
    let deadline = Instant::now() + LONGEST_END;
    while api.cancel_all() > 0 && Instant::now() < deadline {
        std::thread::sleep(UNTIL_KEPT);
    }
    api.close();
}
