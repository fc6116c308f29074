//! What is checked before a plan runs: its cost by the catalog and by prices of the user, the limit
//! of the settings, and a prompt that nobody reads. Also labels of prompts and deleted experiments.

use super::Bench;
use crate::error::AppError;
use crate::lab::LabSpec;
use crate::prompts::PromptOrigin;
use crate::run::RunSpec;
use crate::setup::SettingsChange;
use crate::user_prices::UserPrices;
use palimpsest_llm::{ProviderKind, ProviderLimits};
use palimpsest_store::user::RunStatus;
use palimpsest_testkit::llm_server::TextReply;
use palimpsest_tokens::Prices;

/// A dollar for each million tokens read, ten for those written.
const PRICES: Prices = Prices {
    input: 1.0,
    output: 10.0,
    cache_read: 0.1,
    cache_write: 0.0,
};

fn set_limit(bench: &Bench, ask_above_usd: f64) {
    let change = SettingsChange {
        ask_above_usd: Some(ask_above_usd),
        ..SettingsChange::default()
    };
    bench.app.change_settings(change).unwrap();
}

fn set_price(bench: &Bench, model: &str, prices: Prices) {
    let prices = UserPrices([(model.to_owned(), prices)].into());
    bench.app.set_user_prices("mine", prices).unwrap();
}

fn spec(bench: &Bench) -> RunSpec {
    let mut spec = bench.spec("pi");
    spec.plan.model = Some("scripted-ok".to_owned());
    spec
}

#[tokio::test(flavor = "multi_thread")]
async fn a_price_of_the_user_counts_before_and_after_a_run() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let spec = spec(&bench);
    let unknown = bench.app.plan(&spec.plan).unwrap();
    assert_eq!(unknown.record.estimated_cost_usd, None);
    assert!(!unknown.record.user_prices);
    set_price(&bench, "another", PRICES);
    let unknown = bench.app.plan(&spec.plan).unwrap();
    assert_eq!(unknown.record.estimated_cost_usd, None);

    set_price(&bench, "scripted-ok", PRICES);
    let planned = bench.app.plan(&spec.plan).unwrap();
    let estimated = planned.record.estimated_cost_usd.unwrap();
    let input: u64 = planned
        .record
        .calls
        .iter()
        .map(|call| call.input_tokens)
        .sum();
    assert!(estimated > input as f64 / 1e6, "{estimated} {input}");
    assert!(planned.record.user_prices);
    assert!(planned.record.most_cost_usd.unwrap() >= estimated);
    let run = bench.app.compact(spec.clone()).await.unwrap();
    assert_eq!(run.row.status, RunStatus::Done, "{:?}", run.row.error);
    let usage = run.row.usage;
    let cost =
        (usage.input as f64 + 10.0 * usage.output as f64 + 0.1 * usage.cache_read as f64) / 1e6;
    assert!((usage.cost_usd.unwrap() - cost).abs() < 1e-12, "{usage:?}");
    assert!(bench.only_row().plan.user_prices);

    // One price for whatever the provider calls.
    set_price(
        &bench,
        "*",
        Prices {
            input: 2.0,
            ..PRICES
        },
    );
    let dearer = bench
        .app
        .plan(&spec.plan)
        .unwrap()
        .record
        .estimated_cost_usd;
    assert!(dearer.unwrap() > estimated);
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        let prices = UserPrices(
            [(
                "m".to_owned(),
                Prices {
                    input: wrong,
                    ..PRICES
                },
            )]
            .into(),
        );
        assert!(
            bench.app.set_user_prices("mine", prices).is_err(),
            "{wrong}"
        );
    }
    bench.app.remove_provider("mine").unwrap();
    assert_eq!(
        bench.app.user_prices("mine").unwrap(),
        UserPrices::default()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_above_the_limit_is_not_run() {
    let bench = Bench::new(ProviderKind::OpenAi);
    set_price(&bench, "scripted-ok", PRICES);
    let spec = spec(&bench);
    let most = bench
        .app
        .plan(&spec.plan)
        .unwrap()
        .record
        .most_cost_usd
        .unwrap();
    set_limit(&bench, most / 2.0);
    let refused = bench.app.compact(spec.clone()).await.unwrap_err();
    assert!(
        matches!(refused, AppError::AboveLimit { most_usd: Some(own), limit_usd } if own == most && limit_usd == most / 2.0),
        "{refused}"
    );
    assert_eq!(bench.server.requests().len(), 0);
    assert!(bench.app.runs(None).unwrap().is_empty());

    let agreed = RunSpec {
        above_limit: true,
        ..spec.clone()
    };
    let run = bench.app.compact(agreed).await.unwrap();
    assert_eq!(run.row.status, RunStatus::Done);
    set_limit(&bench, most);
    assert!(bench.app.compact(spec.clone()).await.is_ok());
    set_limit(&bench, 0.0);
    // What costs nothing is not above any limit.
    let mut offline = spec.clone();
    (offline.plan.provider, offline.plan.model) = (None, None);
    assert!(bench.app.compact(offline).await.is_ok());
    // A server on this machine without a price costs nothing.
    bench
        .app
        .set_user_prices("mine", UserPrices::default())
        .unwrap();
    assert!(bench.app.compact(spec.clone()).await.is_ok());
    set_price(&bench, "scripted-ok", PRICES);
    assert!(bench.app.compact(spec.clone()).await.is_err());
    set_limit(&bench, -1.0);
    assert_eq!(bench.app.settings().unwrap().ask_above_usd, None);
    assert!(bench.app.compact(spec).await.is_ok());
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_costs_is_unknown_until_it_is_entered() {
    let bench = Bench::new(ProviderKind::Command);
    bench.program(
        "cat > /dev/null; echo '## Goal'; echo 'Clock.'",
        ProviderLimits::default(),
    );
    set_limit(&bench, 1.0);
    let spec = bench.spec("pi");
    let refused = bench.app.compact(spec.clone()).await.unwrap_err();
    assert!(
        matches!(refused, AppError::AboveLimit { most_usd: None, .. }),
        "{refused}"
    );
    set_price(&bench, "*", PRICES);
    let planned = bench.app.plan(&spec.plan).unwrap();
    assert!(planned.record.user_prices);
    assert!(planned.record.most_cost_usd.unwrap() < 1.0);
    assert!(bench.app.compact(spec).await.is_ok());
}

fn experiment(bench: &Bench, more: &str) -> LabSpec {
    let session = &bench.session;
    let text = format!(
        "name = \"t\"\n[cuts]\nlist = [{{ session = \"{session}\", entry = \"leaf\" }}]\n\
         [[rows]]\nname = \"a\"\nstrategy = \"pi\"\nset = {{ keep_recent_tokens = 475 }}\n{more}\n"
    );
    LabSpec {
        experiment: bench.app.read_experiment(&text).unwrap(),
        stream: None,
        retry_failed: false,
        above_limit: false,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_experiment_above_the_limit_is_not_run_and_a_deleted_one_is_gone() {
    let bench = Bench::new(ProviderKind::OpenAi);
    set_price(&bench, "scripted-ok", PRICES);
    let spec = experiment(&bench, "provider = \"mine\"\nmodel = \"scripted-ok\"");
    let plan = bench.app.plan_lab(spec.experiment.clone()).unwrap();
    assert!(plan.user_prices);
    set_limit(&bench, plan.most_usd.unwrap() / 2.0);
    let refused = bench.app.run_lab(spec.clone()).await.unwrap_err();
    assert!(matches!(refused, AppError::AboveLimit { .. }), "{refused}");
    assert_eq!(bench.server.requests().len(), 0);
    assert!(bench.app.labs().unwrap().is_empty());
    let agreed = LabSpec {
        above_limit: true,
        ..spec
    };
    let done = bench.app.run_lab(agreed).await.unwrap();
    assert!(done.is_complete());
    let run = done.cells[0].run_id.clone().unwrap();
    // Nothing of it is left to pay for, so it is not above the limit.
    let rest = experiment(&bench, "provider = \"mine\"\nmodel = \"scripted-ok\"");
    assert!(bench.app.run_lab(rest).await.is_ok());

    bench.app.delete_lab("t").unwrap();
    assert!(bench.app.labs().unwrap().is_empty());
    assert!(
        bench
            .app
            .user_db()
            .unwrap()
            .lab_calls(&run)
            .unwrap()
            .is_empty()
    );
    assert!(bench.app.lab("t").is_err() && bench.app.delete_lab("t").is_err());
    // The run is listed with its session.
    assert_eq!(bench.only_row().row.id, run);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_nobody_reads_is_refused() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let mut spec = bench.spec("pi");
    spec.plan.provider = None;
    spec.plan.instructions = Some("Only the ports.".to_owned());
    assert!(bench.app.compact(spec.clone()).await.is_ok());
    spec.plan.replace_prompt = true;
    // The plan shows what a model would be sent.
    assert!(bench.app.plan(&spec.plan).unwrap().plan.is_some());
    let refused = bench.app.compact(spec.clone()).await.unwrap_err();
    assert!(matches!(refused, AppError::Usage(_)), "{refused}");
    spec.plan.provider = Some("mine".to_owned());
    spec.plan.model = Some("scripted-ok".to_owned());
    bench
        .server
        .push(TextReply::new(&["## Goal\nPorts are 1 and 2."]));
    assert!(bench.app.compact(spec).await.is_ok());
    let more = "instructions = \"Only the ports.\"\nreplace_prompt = true";
    let row = experiment(&bench, more);
    let refused = bench.app.plan_lab(row.experiment).unwrap_err().to_string();
    assert!(refused.contains("the row 'a'"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_and_labeled_prompt_keeps_its_runs() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let origin = PromptOrigin {
        strategy: Some("pi".to_owned()),
        place: Some("system".to_owned()),
        source: None,
    };
    bench
        .app
        .save_prompt("clerk", "You are a clerk.", &origin)
        .unwrap();
    let mut spec = spec(&bench);
    spec.plan.prompts = [("system".to_owned(), "clerk".to_owned())].into();
    bench.app.compact(spec.clone()).await.unwrap();
    let labeled = bench.app.label_prompt("clerk@1", " baseline ").unwrap();
    assert_eq!(labeled.label.as_deref(), Some("baseline"));
    bench.app.rename_prompt("clerk", "writer").unwrap();
    let run = bench.only_row();
    let used = run
        .plan
        .prompts
        .iter()
        .find(|own| own.place == "system")
        .unwrap();
    assert_eq!(
        (used.name.as_deref(), used.version),
        (Some("writer"), Some(1))
    );
    assert_eq!(used.label.as_deref(), Some("baseline"));
    let settings = crate::run::settings_of(&bench.app.run_named(&run.row.id).unwrap());
    let prompt = settings
        .iter()
        .find(|own| own.key == "prompts.system")
        .unwrap();
    assert_eq!(prompt.value, "writer@1 (baseline)");
    let score = &bench.app.prompt_scores().unwrap()[0];
    assert_eq!(
        (score.hash.as_str(), score.done),
        (labeled.content_hash.as_str(), 1)
    );
    // Two prompts with one text: the one that the run named counts.
    bench
        .app
        .save_prompt("a copy", "You are a clerk.", &origin)
        .unwrap();
    assert_eq!(bench.only_row().plan.prompts, run.plan.prompts);
    // One of the next version is another.
    bench
        .app
        .save_prompt("writer", "You write.", &origin)
        .unwrap();
    assert_eq!(bench.app.prompt("writer").unwrap().label, None);
    assert_eq!(bench.app.label_prompt("writer@1", " ").unwrap().label, None);
    for wrong in ["x".repeat(41).as_str(), "a\nb"] {
        assert!(bench.app.label_prompt("writer", wrong).is_err());
    }
    assert!(bench.app.label_prompt("writer@9", "x").is_err());
}
