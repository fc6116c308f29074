//! Every next step and every name in one, for tests that hold a host to words for each.

use super::step::{Input, Listed, NextStep, ProviderPart, Setting};

impl NextStep {
    /// One step of every kind, for tests that each host words all of them.
    pub fn examples() -> Vec<NextStep> {
        let provider = || "ollama".to_owned();
        let mut steps = vec![
            NextStep::TryAgain,
            NextStep::TryAgainIn { seconds: 20 },
            NextStep::TryLater,
            NextStep::OpenAgain,
            NextStep::PlanAgain,
            NextStep::RunAgain,
            NextStep::WriteNew,
            NextStep::UndoByHand {
                backup: Some("/home/ada/backups/0123.jsonl".into()),
            },
            NextStep::UndoByHand { backup: None },
            NextStep::QuitAgent,
            NextStep::Reload,
            NextStep::GiveLongerId,
            NextStep::UseId {
                ids: vec!["10d69ba7e".into(), "929c7f32b".into()],
            },
            NextStep::CorrectFilter,
            NextStep::WidenQuery,
            NextStep::Rescan,
            NextStep::GiveWholeName {
                known: vec!["select.share".into(), "reduce.share".into()],
            },
            NextStep::ChooseLater,
            NextStep::ChooseBranch,
            NextStep::ChooseEntries,
            NextStep::ChooseTarget,
            NextStep::Redo,
            NextStep::KeepLess {
                later: true,
                setting: None,
            },
            NextStep::KeepLess {
                later: false,
                setting: None,
            },
            NextStep::KeepLess {
                later: true,
                setting: Some(Setting {
                    name: "keep_recent_tokens".into(),
                    label: "Kept tail".into(),
                    value: 1000,
                }),
            },
            NextStep::SpareLess { later: true },
            NextStep::SpareLess { later: false },
            NextStep::AskFewer { later: true },
            NextStep::AskFewer { later: false },
            NextStep::AllowMoreInput,
            NextStep::ChangeName,
            NextStep::ChangeParameter {
                name: "keep_share".into(),
            },
            NextStep::ChooseModel {
                provider: provider(),
            },
            NextStep::ChangeModel,
            NextStep::ChangeModelOrInstructions,
            NextStep::ChangeRequest {
                provider: provider(),
            },
            NextStep::ChangeStrategy,
            NextStep::SetKey {
                provider: provider(),
                env: Some("OLLAMA_API_KEY".into()),
                no_keyring: false,
            },
            NextStep::SetKey {
                provider: provider(),
                env: None,
                no_keyring: false,
            },
            NextStep::SetKey {
                provider: provider(),
                env: Some("OLLAMA_API_KEY".into()),
                no_keyring: true,
            },
            NextStep::SetToken {
                server: "https://coder.example.com".into(),
            },
            NextStep::UnlockKeyring,
            NextStep::AddCredit {
                provider: provider(),
            },
            NextStep::SummarizeLess,
            NextStep::TryFaster,
            NextStep::SummarizeMore,
            NextStep::AllowMoreOutput { limit: None },
            NextStep::AllowMoreOutput { limit: Some(8_000) },
            NextStep::CorrectProgram,
            NextStep::SetUpKeyAtMachine,
            NextStep::GiveLine,
            NextStep::ShortenQuery,
            NextStep::SetUpProgram {
                presets: "/home/ada/presets".into(),
            },
            NextStep::CheckFile,
            NextStep::CheckFolder,
            NextStep::FreeSpace,
            NextStep::CorrectFile,
            NextStep::RenameFile {
                name: "my-pi.json".into(),
            },
            NextStep::IndexFolder {
                path: "/home/ada/sessions".into(),
            },
            NextStep::RebuildIndex,
            NextStep::RecoverDatabase {
                path: "/home/ada/user.db".into(),
            },
            NextStep::ReplaceDatabase {
                path: "/home/ada/user.db".into(),
            },
            NextStep::StartOwner,
            NextStep::ChangePort,
            NextStep::UpdateProgram,
            NextStep::Report,
        ];
        for what in Input::ALL {
            steps.push(NextStep::Give { what });
            steps.push(NextStep::LeaveOut { what });
        }
        for what in Listed::ALL {
            let known = vec!["first".to_owned(), "second".to_owned()];
            steps.push(NextStep::choose(what, "frist", known));
            steps.push(NextStep::choose(what, "first", Vec::new()));
        }
        for part in ProviderPart::ALL {
            let provider = provider();
            steps.push(NextStep::EditProvider { provider, part });
        }
        steps
    }
}

impl Input {
    /// All of them.
    pub const ALL: [Input; 22] = [
        Input::Session,
        Input::Entry,
        Input::Compaction,
        Input::Provider,
        Input::Model,
        Input::BaseUrl,
        Input::Instructions,
        Input::ReplacePrompt,
        Input::SavedPrompt,
        Input::Strategy,
        Input::Redo,
        Input::Embeddings,
        Input::SearchEmbeddings,
        Input::WordVectors,
        Input::Window,
        Input::Policies,
        Input::DataFolder,
        Input::Run,
        Input::Summary,
        Input::PromptText,
        Input::Name,
        Input::Command,
    ];
}

impl Listed {
    /// All of them.
    pub const ALL: [Listed; 17] = [
        Listed::Strategies,
        Listed::Parameters,
        Listed::Policies,
        Listed::PolicyParameters,
        Listed::Providers,
        Listed::Prompts,
        Listed::Presets,
        Listed::Runs,
        Listed::Tokenizers,
        Listed::ProviderKinds,
        Listed::CutSets,
        Listed::Experiments,
        Listed::Written,
        Listed::Facts,
        Listed::Judgements,
        Listed::CoderServers,
        Listed::InstalledPrompts,
    ];
}

impl ProviderPart {
    /// All of them.
    pub const ALL: [ProviderPart; 5] = [
        ProviderPart::Settings,
        ProviderPart::BaseUrl,
        ProviderPart::Server,
        ProviderPart::Kind,
        ProviderPart::Command,
    ];
}
