//! What `coder` asks.

use super::answer::Answer;
use super::given::read;
use crate::args::CoderAction;
use palimpsest_api::wire::*;
use palimpsest_api::{Api, Empty, ErrorCode, Listed, NextStep};
use std::path::Path;

/// What an action on the Coder servers asks; without one, all are listed.
pub(super) async fn coder(api: &Api, action: Option<&CoderAction>) -> Result<Answer, WireError> {
    let asked = api.commands();
    match action {
        Some(CoderAction::Add { url, token_stdin }) => {
            let token = token_stdin.then(|| std::io::read_to_string(std::io::stdin()));
            let token = token
                .map(|text| read("token", Path::new("-"), text))
                .transpose()?;
            let base_url = url.clone();
            asked
                .coder_save(CoderSaveRequest { base_url, token })
                .await?;
        }
        Some(CoderAction::Read { url }) => {
            let servers = match url {
                Some(url) => vec![url.clone()],
                None => {
                    let known = asked.coder_servers(Empty {}).await?.into_iter();
                    known.map(|server| server.base_url).collect()
                }
            };
            if servers.is_empty() {
                return Err(WireError::new(
                    ErrorCode::UserFixable,
                    "there is no Coder server to read from",
                    NextStep::choose(Listed::CoderServers, "", Vec::new()),
                ));
            }
            let mut all = CoderReading {
                chats: 0,
                updated: 0,
            };
            for base_url in servers {
                let done = asked.coder_read(CoderRequest { base_url }).await?;
                all.chats += done.chats;
                all.updated += done.updated;
            }
            return Ok(Answer::CoderRead(all));
        }
        Some(CoderAction::Remove { url }) => {
            let base_url = url.clone();
            asked.coder_remove(CoderRequest { base_url }).await?;
        }
        None => {}
    }
    Ok(Answer::CoderServers(asked.coder_servers(Empty {}).await?))
}
