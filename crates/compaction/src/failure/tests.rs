//! Every error of this crate: what happened, to which parameter or file, and the next step.

use super::*;
use crate::vocabulary::error::{FormError, TemplateError};
use palimpsest_core::{BodyError, Problem};
use palimpsest_testkit::failure::assert_apart;
use std::fmt::Write as _;

fn text(text: &str) -> String {
    text.to_owned()
}

fn of_parameters() -> Vec<Box<dyn Failure>> {
    vec![
        Box::new(ParamError::Unknown {
            strategy: text("pi"),
            name: text("keep"),
            known: vec![text("keep_recent_tokens"), text("reserve_tokens")],
        }),
        Box::new(ParamError::Value {
            name: text("keep_recent_tokens"),
            value: text("many"),
            reason: text("it must be a number"),
        }),
        Box::new(ParamError::Ambiguous {
            name: text("only_tools"),
            meant: vec![text("reduce.0.only_tools"), text("reduce.1.only_tools")],
        }),
    ]
}

fn of_presets() -> Vec<Box<dyn Failure>> {
    let name = || text("mine");
    let prompts = [
        TemplateError::UnknownPlace {
            name: text("goals"),
            known: text("goal, reply"),
        },
        TemplateError::Unclosed {
            before: text("Write {{goal"),
        },
        TemplateError::NotOpened { name: text("goal") },
        TemplateError::NotClosed { name: text("goal") },
    ];
    let prompts = prompts.map(|reason| -> Box<dyn Failure> {
        Box::new(PresetError::Prompt {
            name: name(),
            prompt: text("first"),
            reason,
        })
    });
    let mut all: Vec<Box<dyn Failure>> = vec![
        Box::new(PresetError::Unreadable {
            name: name(),
            reason: text("unknown field `colour`"),
        }),
        Box::new(PresetError::NoBase {
            name: name(),
            base: text("p"),
        }),
        Box::new(PresetError::OutOfRange {
            name: name(),
            param: text("select.keep_share"),
            value: text("3"),
            wanted: text("a share from 0 to 1"),
        }),
        Box::new(PresetError::Clash {
            name: name(),
            reason: text("'target_messages' is 9 and must be below 'max_messages', which is 8"),
        }),
        Box::new(PresetError::NoPrompt {
            name: name(),
            prompt: "first",
        }),
        Box::new(PresetError::NoPlace {
            name: name(),
            prompt: "first",
            place: "conversation",
        }),
    ];
    all.extend(prompts);
    all
}

fn of_plans() -> Vec<Box<dyn Failure>> {
    let strategy = || text("mine");
    vec![
        Box::new(PlanError::Body(BodyError::Changed {
            line: 3,
            path: text("a.jsonl"),
        })),
        Box::new(PlanError::OverBudget {
            call: text("the summary"),
            tokens: 9_000,
            limit: 8_000,
        }),
        Box::new(PlanError::Fallback {
            preset: strategy(),
            meaning: text("drops the older half"),
            reason: Box::new(ParamError::Unknown {
                strategy: text("truncate"),
                name: text("half"),
                known: Vec::new(),
            }),
        }),
        Box::new(PlanError::NoVectors {
            texts: vec![text("a"), text("b")],
        }),
        Box::new(PlanError::NoInstructions {
            strategy: strategy(),
        }),
        Box::new(PlanError::NoSummary {
            strategy: strategy(),
        }),
        Box::new(PlanError::UnknownStrategy {
            name: text("magic"),
            known: vec![text("pi"), text("codex")],
        }),
    ]
}

fn of_policies() -> Vec<Box<dyn Failure>> {
    let policy = || text("codex");
    vec![
        Box::new(PolicyError::Unknown {
            name: text("code"),
            known: vec![text("codex"), text("coder")],
        }),
        Box::new(PolicyError::NoParam {
            policy: policy(),
            name: text("share"),
            known: vec![text("percent")],
        }),
        Box::new(PolicyError::Ambiguous {
            policy: policy(),
            name: text("messages"),
            places: vec![text("trigger.of.0.messages"), text("trigger.of.1.messages")],
        }),
        Box::new(PolicyError::Value {
            policy: policy(),
            name: text("trigger.percent"),
            unit: text(" (%)"),
            value: text("-1"),
            reason: text("it must be from 0 to 100"),
        }),
        Box::new(PolicyError::Unreadable {
            reason: text("unknown field `colour`"),
        }),
    ]
}

fn of_runs() -> Vec<Box<dyn Failure>> {
    let call = || text("the summary");
    let problem = || Box::new(Problem::new("there is no route", NextStep::TryAgain));
    let forms = [
        FormError::Other {
            wanted: "a JSON object",
            found: text("Sure"),
        },
        FormError::Missing {
            missing: text("goal, files"),
        },
        FormError::Lacks {
            missing: text("<state_snapshot>"),
        },
        FormError::Unknown { named: text("99") },
    ];
    let forms = forms.into_iter().flat_map(|reason| {
        let writers = [Writer::Model, Writer::Program];
        let by_writer = writers.map(|writer| -> Box<dyn Failure> {
            Box::new(RunFailure::Form {
                call: call(),
                writer,
                reason: reason.clone(),
            })
        });
        let read: Box<dyn Failure> = Box::new(AssembleError::Form {
            call: call(),
            reason: reason.clone(),
        });
        by_writer.into_iter().chain([read])
    });
    let mut all: Vec<Box<dyn Failure>> = vec![
        Box::new(RunFailure::Cancelled),
        Box::new(RunFailure::Failed {
            call: call(),
            problem: problem(),
        }),
        Box::new(RunFailure::Overflow {
            call: call(),
            problem: problem(),
        }),
        Box::new(RunFailure::Incomplete {
            call: call(),
            limit: Some(8_000),
        }),
        Box::new(RunFailure::ToolCall { call: call() }),
        Box::new(RunFailure::Refused {
            call: call(),
            said: Box::default(),
        }),
        Box::new(RunFailure::Empty {
            call: call(),
            writer: Writer::Model,
        }),
        Box::new(RunFailure::Empty {
            call: call(),
            writer: Writer::Program,
        }),
        Box::new(RunFailure::TooLarge {
            call: call(),
            tokens: 9_000,
            limit: 8_000,
        }),
        Box::new(RunFailure::Inflated {
            before: 8_000,
            after: 9_000,
        }),
        Box::new(RunFailure::NoProgram { call: call() }),
        Box::new(RunFailure::Circular),
        Box::new(RunFailure::Assemble(AssembleError::Count {
            calls: 2,
            replies: 1,
        })),
    ];
    all.extend(forms);
    all
}

#[test]
fn each_says_what_happened_and_what_to_do_next() {
    let mut page = String::new();
    for (title, errors) in [
        ("parameters", of_parameters()),
        ("presets", of_presets()),
        ("plans", of_plans()),
        ("policies", of_policies()),
        ("runs", of_runs()),
    ] {
        let _ = writeln!(page, "== {title}");
        for error in &errors {
            assert_apart(&[error.as_ref()]);
            let next = error.next();
            // What the user stopped needs no step.
            let is_cancelled = error.to_string() == RunFailure::Cancelled.to_string();
            assert_eq!(next.is_none(), is_cancelled, "{error}");
            let next = next.map_or_else(|| "-".to_owned(), |next| next.to_string());
            let _ = writeln!(page, "{error}\n    {next}");
        }
    }
    insta::assert_snapshot!(page);
}
