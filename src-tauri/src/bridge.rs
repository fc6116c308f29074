//! Between the page and the API: one command in, one event out.

use palimpsest_api::{Api, Event, WireError};
use serde_json::Value;
use tauri::{AppHandle, Emitter as _, Manager as _, State};
use tokio::sync::broadcast::error::RecvError;

/// The one event of the shell; its payload is an [`Event`] with a `type`.
const EVENT: &str = "palimpsest";

/// Runs any command of the API.
#[tauri::command]
pub(crate) async fn rpc(
    api: State<'_, Api>,
    command: String,
    params: Option<Value>,
) -> Result<Value, WireError> {
    api.call(&command, params.unwrap_or_default()).await
}

/// Hands the API to the page's calls and forwards its events from now on.
pub(crate) fn connect(app: &AppHandle, api: Api) {
    let mut events = api.events();
    app.manage(api);
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        loop {
            match events.recv().await {
                Ok(event) => emit(&app, &event),
                // What was missed is past: the page is told that any session may have changed.
                Err(RecvError::Lagged(_)) => {
                    emit(
                        &app,
                        &Event::SessionsChanged {
                            sessions: Vec::new(),
                        },
                    );
                }
                Err(RecvError::Closed) => break,
            }
        }
    });
}

/// Sends one event to the page.
fn emit(app: &AppHandle, event: &Event) {
    if let Err(error) = app.emit(EVENT, event) {
        eprintln!("warning: an event did not reach the window: {error}");
    }
}

/// Cancels what still runs; a run in flight is kept as cancelled.
pub(crate) fn disconnect(app: &AppHandle) {
    if let Some(api) = app.try_state::<Api>() {
        api.cancel_all();
    }
}
