//! Plans by vectors, against the scripted server and a file.

use super::*;
use crate::options::Options;
use crate::run::{PlanSpec, Planned};
use palimpsest_formats::Places;
use palimpsest_llm::{ProviderConfig, ProviderKind};
use palimpsest_testkit::llm_server::{LlmServer, Reply as ServerReply};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::json;

struct Desk {
    _dir: tempfile::TempDir,
    app: Arc<App>,
    session: String,
}

/// A program with a session about gears and doors; `server` is its provider `scripted`.
fn desk(server: Option<&LlmServer>) -> Desk {
    let dir = tempfile::tempdir().unwrap();
    let mut session = PiSession::new();
    session.user("Begin with the gears.");
    session.assistant(Reply::new().text("The gears have teeth."));
    session.assistant(Reply::new().text("The doors are blue."));
    session.user("How many teeth have the gears?");
    session.assistant(Reply::new().text("Let me count."));
    let path = dir.path().join("session.jsonl");
    std::fs::write(&path, session.to_jsonl()).unwrap();
    let places = Places {
        home: dir.path().to_path_buf(),
        env: Default::default(),
    };
    let options = Options {
        data_dir: dir.path().join("data"),
        places,
        samples_only: false,
        programs_in: None,
        only_known_programs: false,
    };
    let app = App::start(options, Arc::new(|_| {})).unwrap();
    if let Some(server) = server {
        let config = ProviderConfig::at("scripted", ProviderKind::OpenAi, &server.url());
        app.save_provider(ProviderConfig {
            key_env: None,
            ..config
        })
        .unwrap();
    }
    Desk {
        _dir: dir,
        app,
        session: path.display().to_string(),
    }
}

impl Desk {
    fn spec(&self, embeddings: &str) -> PlanSpec {
        let set = json!({
            "relevance": "embedding", "recency_weight": 0, "importance_weight": 0,
            "top_exchanges": 1,
        });
        PlanSpec {
            session: self.session.clone(),
            strategy: Some("memory-stream".into()),
            set: set.as_object().cloned().unwrap(),
            embeddings: Some(embeddings.to_owned()),
            ..PlanSpec::default()
        }
    }

    async fn plan(&self, spec: &PlanSpec) -> Result<Planned> {
        let cancel = CancellationToken::new();
        self.app.plan_with_vectors(spec, &cancel).await
    }
}

fn kept(planned: &Planned) -> usize {
    planned.record.kept_ids.len()
}

#[tokio::test]
async fn a_model_is_asked_once_for_each_text() {
    let server = LlmServer::start().unwrap();
    let desk = desk(Some(&server));
    let spec = desk.spec("scripted:vectors-1");
    server.push(ServerReply::rate_limited("0"));
    let planned = desk.plan(&spec).await.unwrap();
    assert_eq!(kept(&planned), 3, "the last two and the one about gears");
    let seen = server.requests();
    assert_eq!(seen.len(), 2, "refused once, then answered");
    assert!(seen[1].path.ends_with("/embeddings"));
    assert_eq!(seen[1].model(), "vectors-1");
    let said = &planned.record.destination;
    assert!(
        said.starts_with("The summary is written on this machine. The plan sends the 5 texts"),
        "{said}"
    );
    assert!(
        said.contains(&server.url()) && said.contains("vectors-1"),
        "{said}"
    );
    // Now all is known, also to a plan that cannot wait.
    let again = desk.app.plan(&spec).unwrap();
    assert_eq!(again.plan, planned.plan);
    assert_eq!(server.requests().len(), 2);
    // What is new is sent, and nothing else.
    let more = PlanSpec {
        instructions: Some("Mind the doors.".into()),
        ..spec.clone()
    };
    assert!(desk.app.plan(&more).is_err(), "a text is not known yet");
    desk.plan(&more).await.unwrap();
    let last = server.requests().pop().unwrap();
    assert_eq!(last.body["input"], json!(["Mind the doors."]));
    // A plan that compares words sends nothing.
    let words = PlanSpec {
        set: Default::default(),
        ..spec
    };
    desk.plan(&words).await.unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn what_a_model_gives_is_looked_at() {
    let server = LlmServer::start().unwrap();
    let desk = desk(Some(&server));
    let spec = desk.spec("scripted:vectors-1");
    let list = |vectors: &[&[f32]]| {
        let data = vectors.iter().map(|own| json!({"embedding": own}));
        let body = json!({"data": data.collect::<Vec<_>>()});
        ServerReply::raw(200, "application/json", body.to_string())
    };
    let row: &[f32] = &[1.0, 0.0];
    for (vectors, why) in [
        (vec![row; 4], "text 5 of 5 has no vector"),
        (
            vec![row, row, row, row, &[1.0]],
            "vectors of 2 and 1 numbers",
        ),
    ] {
        server.push(list(&vectors));
        let error = desk.plan(&spec).await.err().unwrap().to_string();
        assert!(error.contains(why) && error.contains("scripted"), "{error}");
    }
    // Nothing of it was kept.
    server.push(list(&[row; 5]));
    desk.plan(&spec).await.unwrap();
    // The model behind the name has changed: all texts are sent again.
    let more = PlanSpec {
        instructions: Some("Mind the doors.".into()),
        ..spec.clone()
    };
    desk.plan(&more).await.unwrap();
    let last = server.requests().pop().unwrap();
    assert_eq!(last.body["input"].as_array().unwrap().len(), 6);
    desk.app.plan(&more).unwrap();
}

#[tokio::test]
async fn a_cancelled_plan_asks_nothing() {
    let server = LlmServer::start().unwrap();
    let desk = desk(Some(&server));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let spec = desk.spec("scripted:vectors-1");
    let error = desk.app.plan_with_vectors(&spec, &cancel).await.err();
    assert!(matches!(error, Some(AppError::Cancelled)));
}

#[tokio::test]
async fn without_a_source_the_plan_says_what_to_set() {
    let desk = desk(None);
    for (named, why) in [("", "none is set up"), ("nobody:model", "'nobody:model'")] {
        let error = desk.plan(&desk.spec(named)).await.err().unwrap();
        let next = NextStep::Give {
            what: Input::Embeddings,
        };
        assert_eq!(error.next(), Some(next), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
async fn a_file_of_word_vectors_needs_no_model() {
    let desk = desk(None);
    let path = desk.app.options().places.home.join("words.txt");
    std::fs::write(&path, "gears 1 0\nteeth 1 0\ndoors 0 1\nbroken 1\n").unwrap();
    let spec = desk.spec("");
    desk.app
        .change_settings(crate::SettingsChange {
            embeddings: Some(path.display().to_string()),
            ..Default::default()
        })
        .unwrap();
    let planned = desk.plan(&spec).await.unwrap();
    assert_eq!(kept(&planned), 3);
    let said = &planned.record.destination;
    assert!(
        said.contains("Nothing is sent") && said.contains("words.txt"),
        "{said}"
    );
    let notices = desk.app.notices();
    assert!(
        notices[0].contains("words.txt: skipped line 4 (1 number instead of 2 follows"),
        "{notices:?}"
    );
    // Read once: the notice does not come again.
    desk.app.plan(&spec).unwrap();
    assert_eq!(desk.app.notices().len(), 1);
}

#[tokio::test]
async fn segments_can_begin_where_the_vectors_turn() {
    let desk = desk(None);
    let path = desk.app.options().places.home.join("words.txt");
    std::fs::write(&path, "gears 1 0\nteeth 1 0\ndoors 0 1\nblue 0 1\n").unwrap();
    let spec = PlanSpec {
        strategy: Some("parallel-stitch".into()),
        set: json!({"cuts": "breaks", "similarity": "embedding", "slice_tokens": 20})
            .as_object()
            .cloned()
            .unwrap(),
        ..desk.spec(&path.display().to_string())
    };
    let planned = desk.plan(&spec).await.unwrap();
    assert!(planned.record.calls.len() > 2);
    assert!(planned.record.destination.contains("words.txt"));
}

#[tokio::test]
async fn reflections_are_written_by_a_model_only() {
    let server = LlmServer::start().unwrap();
    let desk = desk(Some(&server));
    server.answer_with(|request| {
        let prompt = request.prompt();
        let id = prompt.split(['[', ']']).nth(1).unwrap_or_default();
        if prompt.contains("Question: ") {
            format!("1. The gears have teeth [{id}]\n2. Nobody knows [ffffffff]")
        } else {
            "1. What of the gears?\n2. And the doors?\n3. What is left?".to_owned()
        }
    });
    let plan = PlanSpec {
        session: desk.session.clone(),
        strategy: Some("memory-stream-reflect".into()),
        set: json!({"budget_tokens": 1}).as_object().cloned().unwrap(),
        provider: Some("scripted".into()),
        model: Some("any".into()),
        ..PlanSpec::default()
    };
    let spec = crate::run::RunSpec {
        plan: plan.clone(),
        ..Default::default()
    };
    let run = desk.app.compact(spec).await.unwrap();
    let summary = run.row.summary.unwrap();
    let insights = palimpsest_compaction::reflect::read_insights(&summary);
    assert_eq!(insights.len(), 6, "{summary}");
    assert_eq!(
        insights
            .iter()
            .filter(|own| own.unsupported.is_some())
            .count(),
        3
    );
    assert!(
        summary.contains("3 of 3 questions by the model"),
        "{summary}"
    );
    assert_eq!(server.requests().len(), 4);
    let offline = crate::run::RunSpec {
        plan: PlanSpec {
            provider: None,
            model: None,
            ..plan
        },
        ..Default::default()
    };
    let error = desk.app.compact(offline).await.err().unwrap();
    assert!(
        matches!(&error, AppError::NeedsModel { strategy } if strategy == "memory-stream-reflect"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_search_by_meaning_finds_other_words_and_sends_each_text_once() {
    let desk = desk(None);
    let nothing = desk
        .app
        .search_by_meaning("teeth", None, 0, 5)
        .await
        .unwrap_err();
    assert!(nothing.to_string().contains("none is set up"), "{nothing}");
    let dir = std::path::Path::new(&desk.session).parent().unwrap();
    let words = dir.join("words.txt");
    std::fs::write(
        &words,
        "cogs 1 0\ngears 1 0.1\nteeth 0.9 0.1\ndoors 0 1\nblue 0.1 1\n",
    )
    .unwrap();
    let control = crate::index::Control::QUIET;
    crate::index::run(
        desk.app.index_db().unwrap(),
        &[desk.session.clone().into()],
        &control,
    )
    .unwrap();
    let settings = crate::setup::SettingsChange {
        embeddings: Some(words.display().to_string()),
        ..Default::default()
    };
    desk.app.change_settings(settings).unwrap();
    let page = desk
        .app
        .search_by_meaning("cogs", None, 0, 2)
        .await
        .unwrap();
    let texts: Vec<&str> = page.hits.iter().map(|hit| &*hit.snippet).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts.iter().all(|text| text.contains("gears")), "{texts:?}");
    assert!(page.more && page.note.is_some_and(|note| note.contains("words.txt")));
    let page = desk
        .app
        .search_by_meaning("cogs kind:user", None, 0, 9)
        .await
        .unwrap();
    assert!(
        page.hits
            .iter()
            .all(|hit| hit.role == Some(palimpsest_core::Role::User))
    );
}
