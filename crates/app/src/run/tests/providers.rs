//! Every kind of provider, down to the row that is kept.

use super::{Bench, CAME};
use palimpsest_llm::{ProviderConfig, ProviderKind, ProviderLimits};
use palimpsest_store::user::RunStatus;
use palimpsest_testkit::llm_server::{Ending, Reply as Scripted, Stop, TextReply};
use serde_json::json;
use std::sync::Arc;

const HTTP: [ProviderKind; 4] = [
    ProviderKind::OpenAi,
    ProviderKind::Responses,
    ProviderKind::Anthropic,
    ProviderKind::Gemini,
];

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_kept_and_replayed_byte_for_byte() {
    for kind in HTTP {
        let bench = Bench::new(kind);
        let chunks = ["## Goal\n", "caf\u{e9} ", "done  \n"];
        for _ in 0..2 {
            bench.server.push(TextReply::new(&chunks).split_bytes(3));
        }
        let run = bench.run("pi").await;
        assert_eq!(
            run.row.status,
            RunStatus::Done,
            "{kind:?} {:?}",
            run.row.error
        );
        assert_eq!(run, bench.only_row());
        assert!(run.row.usage.output > 0 && run.row.usage.cost_usd.is_none());
        let replayed = bench.app.replay(&run.row.id).unwrap();
        assert!(replayed.same, "{kind:?}: {replayed:?}");
        assert_eq!(Some(replayed.summary), run.row.summary);
        assert_eq!(replayed.same_prompts, Some(true), "{kind:?}");
        assert!(!replayed.adapted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn overflow_recovers_as_the_preset_says_and_is_replayed() {
    for kind in HTTP {
        let bench = Bench::new(kind);
        for _ in 0..2 {
            bench
                .server
                .push(Scripted::error(400, "context_length_exceeded", "Too long."));
        }
        bench.server.push(TextReply::new(&["## Goal\nsmaller"]));
        let mut spec = bench.spec("codex");
        let form = ("request".to_owned(), json!("transcript"));
        spec.plan.set.extend([form]);
        let run = bench.app.compact(spec).await.unwrap();
        assert_eq!(
            run.row.status,
            RunStatus::Done,
            "{kind:?} {:?}",
            run.row.error
        );
        let sent = bench.server.requests();
        assert_eq!(sent.len(), 3, "{kind:?}");
        assert!(sent[2].prompt().len() < sent[0].prompt().len());
        let kept = bench.only_row();
        let adapted = kept.details.adapted.as_ref().unwrap();
        assert!(
            sent[2].prompt().contains(&adapted[0].prompt),
            "the calls are kept as they were made"
        );
        let replayed = bench.app.replay(&kept.row.id).unwrap();
        assert!(replayed.same && replayed.adapted, "{kind:?}: {replayed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_made_again_is_replayed_from_the_reply_that_was_used() {
    for kind in HTTP {
        let bench = Bench::new(kind);
        // LangChain asks three times in all.
        for refused in ["half", "less"] {
            let reply = TextReply::new(&[refused]).stop(Stop::Refusal);
            bench.server.push(reply);
        }
        bench.server.push(TextReply::new(&["whole"]));
        let run = bench.run("langchain").await;
        assert_eq!(
            run.row.status,
            RunStatus::Done,
            "{kind:?} {:?}",
            run.row.error
        );
        let made: Vec<(&str, bool)> = run
            .calls
            .iter()
            .map(|call| (call.reply.as_str(), call.superseded))
            .collect();
        let wanted = [("half", true), ("less", true), ("whole", false)];
        assert_eq!(made, wanted, "{kind:?}");
        let replayed = bench.app.replay(&run.row.id).unwrap();
        assert!(replayed.same, "{kind:?}: {replayed:?}");
        assert_eq!(replayed.calls, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fallback_is_kept_with_its_own_cut_and_replayed() {
    let bench = Bench::new(ProviderKind::OpenAi);
    // Copilot Chat: a reply that was cut off gives way to the plain text.
    bench
        .server
        .push(TextReply::new(&["half"]).stop(Stop::Length));
    bench.server.push(TextReply::new(&["whole"]));
    let run = bench.run("copilot-chat").await;
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    assert_eq!(run.row.summary.as_deref(), Some("whole"));
    let made: Vec<(&str, bool)> = run
        .calls
        .iter()
        .map(|call| (call.reply.as_str(), call.superseded))
        .collect();
    assert_eq!(made, [("half", true), ("whole", false)]);
    assert!(run.row.usage.output >= run.calls[1].usage.output);
    let [attempt] = run.details.attempts.as_slice() else {
        panic!("{:?}", run.details.attempts);
    };
    assert!(attempt.reason.contains("incomplete"), "{attempt:?}");
    assert_eq!(run.plan.fallbacks.len(), 1, "the plan told of it");
    let replayed = bench.app.replay(&run.row.id).unwrap();
    assert!(replayed.same && replayed.adapted, "{replayed:?}");
    assert_eq!((replayed.calls, replayed.same_prompts), (1, Some(true)));
    bench.forget();
    // Roo: half of the messages goes, so another part stays than was planned.
    bench
        .server
        .push(Scripted::error(400, "context_length_exceeded", "Too long."));
    let run = bench.run("roo").await;
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    assert_eq!((run.row.strategy.as_str(), run.calls.len()), ("roo", 0));
    assert!(!run.plan.kept_ids.is_empty() && run.plan.first_kept_id.is_some());
    let replayed = bench.app.replay(&run.row.id).unwrap();
    assert!(replayed.same, "{replayed:?}");
    assert_eq!(replayed.same_prompts, Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_run_leaves_one_whole_row_with_what_came() {
    for kind in HTTP {
        let bench = Bench::new(kind);
        bench
            .server
            .push(TextReply::new(&[CAME]).ending(Ending::Stalled));
        let run = bench.run("pi").await;
        assert_eq!(run.row.status, RunStatus::Cancelled, "{kind:?}");
        let kept = bench.only_row();
        assert_eq!(run, kept);
        assert_eq!(kept.row.summary.as_deref(), Some(CAME));
        assert_eq!(kept.partial(), Some(CAME));
        let error = kept.row.error.as_deref().unwrap();
        assert!(error.contains("its partial output is kept"), "{error}");
        assert!(kept.row.finished_at_ms.is_some() && kept.details.recipe.is_none());
        let error = bench.app.replay(&kept.row.id).unwrap_err().to_string();
        assert!(error.contains("no complete summary"), "{error}");
    }
}

/// What can come instead of a summary.
#[derive(Debug, Clone, Copy)]
enum Instead {
    TooManyRequests,
    Overflow,
    Silence,
    Truncated,
    Empty,
    Refusal,
    ToolCall,
}

impl Instead {
    const ALL: [Instead; 7] = [
        Instead::TooManyRequests,
        Instead::Overflow,
        Instead::Silence,
        Instead::Truncated,
        Instead::Empty,
        Instead::Refusal,
        Instead::ToolCall,
    ];

    /// As a server says it.
    fn reply(self) -> Scripted {
        let half = TextReply::new(&["half"]);
        match self {
            Instead::TooManyRequests => Scripted::rate_limited("0"),
            Instead::Overflow => Scripted::error(400, "context_length_exceeded", "Too long."),
            Instead::Silence => half.ending(Ending::Stalled).into(),
            Instead::Truncated => half.stop(Stop::Length).into(),
            Instead::Empty => TextReply::new(&[]).into(),
            Instead::Refusal => half.stop(Stop::Refusal).into(),
            Instead::ToolCall => half.stop(Stop::ToolCall).into(),
        }
    }

    /// As a program says it.
    fn script(self) -> String {
        let (text, statement) = match self {
            Instead::TooManyRequests => ("", r#"{"error":{"kind":"rate_limited"}}"#),
            Instead::Overflow => ("", r#"{"error":{"kind":"overflow"}}"#),
            Instead::Silence => return "printf half; sleep 600".to_owned(),
            Instead::Truncated => ("half", r#"{"stop":"length"}"#),
            Instead::Empty => return "exit 0".to_owned(),
            Instead::Refusal => ("half", r#"{"stop":"refusal"}"#),
            Instead::ToolCall => ("half", r#"{"stop":"tool_call"}"#),
        };
        format!("printf '{text}'; echo '{{\"palimpsest\":{statement}}}' >&2")
    }

    /// Words of the error, the text that is kept, and why the reply ended where there was one.
    fn expected(
        self,
        kind: ProviderKind,
    ) -> (&'static str, Option<&'static str>, Option<&'static str>) {
        let silence = match kind {
            ProviderKind::Command => "the program has printed nothing for 1 s",
            _ => "the server has sent nothing for 1 s",
        };
        match self {
            Instead::TooManyRequests => ("rate limit", None, None),
            Instead::Overflow => ("does not fit", None, None),
            Instead::Silence => (silence, Some("half"), None),
            Instead::Truncated => ("incomplete", Some("half"), Some("length")),
            Instead::Empty => ("no text", None, Some("stop")),
            Instead::Refusal => ("refused", Some("half"), Some("refusal")),
            Instead::ToolCall => ("called a tool", Some("half"), Some("tool_call")),
        }
    }
}

async fn comes_to_a_failed_row(kind: ProviderKind, instead: Instead) {
    let bench = Bench::new(kind);
    // Too many requests and silence follow the provider's own limits.
    let limits = ProviderLimits {
        silence_s: Some(1),
        max_retries: Some(0),
        ..ProviderLimits::default()
    };
    match kind {
        ProviderKind::Command => bench.program(&instead.script(), limits),
        _ => {
            bench.set_up(kind, limits);
            bench.server.push(instead.reply());
        }
    }
    let run = bench.run("pi").await;
    let what = format!("{kind:?} {instead:?}");
    assert_eq!(run.plan.calls.len(), 1, "{what}");
    let kept = bench.only_row();
    assert_eq!(run, kept, "{what}");
    assert_eq!(kept.row.status, RunStatus::Failed, "{what}");
    let (word, text, stop) = instead.expected(kind);
    let error = kept.row.error.unwrap();
    assert!(error.contains(word), "{what}: {error}");
    assert_eq!(kept.row.summary.as_deref(), text, "{what}");
    let stops: Vec<&str> = kept.calls.iter().map(|call| &*call.stop_reason).collect();
    assert_eq!(stops, Vec::from_iter(stop), "{what}");
    assert!(kept.row.finished_at_ms.is_some() && kept.details.recipe.is_none());
    assert!(
        bench.tries.lock().unwrap().is_empty(),
        "{what} was repeated"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_instead_of_a_summary_is_kept_as_failed() {
    let kinds = ProviderKind::CALLED.into_iter();
    let kinds = kinds.filter(|kind| cfg!(unix) || *kind != ProviderKind::Command);
    let cases = kinds.flat_map(|kind| Instead::ALL.map(|instead| (kind, instead)));
    // All at once: each that falls silent is waited for a second.
    let stories = cases.map(|(kind, instead)| tokio::spawn(comes_to_a_failed_row(kind, instead)));
    for story in futures::future::join_all(stories).await {
        story.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_made_again_is_one_call_of_the_run() {
    for kind in ProviderKind::CALLED {
        let bench = Bench::new(kind);
        if kind == ProviderKind::Command {
            let again = r#"if [ -e seen ]; then printf done; else touch seen
                echo '{"palimpsest":{"error":{"kind":"rate_limited","retry_after_s":0}}}' >&2; fi"#;
            bench.program(again, ProviderLimits::default());
        } else {
            bench.server.push(Scripted::rate_limited("0"));
        }
        let run = bench.run("pi").await;
        assert_eq!(
            run.row.status,
            RunStatus::Done,
            "{kind:?} {:?}",
            run.row.error
        );
        assert_eq!(run.calls.len(), 1, "{kind:?}");
        assert_eq!(run.calls[0].retries, 1, "{kind:?}");
        assert_eq!(*bench.tries.lock().unwrap(), [0], "{kind:?}");
    }
}

#[test]
fn all_runs_share_the_places_of_a_provider() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let gate = |most| {
        let limits = ProviderLimits {
            max_concurrent: most,
            ..ProviderLimits::default()
        };
        bench.set_up(ProviderKind::OpenAi, limits);
        let config = bench.app.provider("mine").unwrap().config;
        bench.app.gate(&config)
    };
    assert!(gate(None).is_none());
    let (one, same, two) = (gate(Some(1)), gate(Some(1)), gate(Some(2)));
    assert!(Arc::ptr_eq(&one.unwrap(), &same.unwrap()));
    assert_eq!(two.unwrap().available_permits(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_on_this_machine_are_found_when_asked_for() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let found = bench.app.local_servers().await.unwrap();
    let mine = found.iter().find(|server| server.name == "mine").unwrap();
    assert!(mine.models.contains(&"scripted-429".to_owned()));
    assert_eq!(mine.base_url, bench.server.url());
}

#[test]
fn prices_and_models_of_the_new_kinds_are_known() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let known = |name: &str| bench.app.provider(name).unwrap().config;
    for (name, catalog) in [("gemini", "google"), ("openai-responses", "openai")] {
        let config = known(name);
        let model = config.models.first().unwrap();
        let listed = bench.app.catalog().find(Some(catalog), model).unwrap();
        assert_eq!(listed.provider, catalog);
        assert!(listed.prices.is_some(), "{name} {model}");
        assert_eq!(bench.app.prices(&config, model), listed.prices);
    }
    let program = ProviderConfig::program("mine", &["summarize"]);
    assert_eq!(bench.app.prices(&program, "gpt-5"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temperature_is_kept_and_left_out_where_the_model_takes_none() {
    let refusal = || {
        Scripted::error(
            400,
            "unsupported_value",
            "temperature: only 1 is supported.",
        )
    };
    let in_body = |seen: &palimpsest_testkit::llm_server::SeenRequest| {
        seen.body.to_string().contains("\"temperature\":0.0")
    };
    for kind in HTTP {
        for refuses in [false, true] {
            let bench = Bench::new(kind);
            if refuses {
                bench.server.push(refusal());
            }
            bench.server.push(TextReply::new(&["<summary>S</summary>"]));
            let run = bench.run("copilot-chat").await;
            assert_eq!(run.row.summary.as_deref(), Some("S"), "{kind:?}");
            assert_eq!(run.plan.calls[0].temperature, Some(0.0));
            assert_eq!(run.calls[0].retries, u32::from(refuses));
            let sent: Vec<bool> = bench.server.requests().iter().map(in_body).collect();
            assert_eq!(
                sent,
                if refuses {
                    vec![true, false]
                } else {
                    vec![true]
                }
            );
            assert!(bench.app.replay(&run.row.id).unwrap().same);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weaker_model_is_asked_first_and_paid_at_its_own_price() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let mut spec = bench.spec("aider");
    spec.plan.model = Some("gpt-5".to_owned());
    let set = json!({ "history_limit_tokens": 500, "weak_model": "gpt-5-mini" });
    spec.plan.set = super::object(set);
    let planned = bench.app.plan(&spec.plan).unwrap();
    let said = &planned.record.destination;
    assert!(said.ends_with(" for the model gpt-5. The model gpt-5-mini is called first."));
    bench
        .server
        .push(TextReply::new(&["no"]).stop(Stop::Refusal));
    bench.server.push(TextReply::new(&["by the main one"]));
    let run = bench.app.compact(spec.clone()).await.unwrap();
    assert_eq!(run.row.summary.as_deref(), Some("by the main one"));
    let sent = bench.server.requests();
    let models: Vec<&str> = sent.iter().map(|request| request.model()).collect();
    assert_eq!(models, ["gpt-5-mini", "gpt-5"]);
    assert_eq!(sent[0].prompt(), sent[1].prompt());
    let made: Vec<_> = run
        .calls
        .iter()
        .map(|call| (call.model.as_deref(), call.superseded))
        .collect();
    assert_eq!(made, [(Some("gpt-5-mini"), true), (None, false)]);
    assert!(bench.app.replay(&run.row.id).unwrap().same);
    // The weaker model alone costs a fifth of the main one, before as after.
    let price = |weak: &str| {
        let mut spec = spec.clone();
        let weak = json!({ "history_limit_tokens": 500, "weak_model": weak });
        spec.plan.set = super::object(weak);
        let planned = bench.app.plan(&spec.plan).unwrap();
        planned.record.estimated_cost_usd
    };
    let (small, large) = (price("gpt-5-mini"), price(""));
    if let (Some(small), Some(large)) = (small, large) {
        assert!((small * 5.0 - large).abs() < 1e-9, "{small} {large}");
    } else {
        panic!("no price");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_messages_of_the_session_are_sent_as_such() {
    let bench = Bench::new(ProviderKind::Anthropic);
    let too_long = Scripted::error(400, "context_length_exceeded", "Too long.");
    bench.server.push(too_long);
    bench.server.push(TextReply::new(&["Done so far."]));
    let run = bench.run("codex").await;
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    let sent = bench.server.requests();
    // The oldest message is left out of the second.
    let sizes: Vec<usize> = sent.iter().map(|own| own.body.to_string().len()).collect();
    assert!(sizes.len() == 2 && sizes[1] < sizes[0], "{sizes:?}");
    let messages = sent[0].body["messages"].as_array().unwrap();
    let roles = messages.iter().map(|own| own["role"].as_str().unwrap());
    let roles: Vec<&str> = roles.collect();
    assert!(roles.len() > 2 && roles.ends_with(&["user"]), "{roles:?}");
    assert!(roles.windows(2).all(|two| two[0] != two[1]), "{roles:?}");
    let last = messages.last().unwrap()["content"].as_array().unwrap();
    let request = last.last().unwrap()["text"].as_str().unwrap();
    assert!(request.starts_with("The context is full."), "{request}");
    assert!(run.plan.calls[0].messages.len() > 2);
    let replayed = bench.app.replay(&run.row.id).unwrap();
    assert!(replayed.same, "{replayed:?}");
    assert_eq!(replayed.same_prompts, Some(true));
    // What was recorded before there was this form is planned in the other.
    let mut before = run.plan.params.clone();
    before.remove("request");
    let preset = palimpsest_compaction::Preset::known("codex").unwrap();
    assert_eq!(preset.as_recorded(&before)["request"], "transcript");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_last_attempt_of_a_call_is_what_came() {
    let bench = Bench::new(ProviderKind::OpenAi);
    // Refused for its limit, then broken off: both are attempts of the one call.
    let cut = TextReply::new(&["first half"]).stop(Stop::Length);
    bench.server.push(cut);
    bench
        .server
        .push(TextReply::new(&["second half"]).ending(Ending::Stalled));
    bench.set_up(
        ProviderKind::OpenAi,
        ProviderLimits {
            silence_s: Some(1),
            max_retries: Some(0),
            ..ProviderLimits::default()
        },
    );
    let mut spec = bench.spec("pi");
    spec.plan.set.insert("attempts".to_owned(), json!(2));
    let run = bench.app.compact(spec).await.unwrap();
    assert_eq!(run.row.status, RunStatus::Failed, "{:?}", run.row.error);
    assert_eq!(run.row.summary.as_deref(), Some("second half"));
    let superseded: Vec<bool> = run.calls.iter().map(|call| call.superseded).collect();
    assert_eq!(superseded, [true], "the refused reply is kept as such");
}
