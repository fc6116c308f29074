//! Chats of Coder servers: which servers, their tokens, and a copy of each chat in the data folder,
//! from where it is indexed and opened like a saved one. Nothing is written to a server.
//!
//! A token is kept in the system keyring under the address of its server, so that it is sent to no
//! other. A token of the environment is for the server that the environment names beside it.

use crate::error::{AppError, Result};
use crate::provider::KeyState;
use crate::workspace::App;
use palimpsest_core::failure::{Failure as _, Input, Listed, NextStep, Problem};
use palimpsest_formats::coder::server;
use palimpsest_llm::{
    ApiKey, CallOptions, CancellationToken, Fault, JsonApi, KeyStore as _, LlmError, OsKeyring,
    origin_of, same_origin,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings key of the addresses.
const SERVERS: &str = "coder_servers";
/// The folder of the copies below the data folder.
const FOLDER: &str = "coder";

/// A server whose chats are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoderServer {
    /// Its address.
    pub base_url: String,
    /// Where its token comes from.
    pub key_state: KeyState,
    /// Chats of it on this machine.
    pub chats: u64,
}

/// What reading a server gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CoderReading {
    /// Chats that the server lists.
    pub chats: u64,
    /// Those that were new or had changed.
    pub updated: u64,
}

impl App {
    /// The servers whose chats are read.
    pub fn coder_servers(&self) -> Result<Vec<CoderServer>> {
        let stored = self.user_db()?.setting(SERVERS)?.unwrap_or_default();
        let addresses = stored.as_array().into_iter().flatten();
        let addresses = addresses.filter_map(Value::as_str);
        Ok(addresses.map(|own| self.coder_server(own)).collect())
    }

    fn coder_server(&self, base_url: &str) -> CoderServer {
        let files = std::fs::read_dir(self.coder_folder(base_url)).ok();
        CoderServer {
            base_url: base_url.to_owned(),
            key_state: self.coder_key_state(base_url),
            chats: files.map_or(0, |files| files.count() as u64),
        }
    }

    /// Adds a server, or changes its token; without a token the one there is stays. Gives the server,
    /// which may have no token: then reading is refused.
    ///
    /// Errors: an address that is none, and a keyring that cannot be used.
    pub fn save_coder_server(&self, base_url: &str, token: Option<&str>) -> Result<CoderServer> {
        let base_url = base_url.trim().trim_end_matches('/');
        // A single word is a host of a local network at best, and more often a slip.
        if !base_url.contains(['.', ':']) && base_url != "localhost" {
            return Err(no_server(format!(
                "'{base_url}' is not the address of a server, such as https://coder.example.com"
            )));
        }
        let account = account_of(base_url)?;
        if let Some(token) = token.and_then(ApiKey::new) {
            let kept = OsKeyring.set(&account, &token);
            kept.map_err(|error| {
                let message = format!("the token of {base_url} cannot be stored: {error}");
                AppError::Provider(Problem {
                    message,
                    next: error.next(),
                })
            })?;
        }
        let mut all = self.coder_addresses()?;
        if !all.iter().any(|known| same_origin(known, base_url)) {
            all.push(base_url.to_owned());
        }
        self.keep_coder_addresses(all)?;
        Ok(self.coder_server(base_url))
    }

    /// Removes a server with its token and the copies of its chats.
    pub fn remove_coder_server(&self, base_url: &str) -> Result<()> {
        // As the address was stored.
        let base_url = base_url.trim().trim_end_matches('/');
        let mut all = self.coder_addresses()?;
        let known = all.clone();
        let before = all.len();
        all.retain(|known| known != base_url);
        if all.len() == before {
            return Err(AppError::not_found(
                format!("there is no Coder server '{base_url}'"),
                NextStep::choose(Listed::CoderServers, base_url, known),
            ));
        }
        // A keyring that cannot be opened has no token to forget.
        OsKeyring.remove(&account_of(base_url)?).ok();
        let folder = self.coder_folder(base_url);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|source| write_error(&folder, source))?;
        }
        self.keep_coder_addresses(all)
    }

    /// Reads the chats of a server into the data folder; what did not change is not read again.
    /// A reading of the same server that is under way ends. What was read before a failure or a
    /// cancellation stays.
    ///
    /// Errors: what the server or the network says, and a folder that cannot be written;
    /// [`AppError::Cancelled`] after [`App::cancel_coder_reading`].
    pub async fn read_coder_server(self: &Arc<Self>, base_url: &str) -> Result<CoderReading> {
        let stream = account_of(base_url)?;
        let cancel = self.begin(&stream);
        let done = self.read_chats(base_url, &cancel).await;
        self.end(&stream);
        // What was read before a failure is listed as well.
        let app = Arc::clone(self);
        let folder = self.coder_folder(base_url).display().to_string();
        let index = move || app.bring_up_to_date(&[folder]).map(drop);
        let indexed = tokio::task::spawn_blocking(index).await;
        let reading = done?;
        indexed.map_err(|error| AppError::Internal(error.to_string()))??;
        self.watch_settings_folders()?;
        Ok(reading)
    }

    /// Cancels the reading of a server; true when one was under way.
    ///
    /// Errors: an address that is none.
    pub fn cancel_coder_reading(&self, base_url: &str) -> Result<bool> {
        Ok(self.cancel(&account_of(base_url)?))
    }

    async fn read_chats(&self, base_url: &str, cancel: &CancellationToken) -> Result<CoderReading> {
        let failed = |error: LlmError| {
            if error.is_cancelled() {
                return AppError::Cancelled;
            }
            let server = base_url.to_owned();
            AppError::Provider(match error.fault {
                Fault::NoKey => Problem::new(
                    format!("no token is stored for the Coder server {server}"),
                    NextStep::SetToken { server },
                ),
                _ => error.problem(),
            })
        };
        let api = JsonApi::new(
            &account_of(base_url)?,
            base_url,
            server::TOKEN_HEADER,
            server::TOKEN_VARIABLE,
            self.coder_key(base_url)?,
            CallOptions::default(),
        )
        .map_err(failed)?;
        let folder = self.coder_folder(base_url);
        std::fs::create_dir_all(&folder).map_err(|source| write_error(&folder, source))?;
        let mut reading = CoderReading::default();
        let mut offset = 0;
        loop {
            let page = api.get(&server::chats_request(offset), cancel).await;
            let page = page.map_err(failed)?;
            let chats = server::chats_of(&page).ok_or_else(|| {
                let said = format!("the server gave no list of chats: {base_url}");
                AppError::Provider(Problem::alone(said))
            })?;
            for chat in chats {
                let all = std::iter::once(chat).chain(server::children_of(chat));
                for chat in all {
                    let Some(id) = server::id_of(chat) else {
                        continue;
                    };
                    reading.chats += 1;
                    let file = folder.join(server::file_name(id));
                    if is_kept(&file, chat) {
                        continue;
                    }
                    let mut pages = Vec::new();
                    let mut before = None;
                    loop {
                        let request = server::messages_request(id, before);
                        let page = api.get(&request, cancel).await.map_err(failed)?;
                        let earlier = server::earlier(&page);
                        pages.push(page);
                        // Numbers fall from page to page; a server that repeats itself ends here.
                        if earlier.is_none() || before.is_some() && earlier >= before {
                            break;
                        }
                        before = earlier;
                    }
                    keep(&file, &server::saved(chat, &pages))?;
                    reading.updated += 1;
                }
            }
            offset += chats.len();
            if chats.len() < server::PAGE {
                return Ok(reading);
            }
        }
    }

    /// The folder of all copies.
    pub(crate) fn coder_root(&self) -> PathBuf {
        self.options().data_dir.join(FOLDER)
    }

    fn coder_folder(&self, base_url: &str) -> PathBuf {
        let origin = origin_of(base_url).unwrap_or_else(|_| base_url.to_owned());
        let name = origin.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
        self.coder_root().join(name)
    }

    fn coder_addresses(&self) -> Result<Vec<String>> {
        let servers = self.coder_servers()?.into_iter();
        Ok(servers.map(|server| server.base_url).collect())
    }

    fn keep_coder_addresses(&self, all: Vec<String>) -> Result<()> {
        let all = Value::from(all);
        self.user_db()?.set_setting(SERVERS, Some(&all))?;
        Ok(())
    }

    /// The token of the environment, where that names this server as well.
    fn coder_key_in_environment(&self, base_url: &str) -> Option<ApiKey> {
        let env = &self.options().places.env;
        let named = env.get(server::URL_VARIABLE)?;
        let token = env.get(server::TOKEN_VARIABLE)?;
        ApiKey::new(token).filter(|_| same_origin(named, base_url))
    }

    fn coder_key(&self, base_url: &str) -> Result<Option<ApiKey>> {
        if let Some(key) = self.coder_key_in_environment(base_url) {
            return Ok(Some(key));
        }
        let account = account_of(base_url)?;
        // A keyring that cannot be used has no token; the server then says that one is missing.
        Ok(OsKeyring.get(&account).ok().flatten())
    }

    fn coder_key_state(&self, base_url: &str) -> KeyState {
        if self.coder_key_in_environment(base_url).is_some() {
            return KeyState::Environment;
        }
        match self.coder_key(base_url) {
            Ok(Some(_)) => KeyState::Keyring,
            _ => KeyState::Missing,
        }
    }
}

/// An address that leads to no server.
fn no_server(message: String) -> AppError {
    let what = Input::BaseUrl;
    AppError::BadRequest(Problem::new(message, NextStep::Give { what }))
}

/// The account of a server's token in the keyring, and what errors call the server: a token is
/// bound to scheme, host and port.
fn account_of(base_url: &str) -> Result<String> {
    let origin = origin_of(base_url).map_err(no_server)?;
    Ok(format!("coder {origin}"))
}

fn write_error(path: &Path, source: std::io::Error) -> AppError {
    AppError::Write {
        path: path.display().to_string(),
        source,
    }
}

/// True where the copy is of the chat as it is now: each change of a chat sets its time.
fn is_kept(file: &Path, chat: &Value) -> bool {
    let kept = std::fs::read(file).ok();
    let kept: Option<Value> = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    kept.is_some_and(|kept| server::chat_in(&kept) == chat)
}

/// Writes a copy in one step, so that no reader sees a half.
fn keep(file: &Path, saved: &Value) -> Result<()> {
    let part = file.with_extension("part");
    std::fs::write(&part, saved.to_string())
        .and_then(|()| std::fs::rename(&part, file))
        .map_err(|source| write_error(file, source))
}

#[cfg(test)]
mod tests;
