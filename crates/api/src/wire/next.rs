//! What a user can do after a failure, as the interface gets it.

use palimpsest_core::failure as core;

wire! {
    /// A parameter of a strategy with a value that is proposed for it.
    #[derive(Eq)]
    pub struct SettingView {
        /// Its name in the strategy.
        pub name: String,
        /// What forms call it.
        pub label: String,
        /// The value, in the unit of the parameter.
        pub value: u64,
    }
}

wire! {
    /// What a user can do after a failure. The interface shows it in its own words, as a button
    /// where the step is something it can do.
    #[derive(Eq)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    pub enum NextStepView {
        /// The same again may succeed.
        TryAgain,
        /// The same again after a wait that the provider named.
        TryAgainIn {
            /// The wait in seconds.
            seconds: u64,
        },
        /// The same again when something else is over.
        TryLater,
        /// Read the session again, because its file has changed.
        OpenAgain,
        /// Make the plan again.
        PlanAgain,
        /// Make the run again: what was kept of it cannot be used.
        RunAgain,
        /// Write a new session instead of appending to the original.
        WriteNew,
        /// Take a write back without the program: the file was changed since.
        UndoByHand {
            /// The copy of an original from before the write; null of a new file.
            backup: Option<String>,
        },
        /// Quit the agent that has the session open.
        QuitAgent,
        /// Load the page again: it is of another version than the program.
        Reload,
        /// Give something that is missing or that leads nowhere.
        Give {
            /// What.
            what: InputView,
        },
        /// Leave out something that does not go with the rest.
        LeaveOut {
            /// What.
            what: InputView,
        },
        /// Give more characters of an id that fits several things.
        GiveLongerId,
        /// Use one of the ids that tell several things with one id apart.
        UseId {
            /// The ids.
            ids: Vec<String>,
        },
        /// Give the whole name of a parameter that is meant.
        GiveWholeName {
            /// The names it may be.
            known: Vec<String>,
        },
        /// Correct a filter of a query.
        CorrectFilter,
        /// Ask for less in a query that finds nothing.
        WidenQuery,
        /// Read the session folders again, because a file in them is gone.
        Rescan,
        /// Choose one of those that exist.
        Choose {
            /// Of what kind.
            what: ListedView,
            /// Their names; empty where they are too many or not known.
            known: Vec<String>,
            /// Those that are similar to the name given, the most similar first; at most three.
            similar: Vec<String>,
        },
        /// Stand on a later entry.
        ChooseLater,
        /// Stand on another branch, or open another session.
        ChooseBranch,
        /// Choose other entries to summarize.
        ChooseEntries,
        /// Choose another target entry.
        ChooseTarget,
        /// Plan the compaction stood on again.
        Redo,
        /// Let the plan keep less.
        KeepLess {
            /// Whether a later entry would do as well.
            later: bool,
            /// The parameter that says how much is kept, with a value that helps here.
            setting: Option<SettingView>,
        },
        /// Let the rules of a strategy that only clears spare less.
        SpareLess {
            /// Whether a later entry would do as well.
            later: bool,
        },
        /// Let fewer new messages be enough.
        AskFewer {
            /// Whether a later entry would do as well.
            later: bool,
        },
        /// Allow more input tokens.
        AllowMoreInput,
        /// Choose another name for what is saved.
        ChangeName,
        /// Give a parameter another value.
        ChangeParameter {
            /// The parameter, as it was named.
            name: String,
        },
        /// Choose a model that the provider has.
        ChooseModel {
            /// The provider's name.
            provider: String,
        },
        /// Choose another model.
        ChangeModel,
        /// Choose another model, or write other instructions.
        ChangeModelOrInstructions,
        /// Choose another model or other parameters: the provider takes no such request.
        ChangeRequest {
            /// The provider's name.
            provider: String,
        },
        /// Choose another strategy.
        ChangeStrategy,
        /// Set the key of a provider.
        SetKey {
            /// The provider's name.
            provider: String,
            /// The environment variable it is read from, where one is set.
            env: Option<String>,
            /// True where no keyring answers, so that only the variable helps.
            no_keyring: bool,
        },
        /// Store the token of a Coder server.
        SetToken {
            /// The server's address.
            server: String,
        },
        /// Unlock the system keyring.
        UnlockKeyring,
        /// Pay the provider, or use another one.
        AddCredit {
            /// The provider's name.
            provider: String,
        },
        /// Correct a provider's settings.
        EditProvider {
            /// The provider's name.
            provider: String,
            /// Which of them.
            part: ProviderPartView,
        },
        /// Send less, or to a model that takes more.
        SummarizeLess,
        /// Send less, or to a model that answers sooner.
        TryFaster,
        /// Have the summary stand for more of the conversation.
        SummarizeMore,
        /// Let a reply be longer.
        AllowMoreOutput {
            /// The limit that was too small, in tokens; null where none was set.
            limit: Option<u64>,
        },
        /// Correct what the external program prints.
        CorrectProgram,
        /// Set the key up at the machine on which the server runs.
        SetUpKeyAtMachine,
        /// Name an entry by its line, because others have its id.
        GiveLine,
        /// Ask a search for less.
        ShortenQuery,
        /// Set up a program on this machine before it is started from a served page.
        SetUpProgram {
            /// Folder of the custom presets.
            presets: String,
        },
        /// Make sure that a file is there and can be read.
        CheckFile,
        /// Make sure that a folder is there and can be written to.
        CheckFolder,
        /// Free disk space.
        FreeSpace,
        /// Correct a file of the user, or remove it.
        CorrectFile,
        /// Give a file of the user another name, because a built-in thing has it.
        RenameFile {
            /// A name it may have.
            name: String,
        },
        /// Index a folder instead of opening it as a session.
        IndexFolder {
            /// The folder.
            path: String,
        },
        /// Have the index made again; it holds nothing that is not in the sessions.
        RebuildIndex,
        /// Save a copy of the damaged user database, then recover it.
        RecoverDatabase {
            /// The database file.
            path: String,
        },
        /// Put another file in the place of the user database, which nothing can repair.
        ReplaceDatabase {
            /// The database file.
            path: String,
        },
        /// Start the program that owns a database, so that it finishes its write.
        StartOwner,
        /// Choose another port to listen on.
        ChangePort,
        /// Update this program.
        UpdateProgram,
        /// Report a defect of this program.
        Report,
    }
}

wire! {
    /// Something a user gives with a request.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum InputView {
        /// A session, by its id or its file.
        Session,
        /// An entry of the session.
        Entry,
        /// A compaction of the session.
        Compaction,
        /// A provider.
        Provider,
        /// A model.
        Model,
        /// The address of a provider's API.
        BaseUrl,
        /// Custom instructions.
        Instructions,
        /// That instructions take the place of the prompt.
        ReplacePrompt,
        /// A prompt saved under a name.
        SavedPrompt,
        /// A strategy.
        Strategy,
        /// That a compaction of the session is planned again.
        Redo,
        /// Where vectors of texts come from.
        Embeddings,
        /// Where the vectors of a search by meaning come from.
        SearchEmbeddings,
        /// A file of word vectors.
        WordVectors,
        /// The size of the model's context window.
        Window,
        /// The policies that are looked at.
        Policies,
        /// The folder of the databases.
        DataFolder,
        /// A run.
        Run,
        /// The text of a summary.
        Summary,
        /// The text of a prompt.
        PromptText,
        /// A name.
        Name,
        /// A command with its program.
        Command,
    }
}

wire! {
    /// Something there is a list of.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum ListedView {
        /// Strategies.
        Strategies,
        /// Parameters of a strategy.
        Parameters,
        /// Policies.
        Policies,
        /// Parameters of a policy.
        PolicyParameters,
        /// Providers.
        Providers,
        /// Prompts saved under a name.
        Prompts,
        /// Presets of the user.
        Presets,
        /// Runs.
        Runs,
        /// Tokenizers.
        Tokenizers,
        /// Kinds of provider.
        ProviderKinds,
        /// Stored sets of cuts.
        CutSets,
        /// Experiments that were begun.
        Experiments,
        /// Sessions that were written.
        Written,
        /// Facts of a ledger.
        Facts,
        /// Judgements of a model on summaries of a session.
        Judgements,
        /// Coder servers whose chats are read.
        CoderServers,
        /// Prompts in the files of installed agents.
        InstalledPrompts,
        /// Prompts of a strategy, by the places of saved prompts.
        PromptPlaces,
    }
}

wire! {
    /// A part of a provider's settings.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum ProviderPartView {
        /// Any of them.
        Settings,
        /// The address of its API.
        BaseUrl,
        /// The server at its address.
        Server,
        /// The kind of API it speaks.
        Kind,
        /// The command of a program.
        Command,
    }
}

impl From<core::NextStep> for NextStepView {
    fn from(step: core::NextStep) -> NextStepView {
        // All are named, so that a new step of the core does not compile until it is here.
        match step {
            core::NextStep::TryAgain => NextStepView::TryAgain,
            core::NextStep::TryAgainIn { seconds } => NextStepView::TryAgainIn { seconds },
            core::NextStep::TryLater => NextStepView::TryLater,
            core::NextStep::OpenAgain => NextStepView::OpenAgain,
            core::NextStep::PlanAgain => NextStepView::PlanAgain,
            core::NextStep::RunAgain => NextStepView::RunAgain,
            core::NextStep::WriteNew => NextStepView::WriteNew,
            core::NextStep::UndoByHand { backup } => NextStepView::UndoByHand { backup },
            core::NextStep::QuitAgent => NextStepView::QuitAgent,
            core::NextStep::Reload => NextStepView::Reload,
            core::NextStep::Give { what } => NextStepView::Give { what: what.into() },
            core::NextStep::LeaveOut { what } => NextStepView::LeaveOut { what: what.into() },
            core::NextStep::GiveLongerId => NextStepView::GiveLongerId,
            core::NextStep::UseId { ids } => NextStepView::UseId { ids },
            core::NextStep::CorrectFilter => NextStepView::CorrectFilter,
            core::NextStep::WidenQuery => NextStepView::WidenQuery,
            core::NextStep::Rescan => NextStepView::Rescan,
            core::NextStep::GiveWholeName { known } => NextStepView::GiveWholeName { known },
            core::NextStep::Choose {
                what,
                known,
                similar,
            } => NextStepView::Choose {
                what: what.into(),
                known,
                similar,
            },
            core::NextStep::ChooseLater => NextStepView::ChooseLater,
            core::NextStep::ChooseBranch => NextStepView::ChooseBranch,
            core::NextStep::ChooseEntries => NextStepView::ChooseEntries,
            core::NextStep::ChooseTarget => NextStepView::ChooseTarget,
            core::NextStep::Redo => NextStepView::Redo,
            core::NextStep::KeepLess { later, setting } => NextStepView::KeepLess {
                later,
                setting: setting.map(|own| SettingView {
                    name: own.name,
                    label: own.label,
                    value: own.value,
                }),
            },
            core::NextStep::SpareLess { later } => NextStepView::SpareLess { later },
            core::NextStep::AskFewer { later } => NextStepView::AskFewer { later },
            core::NextStep::AllowMoreInput => NextStepView::AllowMoreInput,
            core::NextStep::ChangeName => NextStepView::ChangeName,
            core::NextStep::ChangeParameter { name } => NextStepView::ChangeParameter { name },
            core::NextStep::ChooseModel { provider } => NextStepView::ChooseModel { provider },
            core::NextStep::ChangeModel => NextStepView::ChangeModel,
            core::NextStep::ChangeModelOrInstructions => NextStepView::ChangeModelOrInstructions,
            core::NextStep::ChangeRequest { provider } => NextStepView::ChangeRequest { provider },
            core::NextStep::ChangeStrategy => NextStepView::ChangeStrategy,
            core::NextStep::SetKey {
                provider,
                env,
                no_keyring,
            } => NextStepView::SetKey {
                provider,
                env,
                no_keyring,
            },
            core::NextStep::SetToken { server } => NextStepView::SetToken { server },
            core::NextStep::UnlockKeyring => NextStepView::UnlockKeyring,
            core::NextStep::AddCredit { provider } => NextStepView::AddCredit { provider },
            core::NextStep::EditProvider { provider, part } => NextStepView::EditProvider {
                provider,
                part: part.into(),
            },
            core::NextStep::SummarizeLess => NextStepView::SummarizeLess,
            core::NextStep::TryFaster => NextStepView::TryFaster,
            core::NextStep::SummarizeMore => NextStepView::SummarizeMore,
            core::NextStep::AllowMoreOutput { limit } => NextStepView::AllowMoreOutput { limit },
            core::NextStep::CorrectProgram => NextStepView::CorrectProgram,
            core::NextStep::GiveLine => NextStepView::GiveLine,
            core::NextStep::ShortenQuery => NextStepView::ShortenQuery,
            core::NextStep::SetUpKeyAtMachine => NextStepView::SetUpKeyAtMachine,
            core::NextStep::SetUpProgram { presets } => NextStepView::SetUpProgram { presets },
            core::NextStep::CheckFile => NextStepView::CheckFile,
            core::NextStep::CheckFolder => NextStepView::CheckFolder,
            core::NextStep::FreeSpace => NextStepView::FreeSpace,
            core::NextStep::CorrectFile => NextStepView::CorrectFile,
            core::NextStep::RenameFile { name } => NextStepView::RenameFile { name },
            core::NextStep::IndexFolder { path } => NextStepView::IndexFolder { path },
            core::NextStep::RebuildIndex => NextStepView::RebuildIndex,
            core::NextStep::RecoverDatabase { path } => NextStepView::RecoverDatabase { path },
            core::NextStep::ReplaceDatabase { path } => NextStepView::ReplaceDatabase { path },
            core::NextStep::StartOwner => NextStepView::StartOwner,
            core::NextStep::ChangePort => NextStepView::ChangePort,
            core::NextStep::UpdateProgram => NextStepView::UpdateProgram,
            core::NextStep::Report => NextStepView::Report,
        }
    }
}

impl From<core::Input> for InputView {
    fn from(input: core::Input) -> InputView {
        match input {
            core::Input::Session => InputView::Session,
            core::Input::Entry => InputView::Entry,
            core::Input::Compaction => InputView::Compaction,
            core::Input::Provider => InputView::Provider,
            core::Input::Model => InputView::Model,
            core::Input::BaseUrl => InputView::BaseUrl,
            core::Input::Instructions => InputView::Instructions,
            core::Input::ReplacePrompt => InputView::ReplacePrompt,
            core::Input::SavedPrompt => InputView::SavedPrompt,
            core::Input::Strategy => InputView::Strategy,
            core::Input::Redo => InputView::Redo,
            core::Input::Embeddings => InputView::Embeddings,
            core::Input::SearchEmbeddings => InputView::SearchEmbeddings,
            core::Input::WordVectors => InputView::WordVectors,
            core::Input::Window => InputView::Window,
            core::Input::Policies => InputView::Policies,
            core::Input::DataFolder => InputView::DataFolder,
            core::Input::Run => InputView::Run,
            core::Input::Summary => InputView::Summary,
            core::Input::PromptText => InputView::PromptText,
            core::Input::Name => InputView::Name,
            core::Input::Command => InputView::Command,
        }
    }
}

impl From<core::Listed> for ListedView {
    fn from(listed: core::Listed) -> ListedView {
        match listed {
            core::Listed::Strategies => ListedView::Strategies,
            core::Listed::Parameters => ListedView::Parameters,
            core::Listed::Policies => ListedView::Policies,
            core::Listed::PolicyParameters => ListedView::PolicyParameters,
            core::Listed::Providers => ListedView::Providers,
            core::Listed::Prompts => ListedView::Prompts,
            core::Listed::Presets => ListedView::Presets,
            core::Listed::Runs => ListedView::Runs,
            core::Listed::Tokenizers => ListedView::Tokenizers,
            core::Listed::ProviderKinds => ListedView::ProviderKinds,
            core::Listed::CutSets => ListedView::CutSets,
            core::Listed::Experiments => ListedView::Experiments,
            core::Listed::Written => ListedView::Written,
            core::Listed::Facts => ListedView::Facts,
            core::Listed::Judgements => ListedView::Judgements,
            core::Listed::CoderServers => ListedView::CoderServers,
            core::Listed::InstalledPrompts => ListedView::InstalledPrompts,
            core::Listed::PromptPlaces => ListedView::PromptPlaces,
        }
    }
}

impl From<core::ProviderPart> for ProviderPartView {
    fn from(part: core::ProviderPart) -> ProviderPartView {
        match part {
            core::ProviderPart::Settings => ProviderPartView::Settings,
            core::ProviderPart::BaseUrl => ProviderPartView::BaseUrl,
            core::ProviderPart::Server => ProviderPartView::Server,
            core::ProviderPart::Kind => ProviderPartView::Kind,
            core::ProviderPart::Command => ProviderPartView::Command,
        }
    }
}
