//! Chats of a scripted server, as they are kept and listed.

use super::*;
use crate::options::Options;
use crate::search::{ListOptions, ListSort};
use palimpsest_store::index::SessionSort;
use palimpsest_testkit::llm_server::{LlmServer, Reply};
use serde_json::json;

const CHAT: &str = "3f6c1f0a-0000-4000-8000-00000000c0de";

fn chat(id: &str, updated: &str) -> Value {
    json!({
        "id": id, "organization_id": "o-1", "owner_id": "u-1", "title": "Wind the clock",
        "created_at": "2026-06-01T07:59:00Z", "updated_at": updated, "children": [],
    })
}

fn messages(count: i64) -> Vec<Value> {
    let message = |id: i64| {
        json!({
            "id": id, "chat_id": CHAT, "created_at": format!("2026-06-01T08:00:0{id}.000Z"),
            "role": if id % 2 == 1 { "user" } else { "assistant" },
            "content": [{"type": "text", "text": format!("Tick {id}.")}],
        })
    };
    (1..=count).map(message).collect()
}

struct Machine {
    app: Arc<App>,
    server: LlmServer,
    _home: tempfile::TempDir,
}

fn machine() -> Machine {
    let home = tempfile::tempdir().unwrap();
    let options = Options {
        data_dir: home.path().join("data"),
        places: palimpsest_formats::Places {
            home: home.path().join("home"),
            env: Default::default(),
        },
        samples_only: false,
        programs_in: None,
        only_known_programs: false,
    };
    let server = LlmServer::start().unwrap();
    let app = App::start(options, Arc::new(|_| {})).unwrap();
    app.save_coder_server(&server.url(), None).unwrap();
    Machine {
        app,
        server,
        _home: home,
    }
}

impl Machine {
    async fn read(&self) -> Result<CoderReading> {
        self.app.read_coder_server(&self.server.url()).await
    }

    /// Id, entries and path of each listed session.
    fn listed(&self) -> Vec<(String, u64, String)> {
        let options = ListOptions {
            sort: ListSort::By(SessionSort::Updated),
            offset: 0,
            limit: None,
            hide_subagents: false,
        };
        let page = self.app.list_sessions("agent:coder", options).unwrap();
        let rows = page.sessions.iter();
        rows.map(|row| (row.native_id.clone(), row.entries, row.path.clone()))
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chats_are_read_page_by_page_and_only_again_when_they_change() {
    let machine = machine();
    let first = chat(CHAT, "2026-06-01T08:01:00Z");
    machine.server.serve_chats(vec![(first, messages(5))], 2);
    let done = machine.read().await.unwrap();
    assert_eq!((done.chats, done.updated), (1, 1));
    let listed = machine.listed();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].0.as_str(), listed[0].1), (CHAT, 5));
    // The list, then three pages of two messages.
    assert_eq!(machine.server.requests().len(), 4);
    assert!(
        machine
            .server
            .requests()
            .iter()
            .all(|seen| seen.method == "GET")
    );
    assert_eq!(machine.read().await.unwrap().updated, 0);
    assert_eq!(machine.server.requests().len(), 5);
    let later = chat(CHAT, "2026-06-01T08:02:00Z");
    machine.server.serve_chats(vec![(later, messages(7))], 200);
    assert_eq!(machine.read().await.unwrap().updated, 1);
    assert_eq!(machine.listed()[0].1, 7);
    let servers = machine.app.coder_servers().unwrap();
    assert_eq!((servers.len(), servers[0].chats), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_before_a_failure_stays() {
    let machine = machine();
    let first = chat(CHAT, "2026-06-01T08:01:00Z");
    machine.server.serve_chats(vec![(first, messages(3))], 200);
    machine.read().await.unwrap();
    for reply in [
        Reply::error(401, "unauthorized", "Sign in."),
        Reply::error(404, "not_found", "No chats here."),
        Reply::raw(200, "application/json", "{\"message\": \"hello\"}"),
    ] {
        machine.server.push(reply);
        let error = machine.read().await.unwrap_err();
        assert!(matches!(error, AppError::Provider(_)), "{error}");
        assert_eq!(machine.listed().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_answer_is_cancelled_by_name() {
    let machine = machine();
    machine.server.push(Reply::Silence);
    let url = machine.server.url();
    let (done, ()) = tokio::join!(machine.read(), async {
        while machine.server.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(machine.app.cancel_coder_reading(&url).unwrap());
    });
    assert!(matches!(done, Err(AppError::Cancelled)), "{done:?}");
    assert!(!machine.app.cancel_coder_reading(&url).unwrap());
}

#[test]
fn a_server_without_a_token_says_so() {
    let machine = machine();
    let url = machine.server.url();
    let saved = machine.app.save_coder_server(&url, None).unwrap();
    assert_eq!((saved.base_url, saved.key_state), (url, KeyState::Missing));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_that_was_saved_as_well_is_listed_once() {
    let machine = machine();
    let saved = machine.app.options().data_dir.join("coder-chat-saved.json");
    let old = server::saved(
        &chat(CHAT, "2026-06-01T08:00:30Z"),
        &[json!({"messages": messages(2)})],
    );
    std::fs::create_dir_all(saved.parent().unwrap()).unwrap();
    std::fs::write(&saved, old.to_string()).unwrap();
    machine
        .app
        .bring_up_to_date(&[saved.display().to_string()])
        .unwrap();
    assert_eq!(machine.listed().len(), 1);
    let now = chat(CHAT, "2026-06-01T08:01:00Z");
    machine.server.serve_chats(vec![(now, messages(5))], 200);
    machine.read().await.unwrap();
    let listed = machine.listed();
    assert_eq!((listed.len(), listed[0].1), (1, 5), "{listed:?}");
}

#[test]
fn a_server_has_an_address_and_forgets_its_chats() {
    let machine = machine();
    for wrong in ["", "ftp://x", "notaurl"] {
        assert!(
            machine.app.save_coder_server(wrong, None).is_err(),
            "{wrong}"
        );
    }
    // The same server in another spelling.
    let again = format!("{}/", machine.server.url());
    machine.app.save_coder_server(&again, None).unwrap();
    assert_eq!(machine.app.coder_servers().unwrap().len(), 1);
    machine.app.remove_coder_server(&again).unwrap();
    assert_eq!(machine.app.coder_servers().unwrap(), []);
    let unknown = machine.app.remove_coder_server("https://x.example");
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "there is no Coder server 'https://x.example'"
    );
}
