//! Coder servers whose chats are read.

use super::Empty;
use crate::wire::{CoderReading, CoderRequest, CoderSaveRequest, CoderServer};
use palimpsest_app::{App, AppResult};
use std::sync::Arc;

/// The servers.
pub(crate) fn servers(app: &App, _: Empty) -> AppResult<Vec<CoderServer>> {
    let servers = app.coder_servers()?.into_iter();
    Ok(servers.map(row).collect())
}

fn row(server: palimpsest_app::coder::CoderServer) -> CoderServer {
    CoderServer {
        base_url: server.base_url,
        key_state: server.key_state.into(),
        chats: server.chats,
    }
}

/// Adds a server, or changes its token; the server as it is now.
pub(crate) fn save(app: &App, request: CoderSaveRequest) -> AppResult<CoderServer> {
    let saved = app.save_coder_server(&request.base_url, request.token.as_deref())?;
    Ok(row(saved))
}

/// Cancels the reading of a server.
pub(crate) fn cancel(app: &App, request: CoderRequest) -> AppResult<Empty> {
    app.cancel_coder_reading(&request.base_url)?;
    Ok(Empty {})
}

/// Removes a server.
pub(crate) fn remove(app: &App, request: CoderRequest) -> AppResult<Empty> {
    app.remove_coder_server(&request.base_url)?;
    Ok(Empty {})
}

/// Reads the chats of a server and indexes them.
pub(crate) async fn read(app: &Arc<App>, request: CoderRequest) -> AppResult<CoderReading> {
    let done = app.read_coder_server(&request.base_url).await?;
    Ok(CoderReading {
        chats: done.chats,
        updated: done.updated,
    })
}
