//! Failures in two parts: what happened, and what the user can do next.
//!
//! An error's message says what happened and to which file, path last. The next step is a value
//! beside it, made with the error, because each host words it differently: the command line names
//! its options and commands, the window shows a button or names a place.

use crate::words::thousands;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A parameter of a strategy with a value that is proposed for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Its name in the strategy.
    pub name: String,
    /// What forms call it; empty in plans that earlier versions stored.
    #[serde(default)]
    pub label: String,
    /// The value, in the unit of the parameter.
    pub value: u64,
}

/// What a user can do after a failure.
///
/// `Display` gives the step in words that hold in every host; they name no option, command or
/// place on the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NextStep {
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
        /// The copy of an original from before the write; `None` of a new file.
        backup: Option<String>,
    },
    /// Quit the agent that has the session open.
    QuitAgent,
    /// Load the page again: it is of another version than the program.
    Reload,
    /// Give something that is missing or that leads nowhere.
    Give {
        /// What.
        what: Input,
    },
    /// Leave out something that does not go with the rest.
    LeaveOut {
        /// What.
        what: Input,
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
        what: Listed,
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
        /// The parameter that says how much is kept, with a value at which something is left to
        /// summarize; `None` where the strategy has none or no value of it would help.
        setting: Option<Setting>,
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
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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
        part: ProviderPart,
    },
    /// Send less, or to a model that takes more.
    SummarizeLess,
    /// Send less, or to a model that answers sooner.
    TryFaster,
    /// Have the summary stand for more of the conversation.
    SummarizeMore,
    /// Let a reply be longer.
    AllowMoreOutput {
        /// The limit that was too small, in tokens; `None` where none was set, and in runs that
        /// earlier versions stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// Something a user gives with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
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

/// Something there is a list of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Listed {
    /// Strategies.
    Strategies,
    /// Parameters of a strategy.
    Parameters,
    /// Prompts of a strategy, by the places of saved prompts.
    PromptPlaces,
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
}

/// A part of a provider's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderPart {
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

impl Input {
    /// It with its article, as in "give an entry".
    pub fn noun(self) -> &'static str {
        match self {
            Input::Session => "the id or the file of a session",
            Input::Entry => "an entry of the session",
            Input::Compaction => "a compaction of the session",
            Input::Provider => "a provider that has models",
            Input::Model => "a model",
            Input::BaseUrl => "the address of the API",
            Input::Instructions => "custom instructions",
            Input::ReplacePrompt => "replacing the prompt",
            Input::SavedPrompt => "the saved prompt",
            Input::Strategy => "a strategy",
            Input::Redo => "planning a compaction again",
            Input::SearchEmbeddings => {
                "an embedding model of a provider, or a file of word vectors, for a search by meaning"
            }
            Input::Embeddings => {
                "an embedding model of a provider, or a file of word vectors, for comparing texts"
            }
            Input::WordVectors => {
                "a text file with a word and its numbers on each line, as GloVe and word2vec \
                 write them"
            }
            Input::Window => "the size of the model's context window",
            Input::Policies => "the policy",
            Input::DataFolder => "a folder for the databases",
            Input::Run => "a run",
            Input::Summary => "the text of a summary",
            Input::PromptText => "the text of the prompt",
            Input::Name => "a name",
            Input::Command => "the program and its arguments as a command",
        }
    }
}

impl Listed {
    /// One of them without an article, as in "the strategies are".
    pub fn plural(self) -> &'static str {
        match self {
            Listed::Strategies => "strategies",
            Listed::Parameters | Listed::PolicyParameters => "parameters",
            Listed::PromptPlaces => "prompts of the strategy",
            Listed::Policies => "policies",
            Listed::Providers => "providers",
            Listed::Prompts => "saved prompts",
            Listed::Presets => "custom strategies",
            Listed::Runs => "runs",
            Listed::Tokenizers => "tokenizers",
            Listed::ProviderKinds => "kinds of provider",
            Listed::CutSets => "sets of cuts",
            Listed::Experiments => "experiments",
            Listed::Written => "written sessions",
            Listed::Facts => "facts of the ledger",
            Listed::Judgements => "judgements of the session",
            Listed::CoderServers => "Coder servers",
            Listed::InstalledPrompts => "prompts of installed agents",
        }
    }
}

impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NextStep::TryAgain => "Try again.",
            NextStep::TryAgainIn { seconds } => return write!(f, "Try again in {seconds} s."),
            NextStep::TryLater => "Wait a while, then try again.",
            NextStep::OpenAgain => "Open the session again.",
            NextStep::PlanAgain => "Make the plan again.",
            NextStep::RunAgain => "Run it again.",
            NextStep::WriteNew => "Write a new session instead.",
            NextStep::UndoByHand {
                backup: Some(backup),
            } => {
                return write!(
                    f,
                    "The file as it was before the write is in {backup}. To give up what was added \
                     since, copy it back."
                );
            }
            NextStep::UndoByHand { backup: None } => {
                "Delete the file to give up what was added to it."
            }
            NextStep::QuitAgent => "Quit the agent, then try again.",
            NextStep::Reload => "Load the page again.",
            NextStep::Give { what } => return write!(f, "Give {}.", what.noun()),
            NextStep::LeaveOut { what } => return write!(f, "Leave out {}.", what.noun()),
            NextStep::GiveLongerId => "Give more characters of the id.",
            NextStep::UseId { ids } => return write!(f, "Use {}.", ids.join(" or ")),
            NextStep::Rescan => {
                "Read the session folders again to remove it from the list, or restore the file."
            }
            NextStep::CorrectFilter => "Correct the filter. To find the text itself, put it in double quotes.",
            NextStep::WidenQuery => "Use fewer words or filters.",
            NextStep::GiveWholeName { known } => {
                return write!(f, "Give one of the longer names: {}.", known.join(", "));
            }
            NextStep::Choose { what, known, .. } if known.is_empty() => {
                return write!(f, "Choose one of the {} that exist.", what.plural());
            }
            NextStep::Choose { what, known, .. } => {
                return write!(f, "The {} are: {}.", what.plural(), known.join(", "));
            }
            NextStep::ChooseLater => "Choose a later entry.",
            NextStep::ChooseBranch => "Choose another branch or session.",
            NextStep::ChooseEntries => {
                "Choose entries that the context holds after the last compaction."
            }
            NextStep::ChooseTarget => "Choose another target entry.",
            NextStep::Redo => "Plan this compaction again.",
            NextStep::KeepLess {
                later: true,
                setting: None,
            } => "Choose a later entry.",
            // Nothing can be chosen here: only a longer conversation helps.
            NextStep::KeepLess {
                later: false,
                setting: None,
            } => "Try again when the session is longer, or choose another strategy.",
            NextStep::KeepLess {
                later,
                setting: Some(setting),
            } => {
                let first = if *later {
                    "Choose a later entry, or keep"
                } else {
                    "Keep"
                };
                let Setting { name, label, value } = setting;
                let name = if label.is_empty() { name } else { label };
                return write!(
                    f,
                    "{first} less of the conversation, for example with {name} = {value}."
                );
            }
            NextStep::SpareLess { later: false } => "Let the rules spare less.",
            NextStep::SpareLess { later: true } => {
                "Choose a later entry, or let the rules spare less."
            }
            NextStep::AskFewer { later: false } => "Require fewer new messages.",
            NextStep::AskFewer { later: true } => {
                "Choose a later entry, or require fewer new messages."
            }
            NextStep::AllowMoreInput => "Allow more input tokens.",
            NextStep::ChangeName => "Choose another name.",
            NextStep::ChangeParameter { name } => {
                return write!(f, "Give '{name}' another value.");
            }
            NextStep::ChooseModel { provider } => {
                return write!(f, "Choose a model that {provider} has.");
            }
            NextStep::ChangeModel => "Try again, or choose another model.",
            NextStep::ChangeModelOrInstructions => {
                "Choose another model, or change the instructions."
            }
            NextStep::ChangeRequest { provider } => {
                return write!(
                    f,
                    "Change the model or the parameters to what {provider} accepts."
                );
            }
            NextStep::ChangeStrategy => "Choose another strategy.",
            NextStep::SetKey {
                provider,
                env,
                no_keyring,
            } => {
                return match env {
                    Some(name) if *no_keyring => write!(
                        f,
                        "Set the environment variable {name} to a valid API key for {provider} and \
                         start the program again."
                    ),
                    Some(name) => write!(
                        f,
                        "Set the environment variable {name} to a valid API key for {provider} and \
                         start the program again, or store the key in Settings."
                    ),
                    None => write!(f, "Store a valid API key for {provider} in Settings."),
                };
            }
            NextStep::SetToken { server } => {
                return write!(
                    f,
                    "Store a token for {server} in Settings, under Coder servers."
                );
            }
            NextStep::UnlockKeyring => {
                "Start and unlock the keyring of the system, or set the key in an environment \
                 variable instead and start the program again."
            }
            NextStep::AddCredit { provider } => {
                return write!(f, "Add credit at {provider}, or choose another provider.");
            }
            NextStep::EditProvider { provider, part } => {
                return match part {
                    ProviderPart::Settings => write!(f, "Correct the settings of {provider}."),
                    ProviderPart::BaseUrl => write!(
                        f,
                        "Correct the base URL of {provider}. It is the address of the API and \
                         usually ends in /v1."
                    ),
                    ProviderPart::Server => write!(
                        f,
                        "Check that the server is running, and that the address of {provider} \
                         in the settings is correct."
                    ),
                    ProviderPart::Kind => {
                        write!(
                            f,
                            "Check the base URL and the kind of API of {provider}: the server at \
                             this address speaks another API, or is no API."
                        )
                    }
                    ProviderPart::Command => write!(
                        f,
                        "Run the command of {provider} in a terminal to see what it needs, or \
                         correct it in its settings."
                    ),
                };
            }
            NextStep::SummarizeLess => {
                "Summarize a shorter span, or choose a model with a larger context window or a \
                 strategy that splits the span."
            }
            NextStep::TryFaster => "Try again with a shorter span or a faster model.",
            NextStep::SummarizeMore => "Summarize more of the conversation, or keep less of it.",
            NextStep::AllowMoreOutput { limit: None } => {
                "Allow more output tokens, summarize a shorter span, or choose another model."
            }
            NextStep::AllowMoreOutput { limit: Some(limit) } => {
                return write!(
                    f,
                    "Allow more than {} output tokens, summarize a shorter span, or choose another \
                     model.",
                    thousands(*limit)
                );
            }
            NextStep::CorrectProgram => "Correct what the program prints.",
            NextStep::GiveLine => "Name the entry by its line, such as line:12.",
            NextStep::ShortenQuery => "Search for fewer words.",
            NextStep::SetUpKeyAtMachine => {
                "Set the provider and its key up at the machine on which the server runs."
            }
            NextStep::SetUpProgram { presets } => {
                return write!(
                    f,
                    "Set the program up in the desktop window, or in a preset file (folder \
                     {presets})."
                );
            }
            NextStep::CheckFile => "Check the path, and that you can read what is there.",
            NextStep::CheckFolder => "Check that the folder exists and that you can write to it.",
            NextStep::FreeSpace => "Free some disk space and try again.",
            NextStep::CorrectFile => "Correct the file, or remove it.",
            NextStep::RenameFile { name } => {
                return write!(f, "Rename the file, for example to {name}.");
            }
            NextStep::IndexFolder { .. } => "Index the folder to read the sessions in it.",
            NextStep::RebuildIndex => {
                "Build the index again. It holds nothing that is not in the session files."
            }
            NextStep::RecoverDatabase { .. } => {
                "Copy the file to a safe place, then repair it, or move it away to start with an \
                 empty one."
            }
            NextStep::ReplaceDatabase { .. } => {
                "It cannot be repaired. Restore the file from a backup, or move it away to start with an \
                 empty one."
            }
            NextStep::StartOwner => {
                "Start the program that owns the database once, then try again."
            }
            NextStep::ChangePort => "Choose another port, or stop the program that uses it.",
            NextStep::UpdateProgram => "Update Palimpsest.",
            NextStep::Report => "Please report this defect of Palimpsest.",
        })
    }
}

/// Reads a stored step, for `deserialize_with`; `None` for one that only a newer version of the
/// program knows.
///
/// # Errors
/// As the format's, where no value can be read at all.
pub fn known_step<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NextStep>, D::Error> {
    let step = serde_json::Value::deserialize(from)?;
    // A stored run stays readable in an older program: the message of its error is kept, only the
    // step is lost.
    Ok(serde_json::from_value(step).ok())
}

impl NextStep {
    /// Choose one of `known`; those similar to `name`, which does not exist, are named first.
    pub fn choose(what: Listed, name: &str, known: Vec<String>) -> NextStep {
        NextStep::Choose {
            what,
            similar: crate::words::similar(name, &known),
            known,
        }
    }
}
