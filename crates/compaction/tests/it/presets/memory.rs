//! The memory stream: what matters most for the last request stays.

use crate::common::{outcome, plan_of, read};
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::vectors::{VectorSet, wanted_texts};
use palimpsest_compaction::{Instructions, Plan, PlanInput, PlanOutcome, Preset, plan_preset};
use palimpsest_core::ContextItem;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};

fn kept(plan: &Plan) -> Vec<usize> {
    let items = plan.items.iter().enumerate();
    let own = items.filter(|(_, item)| item.fate == Fate::Kept);
    own.map(|(at, _)| at).collect()
}

/// Answers about several things, a read, and a question about one of them.
fn workshop() -> InMemory {
    let mut session = PiSession::new();
    session.user("Begin.");
    session.assistant(Reply::new().text("The gearWheel has 48 teeth."));
    session.assistant(Reply::new().text("Paint on doors dries slowly."));
    session.assistant(Reply::new().call("read", json!({"path": "doors.rs"})));
    session.tool_result("fn open() {}");
    session.assistant(Reply::new().text("Windows are made of glass."));
    session.user("How many teeth has the gear_wheel?");
    session.assistant(Reply::new().text("Let me see."));
    read(&session)
}

/// Settings that score by one of the three alone.
fn only(weight: &'static str) -> Vec<(&'static str, Value)> {
    let weights = ["recency_weight", "importance_weight", "relevance_weight"];
    let one = weights.map(|own| (own, json!(if own == weight { 1.0 } else { 0.0 })));
    let mut set = one.to_vec();
    set.push(("recency_rule", json!("entry_distance")));
    set.push(("update_access", json!(false)));
    set.push(("top_exchanges", json!(1)));
    set
}

#[test]
fn the_papers_numbers_are_the_defaults() {
    let of = |name: &str| Preset::named(name).unwrap().params();
    let memory = of("memory-stream");
    for (name, value) in [
        ("decay", json!(0.99)),
        ("recency_rule", json!("hours")),
        ("recency_reversed", json!(false)),
        ("recency_weight", json!(1.0)),
        ("importance_weight", json!(1.0)),
        ("relevance_weight", json!(1.0)),
        ("importance_source", json!("heuristic")),
        ("relevance", json!("tfidf")),
        ("top_exchanges", json!(30)),
        ("update_access", json!(true)),
    ] {
        assert_eq!(memory[name], value, "{name}");
    }
    let reflect = of("memory-stream-reflect");
    for (name, value) in [
        ("reflect_threshold", 150),
        ("recent_n", 100),
        ("questions", 3),
        ("top_n", 30),
        ("insights", 5),
    ] {
        assert_eq!(reflect[name], json!(value), "{name}");
    }
    // The table for importance without a model.
    let table = [
        "correction=10",
        "ask=9",
        "failed_tests=8",
        "edit=7",
        "decision=7",
        "commit=7",
        "passed_tests=6",
        "fixed_error=5",
        "read_then_edited=4",
        "command=3",
        "read=2",
        "chatter=1",
    ];
    let own = memory["importance"].as_array().unwrap();
    for line in table {
        assert!(own.contains(&json!(line)), "{line}");
    }
}

#[test]
fn each_weight_chooses_by_its_own() {
    let ours = workshop();
    let chosen = |weight| kept(&plan_of(&ours, "memory-stream", &only(weight)));
    // The last request and the last exchange stay beside the one that is chosen.
    assert_eq!(chosen("relevance_weight"), [1, 6, 7]);
    assert_eq!(chosen("recency_weight"), [5, 6, 7]);
    assert_eq!(chosen("importance_weight"), [0, 6, 7]);
}

#[test]
fn relevance_is_by_words_or_by_vectors() {
    let ours = workshop();
    let by = |relevance: &str| {
        let mut set = only("relevance_weight");
        set.push(("relevance", json!(relevance)));
        set
    };
    assert_eq!(
        kept(&plan_of(&ours, "memory-stream", &by("bm25"))),
        [1, 6, 7]
    );
    // Without vectors the plan says which it needs; with them it goes by them.
    let preset = Preset::named("memory-stream").unwrap();
    let set = by("embedding");
    let set = set
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let preset = preset.with(&set.collect()).unwrap();
    let instructions = Instructions {
        text: Some("Mind the glass.".into()),
        replace: false,
    };
    let none = VectorSet::default();
    let wanted = with_input(&ours, &none, &instructions, |input| {
        wanted_texts(&preset, input).unwrap()
    });
    assert_eq!(
        wanted.len(),
        8,
        "seven exchanges and the instructions: {wanted:?}"
    );
    let mut vectors = VectorSet::default();
    for text in &wanted {
        let about = |word: &str| f32::from(u8::from(text.contains(word)));
        vectors.insert(text.clone(), vec![about("teeth"), about("glass") * 9.0]);
    }
    let plan = with_input(&ours, &vectors, &instructions, |input| {
        assert!(wanted_texts(&preset, input).unwrap().is_empty());
        plan_preset(&preset, input).unwrap()
    });
    let PlanOutcome::Compaction(plan) = plan else {
        panic!("no plan");
    };
    assert_eq!(kept(&plan), [5, 6, 7], "the instructions weigh most");
    let error = outcome(&ours, "memory-stream", &by("embedding")).unwrap_err();
    assert!(error.to_string().contains("none is set up"), "{error}");
}

/// What `with` makes of the session's input with these vectors and instructions.
fn with_input<T>(
    ours: &InMemory,
    vectors: &VectorSet,
    instructions: &Instructions,
    with: impl Fn(&PlanInput<'_>) -> T,
) -> T {
    let context = ours.context(ours.session.active_leaf);
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    with(&PlanInput {
        session: &ours.session,
        context: &context,
        messages: &messages,
        instructions,
        vectors: Some(vectors),
    })
}

#[test]
fn naming_an_identifier_again_makes_an_exchange_recent() {
    let ours = workshop();
    let mut set = only("recency_weight");
    set.push(("update_access", json!(true)));
    // The last request names the gear wheel, however it is written.
    assert_eq!(kept(&plan_of(&ours, "memory-stream", &set)), [1, 6, 7]);
    set.push(("update_access", json!(false)));
    set.push(("recency_reversed", json!(true)));
    assert_eq!(kept(&plan_of(&ours, "memory-stream", &set)), [0, 6, 7]);
    for rule in ["rank", "hours"] {
        let mut set = only("recency_weight");
        set.push(("recency_rule", json!(rule)));
        assert_eq!(kept(&plan_of(&ours, "memory-stream", &set)), [5, 6, 7]);
    }
}

#[test]
fn the_table_of_importance_can_be_changed() {
    let ours = workshop();
    let mut set = only("importance_weight");
    set.push(("importance", json!(["read=10", "ask=1"])));
    assert_eq!(kept(&plan_of(&ours, "memory-stream", &set)), [3, 4, 6, 7]);
    let error = outcome(
        &ours,
        "memory-stream",
        &[("importance", json!(["reads=3"]))],
    );
    assert!(error.unwrap_err().to_string().contains("read_then_edited"));
}

#[test]
fn an_error_is_fixed_where_the_same_works_later() {
    let mut session = PiSession::new();
    session.user("Go.");
    let mut act = |name: &str, arguments: Value, failed: bool| {
        session.assistant(Reply::new().call(name, arguments));
        if failed {
            session.tool_error("no such place")
        } else {
            session.tool_result("done")
        };
    };
    act("bash", json!({"command": "ls a"}), true);
    act("bash", json!({"command": "ls b"}), true);
    act("read", json!({"path": "c.rs"}), true);
    // The same command, another one, and another part of the same file.
    act("bash", json!({"command": "ls a", "timeout": 9}), false);
    act("bash", json!({"command": "ls c"}), false);
    act("read", json!({"path": "c.rs", "offset": 7}), false);
    session.user("Go on.");
    let ours = read(&session);
    let best = |table: Value| {
        let mut set = only("importance_weight");
        set.push(("importance", table));
        kept(&plan_of(&ours, "memory-stream", &set))[0]
    };
    assert_eq!(best(json!(["ask=1"])), 3, "the open one has 6");
    // Five for what was fixed: beside it a command of five counts as much, one of four does not.
    let without = |more: &str| best(json!(["ask=1", "open_error=1", more]));
    assert_eq!(without("command=4"), 5);
    assert_eq!(without("command=6"), 9);
    let fixed = json!(["ask=1", "open_error=1", "fixed_error=1"]);
    assert_eq!(best(fixed), 9, "commands that worked have 3");
}

#[test]
fn a_later_access_makes_an_exchange_recent() {
    let mut session = PiSession::new();
    session.user("Go.");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result("a");
    session.assistant(Reply::new().text("Nothing there."));
    session.user("Now change it.");
    session.assistant(Reply::new().call("edit", json!({"path": "a.rs"})));
    session.tool_result("Changed.");
    let mut set = only("recency_weight");
    set.push(("update_access", json!(true)));
    let plan = plan_of(&read(&session), "memory-stream", &set);
    assert_eq!(kept(&plan), [1, 2, 4, 5, 6]);
}

#[test]
fn the_budget_holds_and_results_stay_with_their_calls() {
    let ours = workshop();
    let sizes: Vec<u64> = {
        let context = ours.context(ours.session.active_leaf);
        context.items.iter().map(|item| item.estimate).collect()
    };
    let last = sizes[6] + sizes[7];
    for budget in 0..sizes.iter().sum::<u64>() {
        let plan = plan_of(&ours, "memory-stream", &[("budget_tokens", json!(budget))]);
        let stays = kept(&plan);
        let used: u64 = stays.iter().map(|&at| sizes[at]).sum();
        assert!(used <= budget.max(last), "{budget}: {stays:?}");
        assert_eq!(stays.contains(&3), stays.contains(&4), "{budget}");
    }
}
