//! Words of other crates on the wire. Each enum here has the variants of one of the program's own:
//! the conversion names them all, so that it does not compile where they differ.

use serde::Serialize;
use serde::de::{DeserializeOwned, IntoDeserializer, value};

/// How a word is written on the wire; empty for what is no word.
pub fn written<T: Serialize>(word: T) -> String {
    match serde_json::to_value(word) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

/// The word that is written so on the wire.
pub fn word<T: DeserializeOwned>(text: &str) -> Option<T> {
    // By serde, so that each name is written in one place.
    let text: value::StrDeserializer<'_, value::Error> = text.into_deserializer();
    T::deserialize(text).ok()
}

/// An enum of the wire with the variants of another, and the way there. On the wire a variant is
/// its name in snake case, unless it is renamed.
// Lists kept by hand had drifted: steps of a call lacked `pair`, changes of a session lacked
// `new`.
macro_rules! word {
    (
        $(#[$meta:meta])* pub enum $name:ident = $of:ty {
            $($(#[$of_variant:meta])* $variant:ident,)*
        }
    ) => {
        wire! {
            $(#[$meta])*
            #[derive(Copy, Eq, Hash)]
            #[serde(rename_all = "snake_case")]
            pub enum $name {
                $($(#[$of_variant])* $variant,)*
            }
        }

        impl From<$of> for $name {
            fn from(word: $of) -> $name {
                match word {
                    $(<$of>::$variant => $name::$variant,)*
                }
            }
        }
    };
}

/// The way back, for words that requests have as well.
macro_rules! asked {
    ($name:ident = $of:ty { $($variant:ident),* }) => {
        impl From<$name> for $of {
            fn from(word: $name) -> $of {
                match word {
                    $($name::$variant => <$of>::$variant,)*
                }
            }
        }
    };
}

word! {
    /// What became of a prompt that the user wrote while the model was at work.
    pub enum QueueFate = palimpsest_app::QueueFate {
        /// It was sent when the model was done.
        Sent,
        /// It was sent while the model was at work.
        Passed,
        /// The user took it back.
        TakenBack,
        /// It still waits at the end of the session.
        NeverSent,
    }
}

word! {
    /// What the user answered to a plan.
    pub enum PlanAnswer = palimpsest_app::search::PlanAnswer {
        /// The agent may go on.
        Approved,
        /// It may not.
        Rejected,
    }
}

word! {
    /// On what the size of a context rests.
    pub enum SizeBasis = palimpsest_app::SizeBasis {
        /// On the newest report, plus estimates of what follows it.
        Reported,
        /// On earlier reports: the context changed since.
        Forecast,
        /// On estimates: nothing was reported.
        Estimated,
    }
}

word! {
    /// How tokens are counted: an encoding of OpenAI's tiktoken.
    pub enum Tokenizer = palimpsest_app::Encoding {
        /// That of GPT-4o and later models.
        O200k,
        /// That of GPT-4 and GPT-3.5.
        Cl100k,
    }
}

asked! { Tokenizer = palimpsest_app::Encoding { O200k, Cl100k } }

word! {
    /// What an id names, besides an entry.
    pub enum NamedKind = palimpsest_app::search::NamedKind {
        /// A session.
        Session,
        /// A run.
        Run,
        /// A version of a saved prompt.
        Prompt,
        /// A session that Palimpsest wrote, or an addition to one.
        Write,
        /// A session that goes on in another file without some of its turns.
        TakenBack,
    }
}

word! {
    /// What happened to a session's source.
    pub enum SessionChange = palimpsest_app::index::ChangeKind {
        /// Entries were added at its end.
        Appended,
        /// Anything may be different.
        Rewritten,
        /// It was not there before.
        New,
        /// It is gone.
        Removed,
    }
}

word! {
    /// How much a notice matters.
    pub enum NoticeLevel = palimpsest_app::NoticeLevel {
        /// Worth knowing.
        Info,
        /// Something does not work as it should; the program goes on without it.
        Warning,
        /// Something failed.
        Error,
    }
}

word! {
    /// The colours of the window.
    #[derive(Default)]
    pub enum Theme = palimpsest_app::Theme {
        /// Those of the desktop.
        #[default]
        System,
        /// Dark text on a light ground.
        Light,
        /// Light text on a dark ground.
        Dark,
    }
}

asked! { Theme = palimpsest_app::Theme { System, Light, Dark } }

word! {
    /// Which API a provider speaks.
    pub enum ProviderKind = palimpsest_app::ProviderKind {
        /// OpenAI Chat Completions, which most servers imitate.
        // Snake case would make `open_ai` of it.
        #[serde(rename = "openai")]
        OpenAi,
        /// OpenAI Responses.
        Responses,
        /// Anthropic Messages.
        Anthropic,
        /// Google Gemini.
        Gemini,
        /// A program on this machine.
        Command,
        /// The offline summarizer.
        Offline,
    }
}

asked! { ProviderKind = palimpsest_app::ProviderKind { OpenAi, Responses, Anthropic, Gemini, Command, Offline } }

word! {
    /// What its sources say of a sentence of a summary.
    pub enum ClaimVerdict = palimpsest_app::claims::Verdict {
        /// The same.
        Supported,
        /// The opposite.
        Contradicted,
        /// It was so once, and changed later in the span.
        Stale,
        /// Nothing: it names what no source has.
        WithoutSource,
        /// The rules cannot tell.
        Unchecked,
    }
}

word! {
    /// How far a cell of an experiment came.
    pub enum LabCellState = palimpsest_app::lab::LabCellState {
        /// Not begun, or cut off.
        Waiting,
        /// Its run is under way.
        Running,
        /// It has a summary with figures.
        Done,
        /// Its run failed, or cannot be made.
        Failed,
    }
}

word! {
    /// Where a provider's key comes from.
    pub enum KeyState = palimpsest_app::KeyState {
        /// It needs none.
        NoneNeeded,
        /// The environment.
        Environment,
        /// The OS keyring.
        Keyring,
        /// Nowhere: it must be given first.
        Missing,
    }
}

word! {
    /// How far a run came.
    pub enum RunStatus = palimpsest_app::RunStatus {
        /// It has not ended.
        Running,
        /// It has its summary.
        Done,
        /// It stopped with an error.
        Failed,
        /// The user stopped it.
        Cancelled,
        /// The program that made it ended before it.
        Interrupted,
    }
}

word! {
    /// What a model is asked as judge.
    pub enum JudgeWhat = palimpsest_app::judge::What {
        /// Decisions, findings and constraints of a summarized span.
        Facts,
        /// Which of two summaries of one cut is better.
        Pair,
        /// Questions with known answers, from the next context alone.
        Probes,
        /// Statements of a summary in its span, and facts of the span in the next context.
        Claims,
    }
}

asked! { JudgeWhat = palimpsest_app::judge::What { Facts, Pair, Probes, Claims } }

word! {
    /// Whether the agent still has a fact, in the summary or in the kept tail.
    pub enum FactVerdict = palimpsest_app::judge::FactVerdict {
        /// All that matters of it.
        Kept,
        /// A part of it.
        Partly,
        /// With another meaning.
        Changed,
        /// Nothing of it.
        Dropped,
        /// There is no verdict.
        Unchecked,
    }
}

word! {
    /// Why there is no verdict on something that a model was asked about.
    pub enum NotChecked = palimpsest_app::judge::NotChecked {
        /// The reply leaves it out.
        LeftOut,
        /// The verdict is none of those asked for.
        Verdict,
        /// It cites no entry of the prompt.
        NoEntry,
        /// Its quote does not stand in what it cites.
        NotQuoted,
        /// It judges a name that the sentence does not have.
        Names,
    }
}

word! {
    /// What a probe asks.
    pub enum ProbeKind = palimpsest_app::judge::ProbeKind {
        /// Which files were changed.
        FilesEdited,
        /// Which command tested, built or checked last.
        LastCheck,
        /// Which of these commands failed last.
        LastFailed,
    }
}

word! {
    /// Why a fact that a model stated does not count.
    pub enum Rejection = palimpsest_app::judge::Rejection {
        /// It is of no kind that was asked for, or has no text.
        Form,
        /// It cites no entry of the prompt.
        NoEntry,
        /// Its quote does not stand in the entries that it cites, and it has no names that do.
        NotQuoted,
        /// It names something that does not stand in the entries that it cites.
        Names,
        /// It is a constraint, and the user does not say it.
        NotTheUser,
    }
}

word! {
    /// What a written file is now.
    pub enum WrittenStanding = palimpsest_app::writing::Standing {
        /// As it was written.
        AsWritten,
        /// The agent has continued in it, or someone changed it.
        Continued,
        /// The file does not exist.
        Missing,
        /// The user took it back.
        Undone,
    }
}

word! {
    /// What a row of a side-by-side difference shows.
    pub enum DiffKind = palimpsest_app::diff::RowKind {
        /// The same line on both sides.
        Equal,
        /// A line only the right side has.
        Insert,
        /// A line only the left side has.
        Delete,
        /// A line that was changed.
        Replace,
    }
}

word! {
    /// What a plan would do.
    pub enum PlanKind = palimpsest_app::run::PlanKind {
        /// Summarize the beginning of a context.
        Compaction,
        /// Summarize a branch that is left.
        BranchSummary,
        /// Nothing: there is nothing to do.
        Nothing,
    }
}

word! {
    /// What a plan makes of a message of the context.
    pub enum ItemFate = palimpsest_app::run::Fate {
        /// A system prompt, which always stays.
        System,
        /// The previous summary, which the new one replaces.
        Carried,
        /// It goes into the summary of the history.
        Summarized,
        /// It goes into the summary of the split turn's beginning.
        TurnPrefix,
        /// It stays as it is.
        Kept,
        /// It is neither kept nor summarized.
        Dropped,
    }
}

word! {
    /// What a part of the next request is.
    pub enum NextKind = palimpsest_app::run::NextKind {
        /// What is always sent.
        System,
        /// A summary.
        Summary,
        /// Messages of the context that stay.
        Kept,
        /// A text of the strategy.
        Text,
    }
}

word! {
    /// What a call is for.
    pub enum Purpose = palimpsest_app::run::Purpose {
        /// It summarizes the history.
        History,
        /// It summarizes the beginning of a turn whose end is kept.
        TurnPrefix,
        /// It summarizes a branch that is left.
        Branch,
    }
}

word! {
    /// Which step of its purpose a call is.
    pub enum StepKind = palimpsest_app::run::StepKind {
        /// The only one.
        Whole,
        /// One segment of several.
        Slice,
        /// One tool call with its result, of several.
        Pair,
        /// It makes one summary of those of all segments.
        Stitch,
        /// It checks a summary and corrects it.
        Check,
        /// It asks for questions to reflect on.
        Questions,
        /// It asks for insights that answer a question.
        Insights,
        /// It asks how important exchanges are.
        Ratings,
    }
}

word! {
    /// In which form a call gives the conversation.
    pub enum RequestForm = palimpsest_app::run::RequestForm {
        /// Written out as one text in a user message.
        Transcript,
        /// The messages of the session, and the request as one more message.
        Conversation,
    }
}

wire! {
    /// What a block of a message is.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum CallBlockKind {
        /// Text.
        Text,
        /// Reasoning, which is not sent.
        Thinking,
        /// A tool call; its text is the arguments as JSON.
        ToolCall,
        /// The result of one.
        ToolResult,
        /// An image, which is not sent.
        Image,
    }
}

impl From<&palimpsest_app::run::BlockKind> for CallBlockKind {
    fn from(kind: &palimpsest_app::run::BlockKind) -> CallBlockKind {
        use palimpsest_app::run::BlockKind;
        match kind {
            BlockKind::Text => CallBlockKind::Text,
            BlockKind::Thinking => CallBlockKind::Thinking,
            BlockKind::ToolCall { .. } => CallBlockKind::ToolCall,
            BlockKind::ToolResult { .. } => CallBlockKind::ToolResult,
            BlockKind::Image { .. } => CallBlockKind::Image,
        }
    }
}

word! {
    /// Who answers a call.
    pub enum Worker = palimpsest_app::run::Worker {
        /// The chosen model.
        Model,
        /// The weaker model first, and the chosen one when that fails.
        Weak,
        /// The offline summarizer, whatever was chosen.
        Offline,
        /// A program of the user, whatever was chosen.
        External,
    }
}

word! {
    /// What a strategy needs to run.
    #[derive(Default)]
    pub enum Needs = palimpsest_app::run::Needs {
        /// A model, or the offline summarizer in its place.
        #[default]
        #[serde(rename = "model")]
        Summarizer,
        /// Nothing but this machine.
        Nothing,
        /// A model: the offline summarizer cannot stand in for it.
        // Apart from `model`, so that the window does not offer such a strategy offline.
        #[serde(rename = "model_only")]
        Model,
        /// A program of the user, named as its command.
        Program,
    }
}

word! {
    /// What values a parameter takes.
    pub enum ParamKind = palimpsest_app::run::ParamType {
        /// A whole number, not negative.
        Integer,
        /// Yes or no.
        Boolean,
        /// A whole number, or one of the parameter's words.
        IntegerOrWord,
        /// A number, with a fraction or without.
        Number,
        /// One of the parameter's words.
        Word,
        /// Any text.
        Text,
        /// A list of texts.
        Texts,
    }
}

word! {
    /// What is held against a policy's threshold.
    pub enum Counting = palimpsest_app::policies::Counting {
        /// What the provider reported last, and an estimate of what came after.
        UsageAndTrailing,
        /// What the provider reported last, request and reply.
        LastUsage,
        /// What the provider reported last of the request, without its reply.
        LastRequest,
        /// An estimate of the messages, without the system prompt and the tools.
        Estimate,
        /// An estimate of the whole request.
        RequestEstimate,
    }
}

word! {
    /// When a policy looks at the context.
    pub enum PolicyCheck = palimpsest_app::policies::Check {
        /// When the user has written a prompt, before it is taken into the context.
        BeforePrompt,
        /// With the prompt in the context, before it is sent.
        BeforeRequest,
        /// After the results of tools, before the next request of the same turn.
        BetweenTools,
        /// After every reply, before its tools run.
        AfterStep,
        /// After the reply that ends a turn.
        AfterRun,
    }
}

/// An enum of the wire for what the program has as texts; [`word`] is the way there.
macro_rules! named {
    (
        $(#[$meta:meta])* pub enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident = $text:literal,)*
        }
    ) => {
        wire! {
            $(#[$meta])*
            #[derive(Copy, Eq, Hash)]
            pub enum $name {
                $($(#[$of_variant])* #[serde(rename = $text)] $variant,)*
            }
        }

    };
}

named! {
    /// A stage of a strategy, as the first part of a parameter's place names it.
    pub enum Stage {
        /// What is summarized and what is kept.
        Select = "select",
        /// What is made smaller without a model.
        Reduce = "reduce",
        /// Which calls are made.
        Summarize = "summarize",
        /// What the next request contains.
        Assemble = "assemble",
        /// The texts of the prompts.
        Prompts = "prompts",
    }
}

named! {
    /// Where a kind can stand in a preset.
    pub enum StagePlace {
        /// The kind of the select stage.
        Select = "select",
        /// A step of the reduce stage.
        Reduce = "reduce",
        /// The method of the summarize stage.
        Method = "summarize.method",
        /// The transcript of the summarize stage.
        Transcript = "summarize.transcript",
        /// The rule of the summarize stage for a call that does not fit.
        Overflow = "summarize.overflow",
        /// A part of the next request.
        Next = "assemble.next",
    }
}

named! {
    /// The unit of a policy's number.
    pub enum PolicyUnit {
        /// Tokens.
        Tokens = "tokens",
        /// Per cent, 0 to 100.
        Percent = "%",
        /// Messages.
        Messages = "messages",
        /// Turns.
        Turns = "turns",
        /// How often something happens.
        Times = "times",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_app::run::{ParamSpec, stage_kinds, strategies};

    /// What the program says in texts is on the wire: a new stage, place or unit fails here.
    #[test]
    fn every_stage_place_and_unit_is_named() {
        let stage = |spec: &ParamSpec| spec.path.split('.').next().map(str::to_owned);
        let mut stages: Vec<String> = Vec::new();
        for strategy in strategies() {
            stages.extend(strategy.params.iter().filter_map(stage));
        }
        for kind in stage_kinds() {
            assert!(word::<StagePlace>(kind.stage).is_some(), "{}", kind.stage);
            stages.extend(kind.params.iter().filter_map(stage));
        }
        assert!(!stages.is_empty());
        for stage in stages {
            assert!(word::<Stage>(&stage).is_some(), "{stage}");
        }
        let mut units = 0;
        for policy in palimpsest_app::policies::Policy::built_in() {
            for unit in policy.params().into_iter().filter_map(|param| param.unit) {
                assert!(word::<PolicyUnit>(unit).is_some(), "{unit}");
                units += 1;
            }
        }
        assert!(units > 0);
    }

    #[test]
    fn what_needs_a_model_is_told_from_what_the_offline_summarizer_can_do() {
        use palimpsest_app::run::Needs as Own;
        let told = |needs: Own| serde_json::to_value(Needs::from(needs)).unwrap();
        assert_eq!(told(Own::Summarizer), "model");
        assert_eq!(told(Own::Model), "model_only");
        assert_eq!(told(Own::Nothing), "nothing");
        assert_eq!(told(Own::Program), "program");
    }
}

word! {
    /// How the session came back to a dropped fact.
    pub enum Again = palimpsest_app::regret::Again {
        /// The user said it again.
        Said,
        /// A file was read again.
        Read,
        /// A command was run again.
        Run,
        /// An error was made again.
        Failed,
        /// A name or a figure was looked up or used.
        LookedUp,
        /// The agent told it again.
        Told,
    }
}
