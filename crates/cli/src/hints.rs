//! What to do after a failure, in the words of the command line: its options and commands.

use crate::usage;
use palimpsest_api::wire::{InputView, ListedView, NextStepView, ProviderPartView};
use palimpsest_api::{ErrorCode, WireError};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::OnceLock;

/// Most names that are listed in a hint; more are left to the command that lists them.
const MOST_NAMES: usize = 12;

/// The options of the command that runs.
static OPTIONS: OnceLock<BTreeSet<String>> = OnceLock::new();

/// Says which command runs: a hint names no option of another one.
pub fn runs(command: &clap::Command, words: impl Iterator<Item = OsString>) {
    // Set once, when the program starts.
    let _ = OPTIONS.set(options(command, words));
}

/// The options of the command that `words` name.
fn options(command: &clap::Command, words: impl Iterator<Item = OsString>) -> BTreeSet<String> {
    let path = usage::path(command, words).into_iter();
    let long = path.flat_map(|own| own.get_arguments().filter_map(clap::Arg::get_long));
    long.map(str::to_owned).collect()
}

/// True where `text` names no option but those of `options`, besides in whole commands, which stand
/// between backticks.
fn fits(text: &str, options: &BTreeSet<String>) -> bool {
    let prose = text.split('`').step_by(2);
    let mut named = prose.flat_map(str::split_whitespace).filter_map(|word| {
        let name = word.strip_prefix("--")?;
        Some(name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()))
    });
    named.all(|name| options.contains(name))
}

/// The first of `texts` that names only options of the command that runs.
fn fitting<'t>(texts: &[&'t str]) -> Option<&'t str> {
    let Some(options) = OPTIONS.get() else {
        return texts.first().copied();
    };
    texts.iter().copied().find(|text| fits(text, options))
}

/// The next step of an error; `None` where there is none.
pub fn hint(error: &WireError) -> Option<String> {
    if error.code == ErrorCode::AboveLimit {
        return Some(
            "Run it with --above-limit, or set another limit with `palimpsest limit USD`.".into(),
        );
    }
    words(error.next.as_deref(), error.hint.as_deref())
}

/// A step in the words of the command line; `neutral` is what holds in every host.
pub fn words(next: Option<&NextStepView>, neutral: Option<&str>) -> Option<String> {
    // The hint that comes with the error is the fallback: it holds in every host but names no
    // option.
    let own = next.and_then(own_words);
    let own = own.filter(|text| fitting(&[text]).is_some());
    own.or_else(|| neutral.map(str::to_owned))
}

/// A step that the command line can say better than in the words that hold everywhere.
fn own_words(step: &NextStepView) -> Option<String> {
    Some(match step {
        NextStepView::Give { what } => give(*what)?.to_owned(),
        NextStepView::LeaveOut { what } => match option(*what) {
            Some(option) => format!("Leave out {option}."),
            None => return None,
        },
        NextStepView::Choose {
            what,
            known,
            similar,
        } => choose(*what, known, similar),
        NextStepView::ChangeParameter { name } => {
            format!("Give '{name}' another value with --set.")
        }
        NextStepView::GiveWholeName { known } => format!(
            "Give one of the longer names with --set: {}.",
            known.join(", ")
        ),
        NextStepView::ChooseModel { provider } => format!(
            "Choose a model with --model. `palimpsest models --provider {provider}` lists those \
             that {provider} has."
        ),
        NextStepView::Rescan => {
            "`palimpsest index` reads the session folders again and removes it from the list. Or \
             restore the file."
                .into()
        }
        NextStepView::CorrectFilter => {
            "Correct the filter. To find the text itself, put double quotes around it inside the \
             query: '\"name:value\"'. `palimpsest search --help` lists the filters."
                .into()
        }
        NextStepView::ChangeModel => "Try again, or choose another model with --model.".into(),
        NextStepView::ChangeModelOrInstructions => {
            "Choose another model with --model, or change --instructions.".into()
        }
        NextStepView::ChangeRequest { provider } => {
            format!("Change --model, or parameters with --set, to what {provider} accepts.")
        }
        NextStepView::ChangeStrategy => {
            "Choose another strategy with --strategy. `palimpsest strategies` lists them.".into()
        }
        NextStepView::SetKey {
            provider,
            env: Some(name),
            no_keyring: true,
        } => format!(
            "Set the environment variable {name} to a valid API key for {provider} and run the \
             command again."
        ),
        NextStepView::SetKey {
            provider,
            env: Some(name),
            ..
        } => format!(
            "Set the environment variable {name} to a valid API key for {provider} and run the \
             command again, or store the key in the settings of the window."
        ),
        NextStepView::SetKey {
            provider,
            env: None,
            ..
        } => format!("Store a valid API key for {provider} in the settings of the window."),
        NextStepView::SetToken { server } => format!(
            "`palimpsest coder add {server} --token-stdin` stores a token from standard input. Or \
             set the environment variables CODER_URL and CODER_SESSION_TOKEN."
        ),
        NextStepView::EditProvider {
            provider,
            part: ProviderPartView::BaseUrl,
        } => format!(
            "Correct the base URL of {provider} in the settings of the window, or give another \
             with --base-url. It is the address of the API and usually ends in /v1."
        ),
        NextStepView::EditProvider {
            provider,
            part: ProviderPartView::Server,
        } => format!(
            "Check that the server is running and that the address of {provider} is correct. \
             --base-url takes another address."
        ),
        NextStepView::EditProvider {
            provider,
            part: ProviderPartView::Kind,
        } => format!(
            "Check that the address is that of an API of the kind that {provider} has: give another \
             address with --base-url, or edit {provider} in the settings of the window, under \
             Providers."
        ),
        NextStepView::EditProvider { provider, .. } => {
            format!(
                "Correct the command where {provider} was set: with --set command=[\"PROGRAM\", …], or in \
                 the settings of the window, under Providers. Give the whole path of a program that is \
                 not in PATH."
            )
        }
        NextStepView::SpareLess { later } => format!(
            "{} less with --set: `palimpsest strategies NAME` lists what its rules spare.",
            if *later {
                "Choose a later entry with --at, or let the rules spare"
            } else {
                "Let the rules spare"
            }
        ),
        NextStepView::AllowMoreOutput { limit } => {
            let (most, example) = match limit {
                // Twice as much: a little more would be reached as well.
                Some(limit) => (
                    format!("more than {limit}"),
                    format!(
                        ", for example --set max_output_tokens={}",
                        limit.saturating_mul(2)
                    ),
                ),
                None => (
                    "more".to_owned(),
                    ", for example --set max_output_tokens=16000".to_owned(),
                ),
            };
            format!(
                "Allow {most} output tokens with --set{example} (`palimpsest strategies NAME` lists \
                 the parameters), summarize a shorter span with --at, or choose another model with \
                 --model."
            )
        }
        NextStepView::SummarizeLess => {
            "Summarize a shorter span with --at, or choose a model with a larger context window \
             or a strategy that splits the span."
                .into()
        }
        NextStepView::SetUpKeyAtMachine => "Set the provider and its key up in the desktop window \
             or on the command line of the machine on which the server runs, or start `palimpsest \
             serve --allow-programs`."
            .into(),
        NextStepView::SetUpProgram { presets } => format!(
            "Set the program up in the desktop window or in a preset file (folder {presets}), or \
             start `palimpsest serve --allow-programs`."
        ),
        NextStepView::IndexFolder { path } => {
            format!("`palimpsest index '{path}'` reads the sessions in it.")
        }
        NextStepView::RebuildIndex => "`palimpsest index` builds it again. It holds nothing that \
             is not in the session files."
            .into(),
        NextStepView::RecoverDatabase { path } => format!(
            "`sqlite3 '{path}' .recover | sqlite3 recovered.db` may rescue it into a new file, to be \
             put in its place. Or move it away to start with an empty one. Session files are not \
             affected."
        ),
        NextStepView::ReplaceDatabase { path } => format!(
            "It cannot be repaired. Restore it from a backup, or start with an empty one: \
             mv '{path}' '{path}.old'. Session files are not affected."
        ),
        NextStepView::RunAgain => "Make the run again with `palimpsest compact`.".into(),
        NextStepView::WriteNew => fitting(&[
            "Leave out --append to write a new session instead.",
            "Leave out --to append to write a new session instead.",
        ])?
        .into(),
        NextStepView::ChangePort => {
            "Another program may use the port. --port 0 takes a free one.".into()
        }
        NextStepView::ChooseLater => {
            "Choose another entry with --at, one with more of the conversation above it.".into()
        }
        NextStepView::ChooseTarget => fitting(&[
            "Choose another target entry with --leaf. `palimpsest tree SESSION` lists the entries.",
            "Choose another target entry with --to. `palimpsest tree SESSION` lists the entries.",
        ])?
        .into(),
        NextStepView::OpenAgain => "Run the command again. It reads the file as it is now.".into(),
        NextStepView::Redo => "Use --redo to plan this compaction again.".into(),
        NextStepView::KeepLess {
            later,
            setting: Some(setting),
        } => {
            let first = if *later {
                "Choose a later entry with --at, or keep"
            } else {
                "Keep"
            };
            format!(
                "{first} less of the conversation, for example with --set {}={}.",
                setting.name, setting.value
            )
        }
        NextStepView::KeepLess {
            later: true,
            setting: None,
        } => "Choose a later entry with --at.".into(),
        // Advice that holds in every host names no option and no command.
        NextStepView::TryAgain
        | NextStepView::TryAgainIn { .. }
        | NextStepView::TryLater
        | NextStepView::QuitAgent
        | NextStepView::UndoByHand { .. }
        | NextStepView::PlanAgain
        | NextStepView::Reload
        | NextStepView::GiveLongerId
        | NextStepView::UseId { .. }
        | NextStepView::GiveLine
        | NextStepView::ShortenQuery
        | NextStepView::WidenQuery
        | NextStepView::ChooseBranch
        | NextStepView::ChooseEntries
        | NextStepView::KeepLess { setting: None, .. }
        | NextStepView::AskFewer { .. }
        | NextStepView::AllowMoreInput
        | NextStepView::ChangeName
        | NextStepView::UnlockKeyring
        | NextStepView::AddCredit { .. }
        | NextStepView::TryFaster
        | NextStepView::SummarizeMore
        | NextStepView::CorrectProgram
        | NextStepView::CheckFile
        | NextStepView::CheckFolder
        | NextStepView::FreeSpace
        | NextStepView::CorrectFile
        | NextStepView::RenameFile { .. }
        | NextStepView::StartOwner
        | NextStepView::UpdateProgram
        | NextStepView::Report => return None,
    })
}

fn give(what: InputView) -> Option<&'static str> {
    Some(match what {
        InputView::Session => {
            "Give the path of a session file or its name, an id, or a unique prefix of an id. `palimpsest \
             sessions` lists those in the index."
        }
        InputView::Entry => {
            "Give an entry's id, a unique prefix of an id, `leaf`, or `line:N`, where N counts from 0: \
             line 43 of a file is `line:42`. `palimpsest tree SESSION` lists the entries."
        }
        InputView::Compaction => {
            "Give the entry of a compaction: `palimpsest tree SESSION` marks each with the word \
             compaction, and `palimpsest sessions has:compaction` lists sessions with one. Where a command has \
             --run, the run of `palimpsest compact` works as well."
        }
        InputView::Provider => {
            "Choose a provider that has models with --provider, such as anthropic, openai or ollama."
        }
        InputView::Model => "Choose a model with --model.",
        InputView::BaseUrl => {
            "Give the address of the API with --base-url, beginning with https:// or http://."
        }
        InputView::Instructions => "Give custom instructions with --instructions.",
        InputView::SavedPrompt => "Give a saved prompt with --prompt.",
        InputView::Strategy => "Give a strategy with --strategy.",
        InputView::Embeddings => {
            "Give an embedding model with --embeddings PROVIDER:MODEL or a file of word vectors \
             with --embeddings FILE, or compare by words with --set relevance=tfidf or --set \
             similarity=lexical."
        }
        InputView::SearchEmbeddings => {
            "Give an embedding model with --embeddings PROVIDER:MODEL or a file of word vectors \
             with --embeddings FILE, or choose another order with --sort."
        }
        InputView::Window => "Give the size of the model's context window with --window.",
        InputView::Policies => "Choose the policy with --policy, or leave --policy out for all.",
        InputView::DataFolder => "Choose another folder for the databases with --data-dir.",
        InputView::Run => "Give the id of a run. `palimpsest runs` lists them.",
        InputView::Summary => fitting(&[
            "Give a file with the summary with --summary-file. For a compaction of the session, give \
             its entry with --compaction instead of --at.",
            "Give a file that has text with --text-file.",
            "Name two summaries with --run RUN and --compaction ENTRY; each can be repeated. \
             `palimpsest runs SESSION` lists the runs.",
        ])?,
        InputView::PromptText => fitting(&[
            "Write the text into the file, or give another with --file.",
            "Write the text into the file, or give another.",
        ])?,
        InputView::Command => {
            "Name the program and its arguments, for example with --set \
             'command=[\"./summarize.py\"]'."
        }
        InputView::ReplacePrompt | InputView::Redo | InputView::WordVectors | InputView::Name => {
            return None;
        }
    })
}

fn option(what: InputView) -> Option<&'static str> {
    Some(match what {
        InputView::Provider => "--provider",
        InputView::Model => "--model",
        InputView::BaseUrl => "--base-url",
        InputView::Instructions => "--instructions",
        InputView::ReplacePrompt => "--replace-prompt",
        InputView::SavedPrompt => "--prompt",
        InputView::Strategy => "--strategy",
        InputView::Redo => "--redo",
        InputView::Embeddings | InputView::SearchEmbeddings => "--embeddings",
        InputView::Window => "--window",
        InputView::Policies => "--policy",
        InputView::DataFolder => "--data-dir",
        InputView::Run => "--run",
        InputView::Summary => "--summary-file",
        InputView::Entry => "--at",
        InputView::Compaction => "--compaction",
        InputView::PromptText => "--file",
        InputView::Session | InputView::WordVectors | InputView::Name | InputView::Command => {
            return None;
        }
    })
}

fn choose(what: ListedView, known: &[String], similar: &[String]) -> String {
    let (plural, command) = match what {
        ListedView::Strategies => ("strategies", Some("palimpsest strategies")),
        ListedView::Parameters => ("parameters", Some("palimpsest strategies NAME")),
        ListedView::PromptPlaces => ("prompts of the strategy", None),
        ListedView::Policies => ("policies", Some("palimpsest policy --list")),
        ListedView::PolicyParameters => ("parameters", Some("palimpsest policy --list")),
        ListedView::Providers => ("providers", None),
        ListedView::Prompts => ("saved prompts", Some("palimpsest prompts")),
        ListedView::Presets => ("custom strategies", Some("palimpsest strategies")),
        ListedView::Runs => ("runs", Some("palimpsest runs")),
        ListedView::Tokenizers => ("tokenizers", None),
        ListedView::CutSets => ("sets of cuts", Some("palimpsest lab cuts")),
        ListedView::Experiments => ("experiments", Some("palimpsest lab list")),
        ListedView::ProviderKinds => ("kinds of provider", None),
        ListedView::Written => ("written sessions", Some("palimpsest written")),
        ListedView::Judgements => ("judgements", Some("palimpsest judge SESSION")),
        ListedView::CoderServers => ("Coder servers", Some("palimpsest coder")),
        ListedView::InstalledPrompts => (
            "prompts of installed agents",
            Some("palimpsest prompts find"),
        ),
        ListedView::Facts => (
            "facts with their ids",
            Some("palimpsest ledger SESSION --json"),
        ),
    };
    // These lists are always whole, so that an empty one means that there are none.
    match what {
        ListedView::CutSets if known.is_empty() => {
            return "No set of cuts is stored. `palimpsest lab cuts NAME --query QUERY` stores one."
                .into();
        }
        ListedView::Experiments if known.is_empty() => {
            return "No experiment is stored. `palimpsest lab run FILE` runs one.".into();
        }
        ListedView::CoderServers if known.is_empty() => {
            return "No Coder server is listed. `palimpsest coder add ADDRESS` adds one.".into();
        }
        _ => {}
    }
    match command {
        // An empty list means too many or unknown names.
        Some(command) if known.is_empty() || known.len() > MOST_NAMES => {
            let mut list = format!("`{command}` lists the {plural}.");
            if what == ListedView::Runs {
                list += " `palimpsest compact SESSION` makes one.";
            }
            match similar {
                [] => list,
                [one] => format!("A similar one exists: '{one}'. {list}"),
                several => format!("Similar ones exist: '{}'. {list}", several.join("', '")),
            }
        }
        _ => format!("The {plural} are: {}.", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_api::NextStep;

    #[test]
    fn every_step_has_words() {
        for step in NextStep::examples() {
            let error = WireError::new(ErrorCode::UserFixable, "it failed", step.clone());
            let words = hint(&error).unwrap_or_default();
            let first = words.chars().next().unwrap_or_default();
            assert!(first.is_uppercase() || first == '`', "{step:?}: {words}");
            assert!(words.ends_with('.'), "{step:?}: {words}");
        }
    }

    #[test]
    fn a_hint_names_options_of_its_command_alone() {
        let command = crate::args::command();
        let known = |words: &[&str]| options(&command, words.iter().map(OsString::from));
        let judge = known(&["palimpsest", "judge", "abc"]);
        assert!(fits("Name a run with --run, or another.", &judge));
        assert!(!fits("Give a file with --summary-file.", &judge));
        assert!(fits("Use `palimpsest plan --at ENTRY`.", &judge));
        let read = known(&["palimpsest", "--json", "coder", "add"]);
        assert!(fits("Give it with --token-stdin (as --json).", &read));
        assert!(!fits("Give it with --run.", &read));
    }

    #[test]
    fn a_larger_output_limit_than_the_one_reached_is_proposed() {
        let words = |limit| own_words(&NextStepView::AllowMoreOutput { limit }).unwrap_or_default();
        assert!(
            words(Some(8_000)).contains("max_output_tokens=16000 ")
                && words(Some(8_000)).contains("more than 8000"),
            "{}",
            words(Some(8_000))
        );
        assert!(
            words(None).starts_with("Allow more output tokens"),
            "{}",
            words(None)
        );
    }

    #[test]
    fn an_empty_list_says_how_to_store_the_first() {
        for what in [
            ListedView::CutSets,
            ListedView::Experiments,
            ListedView::CoderServers,
        ] {
            let words = choose(what, &[], &[]);
            assert!(words.starts_with("No ") && words.contains('`'), "{words}");
        }
        let some = choose(ListedView::CutSets, &["nightly".to_owned()], &[]);
        assert_eq!(some, "The sets of cuts are: nightly.");
    }

    #[test]
    fn many_names_are_left_to_the_command_that_lists_them() {
        let known = |count: usize| (0..count).map(|n| format!("s{n}")).collect::<Vec<_>>();
        let few = choose(ListedView::Strategies, &known(2), &[]);
        assert_eq!(few, "The strategies are: s0, s1.");
        let many = choose(ListedView::Strategies, &known(80), &[]);
        assert_eq!(many, "`palimpsest strategies` lists the strategies.");
        let similar = choose(ListedView::Strategies, &known(80), &known(1));
        assert_eq!(
            similar,
            "A similar one exists: 's0'. `palimpsest strategies` lists the strategies."
        );
    }
}
