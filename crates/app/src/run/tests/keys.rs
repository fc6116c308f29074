//! Keys go where they were set up for.

use super::Bench;
use crate::error::AppError;
use palimpsest_core::failure::{Failure as _, NextStep};
use palimpsest_llm::{ProviderConfig, ProviderKind};
use palimpsest_testkit::llm_server::TextReply;

const OPENAI: &str = "OPENAI_API_KEY";

/// A bench whose environment has a key and another secret.
fn bench(is_restricted: bool) -> Bench {
    Bench::with(ProviderKind::OpenAi, |options| {
        options.only_known_programs = is_restricted;
        for (name, secret) in [(OPENAI, "sk-own"), ("DATABASE_PASSWORD", "hunter2")] {
            options
                .places
                .env
                .insert(name.to_owned(), secret.to_owned());
        }
    })
}

fn with_key(name: &str, variable: &str, base_url: &str) -> ProviderConfig {
    ProviderConfig {
        key_env: Some(variable.to_owned()),
        models: vec!["scripted-ok".to_owned()],
        ..ProviderConfig::at(name, ProviderKind::OpenAi, base_url)
    }
}

fn without_key(name: &str, base_url: &str) -> ProviderConfig {
    ProviderConfig {
        key_env: None,
        ..ProviderConfig::at(name, ProviderKind::OpenAi, base_url)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_only_holds_a_token_sends_no_key_elsewhere() {
    let bench = bench(true);
    let url = bench.server.url();
    let refused = |result: Result<(), AppError>| {
        let error = result.unwrap_err();
        assert_eq!(error.next(), Some(NextStep::SetUpKeyAtMachine), "{error}");
        assert!(!error.to_string().contains("sk-own"), "{error}");
    };
    // Any variable as a key, the key of another address, and a known name at another address.
    refused(
        bench
            .app
            .save_provider(with_key("x", "DATABASE_PASSWORD", &url)),
    );
    refused(bench.app.save_provider(with_key("x", OPENAI, &url)));
    refused(bench.app.save_provider(with_key("openai", OPENAI, &url)));
    refused(bench.app.save_provider(without_key("openai", &url)));
    let mut spec = bench.spec("pi");
    spec.plan.provider = Some("openai".to_owned());
    spec.plan.base_url = Some(url);
    spec.plan.model = Some("scripted-ok".to_owned());
    refused(bench.app.compact(spec).await.map(drop));
    assert!(bench.server.requests().is_empty());
    // What the key was set up for stays usable, limits and models may change.
    let own = with_key("openai", OPENAI, "https://api.openai.com/v1/");
    bench.app.save_provider(own).unwrap();
    bench.app.remove_provider("openai").unwrap();
    bench
        .app
        .save_provider(without_key("another", &bench.server.url()))
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sits_at_the_machine_may_send_a_key_anywhere() {
    let bench = bench(false);
    let url = bench.server.url();
    bench
        .app
        .save_provider(with_key("x", OPENAI, &url))
        .unwrap();
    bench.server.push(TextReply::new(&["## Goal\nkept"]));
    let mut spec = bench.spec("pi");
    spec.plan.provider = Some("x".to_owned());
    let run = bench.app.compact(spec).await.unwrap();
    assert_eq!(run.row.summary.as_deref(), Some("## Goal\nkept"));
    assert_eq!(bench.server.requests().len(), 1);
}
