//! Lists of models.

use crate::harness::{KEY, KINDS, Story, for_every_kind};
use palimpsest_llm::{ApiKey, CancellationToken, ProviderConfig, ProviderKind, list_models};
use palimpsest_testkit::llm_server::Reply;

for_every_kind!(models_are_listed_with_the_configured_ones,);

async fn models_are_listed_with_the_configured_ones(kind: ProviderKind) {
    let story = Story::new(kind);
    let mut config = story.config();
    config.models = vec!["mine".to_owned(), "scripted-ok".to_owned()];
    let cancel = CancellationToken::new();
    let models = list_models(&config, ApiKey::new(KEY), &cancel)
        .await
        .unwrap();
    let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
    assert!(
        ids.contains(&"mine") && ids.contains(&"scripted-429"),
        "{kind:?}: {ids:?}"
    );
    assert!(ids.is_sorted() && ids.iter().filter(|id| **id == "scripted-ok").count() == 1);
    let version = match kind {
        ProviderKind::Gemini => "/v1beta/models?",
        _ => "/v1/models",
    };
    assert!(story.server.requests()[0].path.starts_with(version));
}

#[tokio::test]
async fn windows_are_read_where_servers_tell_them() {
    let story = Story::new(KINDS[0]);
    let body = r#"{"data":[{"id":"a","context_length":1},{"id":"b","max_model_len":2},
        {"id":"c","meta":{"n_ctx_train":3}},{"id":"d"},{"no":"id"}]}"#;
    story.server.push(Reply::raw(200, "application/json", body));
    let models = list_models(&story.config(), None, &CancellationToken::new())
        .await
        .unwrap();
    let windows: Vec<_> = models.iter().map(|model| model.context_window).collect();
    assert_eq!(windows, [Some(1), Some(2), Some(3), None]);
}

#[tokio::test]
async fn a_list_that_is_none_is_said_so() {
    for (reply, code) in [
        (Reply::html(), "web_page"),
        (Reply::raw(200, "application/json", "{}"), "malformed"),
        (
            Reply::error(401, "authentication_error", "No."),
            "unauthorized",
        ),
    ] {
        let story = Story::new(KINDS[0]);
        story.server.push(reply);
        let error = list_models(&story.config(), None, &CancellationToken::new()).await;
        assert_eq!(error.unwrap_err().code(), code);
    }
}

#[tokio::test]
async fn the_offline_provider_has_only_its_own() {
    let mut offline = ProviderConfig::preset("offline").unwrap();
    offline.models = vec!["extractive".to_owned()];
    let models = list_models(&offline, None, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(models.len(), 1);
}
