use crate::engine::pi::PiParams;
use crate::engine::preset::built_in::FILES;
use crate::engine::preset::built_in::read;
use crate::engine::preset::data::Preset;
use crate::engine::preset::kinds::stage_kinds;
use crate::stages::select::Select;
use crate::vocabulary::error::PresetError;
use crate::vocabulary::params::ParamError;
use serde_json::{Map, Value, json};

fn set(name: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value)])
}

fn pi() -> &'static Preset {
    Preset::named("pi").unwrap()
}

#[test]
fn a_prompt_is_parsed_once_however_the_preset_is_set() {
    let settings = [
        ("keep_recent_tokens", json!(7)),
        ("prompts.first", json!("Summarize: {{conversation}}")),
        ("summarize.method.kind", json!("slices")),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value));
    let with = pi().with(&Map::from_iter(settings)).unwrap();
    let lent = |name: &&String| !pi().prompts.contains_key(name);
    assert!(with.prompts.keys().any(|name| lent(&name)));
    for name in with.prompts.keys().filter(|name| *name != "first") {
        let shared = |other: &Preset| std::ptr::eq(with.prompt(name), other.prompt(name));
        assert!(Preset::built_in().any(shared), "{name}");
    }
    assert_ne!(with.prompt("first"), pi().prompt("first"));
}

fn value_of(preset: &Preset, name: &str) -> Value {
    preset.params()[name].clone()
}

#[test]
fn every_file_is_a_preset() {
    let mut bases = Vec::new();
    for text in FILES {
        let (value, preset) = read(text, &bases).unwrap();
        assert!(!preset.description.is_empty() && !preset.source.is_empty());
        bases.push((value, preset));
    }
    assert_eq!(Preset::built_in().count(), FILES.len());
}

#[test]
fn parameters_and_fields_are_the_same() {
    // Every field of a stage is described, and everything described is a field.
    fn leaves(value: &Value, path: &str, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    leaves(value, &format!("{path}.{key}"), out);
                }
            }
            Value::Array(list) if list.iter().any(Value::is_object) => {
                for (index, value) in list.iter().enumerate() {
                    leaves(value, &format!("{path}.{index}"), out);
                }
            }
            _ => out.push(path.to_owned()),
        }
    }
    for preset in Preset::built_in() {
        let whole = serde_json::to_value(preset).unwrap();
        let mut held = Vec::new();
        for stage in ["select", "reduce", "summarize", "assemble"] {
            leaves(&whole[stage], stage, &mut held);
        }
        // The kind of a stage is changed with the stage, and lists of structure as a whole.
        held.retain(|path| {
            !path.ends_with(".kind")
                && !(path.starts_with("assemble.next")
                    && (path.ends_with(".role") || path.ends_with(".prompt")))
                && path != "reduce"
                && !path.starts_with("summarize.replies.clean")
                && !path.starts_with("summarize.fallbacks")
        });
        let mut described: Vec<String> = preset.specs().into_iter().map(|spec| spec.path).collect();
        described.retain(|path| !path.starts_with("prompts."));
        held.sort();
        described.sort();
        assert_eq!(held, described, "{}", preset.name);
    }
}

#[test]
fn pi_is_its_typed_parameters() {
    for (name, params) in [("pi", PiParams::default()), ("pi-0.87", PiParams::v0_87())] {
        let preset = Preset::named(name).unwrap();
        for (key, value) in params.to_map() {
            assert_eq!(value_of(preset, &key), value, "{name} {key}");
        }
    }
}

#[test]
fn settings_are_typed() {
    for value in [json!("400"), json!(400)] {
        let with = pi().with(&set("keep_recent_tokens", value)).unwrap();
        assert_eq!(value_of(&with, "keep_recent_tokens"), json!(400));
    }
    for path in ["max_output_tokens", "summarize.max_output_tokens"] {
        let with = pi().with(&set(path, "reserve".into())).unwrap();
        assert_eq!(value_of(&with, "max_output_tokens"), json!("reserve"));
    }
    let whole = pi()
        .with(&set("select", json!({"kind": "everything"})))
        .unwrap();
    assert_eq!(
        whole.select,
        Select::Everything(crate::select::Everything::default())
    );
    for (name, value) in [
        ("keep_recent_tokens", json!("many")),
        ("reserve_tokens", json!(-1)),
        ("select.range_start", json!("somewhere")),
        ("prompts.first", json!("no place for the conversation")),
    ] {
        let refused = pi().with(&set(name, value));
        assert!(matches!(refused, Err(ParamError::Value { .. })), "{name}");
    }
}

#[test]
fn a_value_of_another_type_is_told_the_type() {
    for (name, value, wanted) in [
        ("keep_recent_tokens", json!(-5), "a whole number, 0 or more"),
        ("max_output_tokens", json!("foo"), "one of: model, reserve"),
        ("self_check", json!("maybe"), "must be true or false"),
        (
            "range_start",
            json!("now"),
            "kept_boundary, after_compaction",
        ),
        ("fields", json!("a,b"), "a list of texts"),
        ("reduce", json!("x"), "a JSON list of objects"),
        ("reduce", json!(["clear_tool_results"]), "its \"kind\""),
        ("select", json!(3), "a JSON object"),
    ] {
        let error = pi().with(&set(name, value)).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(wanted), "{name}: {said}");
        let inner = ["u64", "enum", "variant", "sequence", "invalid type"];
        assert!(!inner.iter().any(|word| said.contains(word)), "{said}");
    }
    let unheard = pi().with(&set("reduce", json!([{"kind": "unheard"}])));
    assert!(
        unheard
            .unwrap_err()
            .to_string()
            .contains("clear_tool_results")
    );
    let prompt = pi().with(&set("prompts.nope", json!("x"))).unwrap_err();
    let ParamError::Unknown { known, .. } = &prompt else {
        panic!("{prompt:?}");
    };
    assert!(known.iter().any(|own| own == "prompts.update"), "{known:?}");
}

#[test]
fn unknown_parameters_are_refused_with_the_known_ones() {
    let error = pi().with(&set("keep", json!(1))).unwrap_err();
    assert!(matches!(&error, ParamError::Unknown { .. }));
    assert!(
        matches!(&error, ParamError::Unknown { known, .. } if known.iter().any(|own| own == "keep_recent_tokens"))
    );
    let twice = json!([{"kind": "cap_tool_results"}, {"kind": "clear_tool_results"}]);
    let two = pi().with(&set("reduce", twice)).unwrap();
    let error = two.with(&set("scope", json!("kept"))).unwrap_err();
    assert!(
        matches!(&error, ParamError::Ambiguous { meant, .. } if meant[..2] == ["reduce.0.scope", "reduce.1.scope"])
    );
    let set_one = two.with(&set("reduce.1.scope", json!("kept"))).unwrap();
    assert_eq!(value_of(&set_one, "reduce.1.scope"), json!("kept"));
}

#[test]
fn a_users_preset_holds_what_differs() {
    let own =
        Preset::parse(r#"{"name": "mine", "extends": "pi", "select": {"keep_recent_tokens": 5}}"#)
            .unwrap();
    assert_eq!(value_of(&own, "keep_recent_tokens"), json!(5));
    assert_eq!(own.prompts, pi().prompts);
    let parse = |text: &str| Preset::parse(text).unwrap_err();
    let told = |text: &str| match parse(text) {
        PresetError::Unreadable { reason, .. } => reason,
        other => panic!("{other}"),
    };
    assert_eq!(told("{"), "the JSON ends too early in line 1");
    let unknown = told(r#"{"name": "x", "extends": "pi", "select": {"kind": "newest"}}"#);
    assert!(
        unknown.starts_with("`select.kind`: the value 'newest' does not exist here; there are "),
        "{unknown}"
    );
    assert!(matches!(
        parse(r#"{"name": "x", "extends": "nobody"}"#),
        PresetError::NoBase { .. }
    ));
    assert!(matches!(
        parse(r#"{"name": "x", "extends": "pi", "summarize": {"method": {"self_check": true}}}"#),
        PresetError::NoPrompt {
            prompt: "check",
            ..
        }
    ));
    assert!(matches!(
        parse(r#"{"name": "x", "extends": "pi", "prompts": {"first": "{{nonsense}}"}}"#),
        PresetError::Prompt { .. }
    ));
    assert!(matches!(
        parse(r#"{"name": "x", "extends": "pi", "prompts": {"update": "{{conversation}}"}}"#),
        PresetError::NoPlace {
            place: "previous_summary",
            ..
        }
    ));
}

#[test]
fn stages_can_be_switched_to_other_kinds() {
    let settings = |value: Value| value.as_object().unwrap().clone();
    // The parameter belongs to the new kind, whichever is named first.
    let with = pi()
        .with(&settings(
            json!({"count": 3, "select.kind": "last_messages"}),
        ))
        .unwrap();
    let three = crate::select::LastMessages {
        count: 3,
        ..Default::default()
    };
    assert_eq!(with.select, Select::LastMessages(three));
    assert_eq!(with.summarize, pi().summarize);
    // The same kind again changes nothing.
    let same = json!({"select.kind": "keep_recent", "keep_recent_tokens": 7});
    let with = pi().with(&settings(same)).unwrap();
    assert_eq!(value_of(&with, "keep_recent_tokens"), json!(7));
    // Prompts of the new kind are lent, the custom one is looked at all the same.
    let sliced = json!({"summarize.kind": "slices", "mode": "stitch"});
    let with = pi().with(&settings(sliced)).unwrap();
    assert!(with.prompts.contains_key("stitch"));
    let blind = json!({"summarize.kind": "slices", "prompts.slice": "blind"});
    let refused = pi().with(&settings(blind)).unwrap_err();
    assert!(
        refused.to_string().contains("{{conversation}}"),
        "{refused}"
    );
    let nowhere = pi().with(&settings(json!({"nowhere.kind": "single"})));
    assert!(matches!(nowhere, Err(ParamError::Unknown { .. })));
    let unheard = pi().with(&settings(json!({"select.kind": "unheard"})));
    assert!(matches!(unheard, Err(ParamError::Value { .. })));
}

#[test]
fn texts_stay_texts() {
    let langchain = Preset::named("anthropic-context-editing").unwrap();
    let spec = langchain.specs().into_iter();
    let placeholder = spec.filter(|spec| spec.name == "placeholder").count();
    assert_eq!(placeholder, 1);
    for (value, text) in [(json!("12"), "12"), (json!(12), "12"), (json!("[]"), "[]")] {
        let with = langchain.with(&set("placeholder", value)).unwrap();
        assert_eq!(value_of(&with, "placeholder"), json!(text));
    }
}

#[test]
fn of_several_settings_the_wrong_one_is_named() {
    let several =
        json!({"keep_recent_tokens": 5, "reserve_tokens": "much", "include_thinking": true});
    let error = pi().with(several.as_object().unwrap()).unwrap_err();
    assert!(matches!(error, ParamError::Value { name, .. } if name == "reserve_tokens"));
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    let named = |name: &str| Preset::named(name).unwrap();
    for (preset, param, value, wanted) in [
        ("gemini-cli", "keep_share", json!(7), "a number, 0 to 1"),
        ("gemini-cli", "keep_share", json!(-0.1), "a number, 0 to 1"),
        (
            "memory-stream",
            "recency_weight",
            json!(-1),
            "a number, 0 or more",
        ),
        (
            "memory-stream",
            "rated_at_once",
            json!(0),
            "a whole number, 1 or more",
        ),
        ("pi", "attempts", json!(0), "a whole number, 1 or more"),
        ("pi", "attempts", json!("0"), "a whole number, 1 or more"),
        (
            "single-shot",
            "max_output_tokens",
            json!(0),
            "a whole number, 1 or more, or one of",
        ),
        (
            "parallel-stitch",
            "slice_tokens",
            json!(0),
            "a whole number, 1 or more",
        ),
        (
            "external",
            "timeout_seconds",
            json!(0),
            "a whole number, 1 or more",
        ),
        (
            "opencode",
            "share_percent",
            json!(101),
            "a whole number, 0 to 100",
        ),
        (
            "pi",
            "keep_recent_tokens",
            json!(-5),
            "a whole number, 0 or more",
        ),
        (
            "pi",
            "keep_recent_tokens",
            json!(u64::MAX),
            "0 to 9007199254740991",
        ),
    ] {
        let set = [(param.to_owned(), value.clone())].into_iter().collect();
        let refused = named(preset).with(&set).unwrap_err();
        let said = refused.to_string();
        assert_eq!(refused.name(), param, "{said}");
        let shown = value.to_string();
        let shown = shown.trim_matches('"');
        let start = format!("'{shown}' cannot be the value of '{param}': it must be ");
        assert!(said.starts_with(&start), "{preset}: {said}");
        assert!(said.contains(wanted), "{preset}: {said}");
    }
}

#[test]
fn numbers_that_contradict_each_other_are_refused_together() {
    let slices = Preset::named("parallel-stitch").unwrap();
    let set = |slice: u64, overlap: u64| {
        let set = [("slice_tokens", slice), ("overlap_tokens", overlap)];
        let set = set.map(|(name, value)| (name.to_owned(), json!(value)));
        slices.with(&set.into_iter().collect())
    };
    assert!(set(400, 100).is_ok());
    let refused = set(400, 400).unwrap_err().to_string();
    assert!(
        refused.contains("overlap_tokens is 400 and must be less than slice_tokens, 400"),
        "{refused}"
    );
}

#[test]
fn a_file_with_a_number_out_of_range_is_no_preset() {
    let refused =
        Preset::parse(r#"{"name": "mine", "extends": "gemini-cli", "select": {"keep_share": 7}}"#);
    let said = refused.unwrap_err().to_string();
    assert_eq!(
        said,
        "the parameter 'select.keep_share' of the preset mine is 7 and must be a number, 0 to 1"
    );
}

#[test]
fn every_kind_begins_with_numbers_that_may_be_had() {
    for kind in stage_kinds() {
        for param in kind.params.iter().filter(|param| param.default.is_number()) {
            let range = param.range.unwrap();
            assert!(range.holds(&param.default), "{} {}", kind.kind, param.path);
        }
    }
}
