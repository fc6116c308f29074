//! The parts a session is made of: models, replies, shell runs.

use serde_json::{Value, json};

/// A model as a session names it, with the prices the agent would have reckoned with.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionModel {
    /// Provider name as pi spells it.
    pub provider: String,
    /// Model id as pi spells it.
    pub id: String,
    /// pi's name of the protocol, for example `anthropic-messages`.
    pub api: String,
    /// US dollars per million tokens: input, output, cache read, cache write.
    pub prices: [f64; 4],
}

impl SessionModel {
    /// A model by its names, with made-up prices.
    pub fn new(provider: &str, id: &str, api: &str) -> SessionModel {
        SessionModel {
            provider: provider.to_owned(),
            id: id.to_owned(),
            api: api.to_owned(),
            prices: [3.0, 15.0, 0.3, 3.75],
        }
    }

    /// The same model with other prices (US dollars per million: input, output, cache read,
    /// cache write).
    pub fn priced(mut self, prices: [f64; 4]) -> SessionModel {
        self.prices = prices;
        self
    }
}

impl Default for SessionModel {
    /// Anthropic's Claude Sonnet 4.5.
    fn default() -> Self {
        SessionModel::new("anthropic", "claude-sonnet-4-5", "anthropic-messages")
    }
}

/// What the assistant says in one message.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub(super) blocks: Vec<Block>,
    pub(super) stop_reason: Option<String>,
    pub(super) error_message: Option<String>,
    pub(super) usage: Option<ReplyUsage>,
    pub(super) model: Option<SessionModel>,
}

#[derive(Debug, Clone)]
pub(super) enum Block {
    Thinking(String),
    Text(String),
    Call {
        id: Option<String>,
        name: String,
        arguments: Value,
    },
}

/// Usage that a test sets by hand instead of having it worked out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplyUsage {
    /// Uncached input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Tokens written to the cache.
    pub cache_write: u64,
    /// The total as the provider reports it.
    pub total: u64,
}

impl Reply {
    /// An empty message.
    pub fn new() -> Reply {
        Reply::default()
    }

    /// Adds a thinking block.
    pub fn think(mut self, text: &str) -> Reply {
        self.blocks.push(Block::Thinking(text.to_owned()));
        self
    }

    /// Adds a text block.
    pub fn text(mut self, text: &str) -> Reply {
        self.blocks.push(Block::Text(text.to_owned()));
        self
    }

    /// Adds a tool call; its id is made up.
    pub fn call(mut self, name: &str, arguments: Value) -> Reply {
        self.blocks.push(Block::Call {
            id: None,
            name: name.to_owned(),
            arguments,
        });
        self
    }

    /// Adds a tool call with a given id.
    pub fn call_with_id(mut self, id: &str, name: &str, arguments: Value) -> Reply {
        self.blocks.push(Block::Call {
            id: Some(id.to_owned()),
            name: name.to_owned(),
            arguments,
        });
        self
    }

    /// Ends the message for another reason than the natural one (`toolUse` after a call, else
    /// `stop`): `length`, `error`, `aborted`. The last two report no usage unless it is set.
    pub fn stopped(mut self, reason: &str, error_message: Option<&str>) -> Reply {
        self.stop_reason = Some(reason.to_owned());
        self.error_message = error_message.map(str::to_owned);
        self
    }

    /// Sets the usage by hand.
    pub fn usage(mut self, usage: ReplyUsage) -> Reply {
        self.usage = Some(usage);
        self
    }

    /// Names another model than the session's current one.
    pub fn from_model(mut self, model: SessionModel) -> Reply {
        self.model = Some(model);
        self
    }

    pub(super) fn has_call(&self) -> bool {
        self.blocks
            .iter()
            .any(|block| matches!(block, Block::Call { .. }))
    }
}

/// A command the user ran beside the model.
#[derive(Debug, Clone)]
pub struct Shell {
    pub(super) command: String,
    pub(super) output: String,
    pub(super) exit_code: Option<i32>,
    pub(super) cancelled: bool,
    pub(super) truncated: bool,
    pub(super) excluded: bool,
}

impl Shell {
    /// A command that succeeded.
    pub fn new(command: &str, output: &str) -> Shell {
        Shell {
            command: command.to_owned(),
            output: output.to_owned(),
            exit_code: Some(0),
            cancelled: false,
            truncated: false,
            excluded: false,
        }
    }

    /// Sets the exit code.
    pub fn exit(mut self, code: i32) -> Shell {
        self.exit_code = Some(code);
        self
    }

    /// Marks it as cancelled by the user; a cancelled command has no exit code.
    pub fn cancelled(mut self) -> Shell {
        self.cancelled = true;
        self.exit_code = None;
        self
    }

    /// Marks its output as cut.
    pub fn truncated(mut self) -> Shell {
        self.truncated = true;
        self
    }

    /// Keeps it out of the model's context (pi's `!!`).
    pub fn excluded(mut self) -> Shell {
        self.excluded = true;
        self
    }

    pub(super) fn message(&self, at_ms: i64) -> Value {
        let mut message = json!({
            "role": "bashExecution",
            "command": self.command,
            "output": self.output,
        });
        if let Some(code) = self.exit_code {
            message["exitCode"] = json!(code);
        }
        message["cancelled"] = json!(self.cancelled);
        message["truncated"] = json!(self.truncated);
        message["timestamp"] = json!(at_ms);
        if self.excluded {
            message["excludeFromContext"] = json!(true);
        }
        message
    }
}

/// How a compaction record is made.
#[derive(Debug, Clone)]
pub struct CompactionSpec {
    pub(super) summary: String,
    pub(super) cut: CutChoice,
    pub(super) append_files: bool,
    pub(super) from_hook: bool,
    pub(super) tokens_before: Option<u64>,
}

#[derive(Debug, Clone)]
pub(super) enum CutChoice {
    KeepRecent(u64),
    FirstKept(String),
    KeepNothing,
}

impl CompactionSpec {
    /// A compaction that keeps about the last 20,000 tokens (pi's `keepRecentTokens`) and ends
    /// its summary with the lists of files, as pi does.
    pub fn new(summary: &str) -> CompactionSpec {
        CompactionSpec {
            summary: summary.to_owned(),
            cut: CutChoice::KeepRecent(20_000),
            append_files: true,
            from_hook: false,
            tokens_before: None,
        }
    }

    /// Keeps about that many of the last tokens, cut where pi would cut.
    pub fn keep_recent(mut self, tokens: u64) -> CompactionSpec {
        self.cut = CutChoice::KeepRecent(tokens);
        self
    }

    /// Keeps everything from the entry with this id; the id need not exist.
    pub fn first_kept(mut self, id: &str) -> CompactionSpec {
        self.cut = CutChoice::FirstKept(id.to_owned());
        self
    }

    /// Keeps nothing: the record names itself (pi 0.87 and later).
    pub fn keep_nothing(mut self) -> CompactionSpec {
        self.cut = CutChoice::KeepNothing;
        self
    }

    /// Leaves the summary text exactly as given.
    pub fn without_file_lists(mut self) -> CompactionSpec {
        self.append_files = false;
        self
    }

    /// Says that an extension wrote the summary.
    pub fn from_hook(mut self) -> CompactionSpec {
        self.from_hook = true;
        self
    }

    /// Sets the stored size before, instead of working it out.
    pub fn tokens_before(mut self, tokens: u64) -> CompactionSpec {
        self.tokens_before = Some(tokens);
        self
    }
}
