//! The catalog as users meet it.

use super::*;

fn with_file(text: &str) -> Result<Catalog, CatalogError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("models.json");
    fs::write(&path, text).unwrap();
    Catalog::with_user_file(&path)
}

#[test]
fn the_embedded_catalog_is_complete_and_has_no_model_twice() {
    let catalog = Catalog::embedded();
    assert!(catalog.models().len() >= 40);
    let mut seen = std::collections::HashSet::new();
    for model in catalog.models() {
        assert!(
            seen.insert((&model.provider, &model.id)),
            "{} is listed twice",
            model.id
        );
        assert!(!model.source.is_empty(), "{} has no source", model.id);
        let found = catalog.find(Some(&model.provider), &model.id).unwrap();
        assert_eq!((&found.provider, &found.id), (&model.provider, &model.id));
    }
}

#[test]
fn finds_a_model_under_the_names_sessions_use() {
    let catalog = Catalog::embedded();
    let id = |provider: Option<&str>, model: &str| {
        catalog.find(provider, model).map(|found| found.id.clone())
    };
    for name in [
        "claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4.5",
        "anthropic/claude-sonnet-4.5:thinking",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-sonnet-4-5@20250929",
        "Claude-Sonnet-4-5-latest",
    ] {
        assert_eq!(
            id(Some("anthropic"), name).as_deref(),
            Some("claude-sonnet-4-5"),
            "{name}"
        );
    }
    assert_eq!(
        id(None, "openai/gpt-5-2025-08-07").as_deref(),
        Some("gpt-5")
    );
    assert_eq!(
        id(Some("my-proxy"), "gpt-5-mini").as_deref(),
        Some("gpt-5-mini")
    );
}

#[test]
fn a_model_nobody_knows_has_no_window() {
    let catalog = Catalog::embedded();
    assert_eq!(catalog.find(Some("anthropic"), "claude-nonesuch-9"), None);
    assert_eq!(catalog.find(None, ""), None);
}

#[test]
fn a_users_file_adds_and_overrides() {
    let catalog = with_file(
        r#"{"models": [
            {"provider": "anthropic", "id": "claude-sonnet-4-5", "context_window": 1000000},
            {"provider": "home", "id": "llama-local", "context_window": 32768, "aliases": ["llama-*"]}
        ]}"#,
    )
    .unwrap();
    let known = catalog
        .find(Some("anthropic"), "claude-sonnet-4-5")
        .unwrap();
    assert_eq!(known.context_window, 1_000_000);
    assert!(known.prices.is_some(), "what the file does not name stays");
    assert_eq!(
        catalog.find(None, "llama-local-q4").unwrap().context_window,
        32_768
    );
    assert_eq!(
        catalog.models().len(),
        Catalog::embedded().models().len() + 1
    );
}

#[test]
fn a_missing_users_file_adds_nothing() {
    let catalog = Catalog::with_user_file(Path::new("/nonexistent/models.json")).unwrap();
    assert_eq!(catalog.models().len(), Catalog::embedded().models().len());
}

#[test]
fn a_bad_users_file_is_named_with_its_line_and_what_to_do() {
    let cases = [
        ("{\"models\": [\n", 2, "the JSON ends too early"),
        (
            "{\"models\": [\n {\"provider\":\"a\",\"id\":\"b\",\"window\":5}]}",
            2,
            "the key 'window' does not exist",
        ),
        (
            "{\"models\": [\n\n {\"provider\":\"a\",\"id\":\"b\",\"context_window\":0}]}",
            3,
            "1 or more",
        ),
        (
            "{\"models\": [\n {\"provider\":\"a\",\"id\":\"b\"}]}",
            2,
            "has no context_window",
        ),
    ];
    for (text, line, reason) in cases {
        let error = with_file(text).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("models.json"), "{message}");
        assert!(message.contains(&format!("line {line} (")), "{message}");
        assert!(message.contains(reason), "{message}");
        assert_eq!(error.next(), Some(NextStep::CorrectFile), "{message}");
    }
}
