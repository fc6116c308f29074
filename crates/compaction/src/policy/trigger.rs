//! Where a policy's line lies.

use serde::{Deserialize, Serialize};

/// What a model can take, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Context window in tokens, request and reply together.
    pub window: Option<u64>,
    /// Most tokens of a request, where the model has such a limit of its own.
    pub max_input: Option<u64>,
    /// Most tokens of a reply.
    pub max_output: Option<u64>,
}

/// What a share is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// The window.
    Window,
    /// The model's limit of input, else its window.
    MaxInput,
    /// The smaller of the limit of input and the window less the longest reply (Zed).
    Capacity,
    /// The limit of input, else nine tenths of the window (Cline).
    Usable,
}

/// Output reserve in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The longest reply, at most this many tokens.
    Most(u64),
    /// The longest reply, at least this many tokens.
    Least(u64),
    /// The longest reply; this many tokens where it is not known.
    Otherwise(u64),
}

impl Reply {
    fn tokens(self, limits: &Limits) -> u64 {
        match self {
            Reply::Most(most) => limits.max_output.unwrap_or(most).min(most),
            Reply::Least(least) => limits.max_output.unwrap_or(least).max(least),
            Reply::Otherwise(tokens) => limits.max_output.unwrap_or(tokens),
        }
    }
}

/// A rule for the line at which a policy fires.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Trigger {
    /// There is no line.
    Never {
        /// Why.
        reason: String,
    },
    /// A fixed number of tokens.
    Tokens {
        /// The number.
        tokens: u64,
        /// A smaller number is raised to this one.
        #[serde(default)]
        least_tokens: u64,
        /// True when it fires at the line, false when it fires above it.
        inclusive: bool,
    },
    /// More than a number of messages.
    Messages {
        /// The number.
        messages: u64,
    },
    /// The window less what is kept free in it.
    WindowLess(WindowLess),
    /// A share of what the model can take.
    Share(Share),
    /// An even part of what the model can take, within bounds (aider).
    Divided {
        /// Of what.
        of: Base,
        /// Into how many parts.
        by: u64,
        /// Least tokens of the line.
        least_tokens: u64,
        /// Most tokens of the line.
        most_tokens: u64,
        /// True when it fires at the line, false when it fires above it.
        inclusive: bool,
    },
    /// A line for each of some windows (Cline before its SDK).
    Table {
        /// Window and line, in tokens.
        rows: Vec<(u64, u64)>,
        /// For other windows: the window less this many tokens...
        less_tokens: u64,
        /// ...but at least this share of it, in percent.
        at_least_percent: u64,
        /// True when it fires at the line, false when it fires above it.
        inclusive: bool,
    },
    /// As soon as one of several is met.
    Any {
        /// Which.
        of: Vec<Trigger>,
    },
    /// When all of several are met.
    All {
        /// Which.
        of: Vec<Trigger>,
    },
}

/// The window less what is kept free in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowLess {
    /// The share of the window that counts, in percent.
    #[serde(default = "whole")]
    pub window_percent: u64,
    /// Room for the reply.
    #[serde(default)]
    pub reply: Option<Reply>,
    /// What is kept free besides, in tokens.
    #[serde(default)]
    pub reserve_tokens: u64,
    /// Where the model has a limit of input: the line is that limit less the room for the reply, of
    /// which at most this many tokens count (OpenCode).
    #[serde(default)]
    pub input_reserved_tokens: Option<u64>,
    /// A lower line: this share, in percent, of the window less the room for the reply. It can only
    /// lower the line, and counts above 0 and up to 100 (Claude Code).
    #[serde(default)]
    pub percent_of_rest: Option<u64>,
    /// True when it fires at the line, false when it fires above it.
    pub inclusive: bool,
}

fn whole() -> u64 {
    100
}

impl WindowLess {
    fn line(&self, limits: &Limits) -> Result<Line, Off> {
        let reply = self.reply.map_or(0, |own| own.tokens(limits));
        // OpenCode looks at its reserve only where the model has a limit of input.
        if let (Some(most), Some(input)) = (self.input_reserved_tokens, limits.max_input) {
            return Ok(at(input.saturating_sub(reply.min(most)), self.inclusive));
        }
        let window = limits.window.ok_or(Off::NoWindow)?;
        let rest = percent_of(window, self.window_percent).saturating_sub(reply);
        let line = rest.saturating_sub(self.reserve_tokens);
        if line == 0 {
            return Err(Off::NoRoom(window));
        }
        let lower = self
            .percent_of_rest
            .filter(|percent| (1..=100).contains(percent))
            .map(|percent| percent_of(rest, percent));
        Ok(at(line.min(lower.unwrap_or(line)), self.inclusive))
    }
}

/// A share of what the model can take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Of what.
    pub of: Base,
    /// The share in percent. At 0 the policy is off, unless a least share raises it or it is in the
    /// range outside of which `fallback_percent` stands in.
    pub percent: i64,
    /// True when it fires at the line, false when it fires above it.
    pub inclusive: bool,
    /// True when the agent rounds the line down to a whole token.
    #[serde(default)]
    pub rounded_down: bool,
    /// The line is never above this number of tokens (Codex's own setting).
    #[serde(default)]
    pub most_tokens: Option<u64>,
    /// A smaller share is raised to this one.
    #[serde(default)]
    pub least_percent: Option<u64>,
    /// A larger share is lowered to this one.
    #[serde(default)]
    pub most_percent: Option<u64>,
    /// Stands in for a share below 0 or above 100; 0 is a share then, which every request with
    /// tokens reaches (Coder).
    #[serde(default)]
    pub fallback_percent: Option<u64>,
    /// From this share on the policy is off.
    #[serde(default)]
    pub off_from_percent: Option<i64>,
    /// With less than so many tokens to share the policy is off (Zed).
    #[serde(default)]
    pub off_below_tokens: Option<u64>,
    /// In the place of the share: above 0 so many tokens that are used, below 0 so many that are
    /// left (Zed, where `auto_compact.threshold` is a number).
    #[serde(default)]
    pub threshold_tokens: Option<i64>,
}

impl Share {
    /// The share that counts, in percent: the one that is set, or what the policy takes for one
    /// that is out of its range. The error is that it is off.
    pub fn taken_percent(&self) -> Result<u64, Off> {
        // First, because Coder takes 130 % for 70 %, while 100 % turns it off.
        if let Some(fallback) = self.fallback_percent.filter(|_| !self.is_in_whole()) {
            return Ok(fallback);
        }
        let zero_is_off = self.fallback_percent.is_none() && self.least_percent.is_none();
        let is_off = self
            .off_from_percent
            .is_some_and(|from| self.percent >= from);
        if is_off || (zero_is_off && self.percent <= 0) {
            return Err(Off::Disabled(self.percent));
        }
        let percent = u64::try_from(self.percent).unwrap_or(0);
        Ok(percent
            .max(self.least_percent.unwrap_or(0))
            .min(self.most_percent.unwrap_or(u64::MAX)))
    }

    fn is_in_whole(&self) -> bool {
        (0..=100).contains(&self.percent)
    }

    /// Why its share cannot be, where it is no share and no rule of the policy says what it means
    /// then.
    pub(crate) fn check(&self) -> Result<(), String> {
        let has_rule = match self.percent {
            0..=100 => true,
            // Below 0 it is as good as 0.
            ..0 => {
                self.fallback_percent.or(self.least_percent).is_some()
                    || self.off_from_percent.is_some()
            }
            _ => {
                self.fallback_percent.or(self.most_percent).is_some()
                    || self.off_from_percent.is_some()
            }
        };
        if has_rule {
            Ok(())
        } else {
            Err("enter a percentage from 0 to 100".to_owned())
        }
    }

    /// This share moved up by so many points, without its own bounds.
    fn raised(&self, points: u64) -> Result<Share, Off> {
        let percent = self.taken_percent()?.saturating_add(points);
        Ok(Share {
            percent: i64::try_from(percent).unwrap_or(i64::MAX),
            // The bounds were applied already; a second time they would take the points back.
            least_percent: None,
            most_percent: None,
            fallback_percent: None,
            off_from_percent: None,
            ..self.clone()
        })
    }

    fn line(&self, limits: &Limits) -> Result<Line, Off> {
        let percent = self.taken_percent()?;
        let tokens = self.of.tokens(limits).ok_or(Off::NoWindow)?;
        if let Some(least) = self.off_below_tokens.filter(|least| tokens < *least) {
            return Err(Off::TooSmall { tokens, least });
        }
        if let Some(number) = self.threshold_tokens.filter(|number| *number != 0) {
            let line = match u64::try_from(number) {
                Ok(used) => used,
                Err(_) => tokens.saturating_sub(number.unsigned_abs()),
            };
            return match line {
                0 => Err(Off::NoRoom(tokens)),
                line => Ok(at(line, self.inclusive)),
            };
        }
        let line = percent_of(tokens, percent);
        if let Some(most) = self.most_tokens.filter(|most| *most < line) {
            return Ok(at(most, self.inclusive));
        }
        let mut found = at(line, self.inclusive);
        if line == 0 {
            // A request that reports nothing is skipped.
            found.condition = Condition::Tokens(1);
        }
        // A share that is no whole number of tokens is reached by the next whole one.
        let is_whole = u128::from(tokens) * u128::from(percent) % 100 == 0;
        if self.inclusive && !self.rounded_down && !is_whole {
            found.condition = Condition::Tokens(line + 1);
        }
        Ok(found)
    }
}

/// A trigger worked out for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The agent's own number of tokens, where the line is one of tokens.
    pub tokens: Option<u64>,
    /// The number of messages, where the line is one of messages.
    pub messages: Option<u64>,
    /// True when it fires at the line, false when it fires above it.
    pub inclusive: bool,
    /// When exactly it fires.
    pub condition: Condition,
}

/// When a line is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// From so many tokens on.
    Tokens(u64),
    /// From so many messages on.
    Messages(u64),
    /// One of these.
    Any(Vec<Condition>),
    /// All of these.
    All(Vec<Condition>),
}

impl Condition {
    /// Whether so much reaches the line.
    pub fn is_met(&self, tokens: u64, messages: u64) -> bool {
        match self {
            Condition::Tokens(from) => tokens >= *from,
            Condition::Messages(from) => messages >= *from,
            Condition::Any(of) => of.iter().any(|own| own.is_met(tokens, messages)),
            Condition::All(of) => {
                // `all` is true of an empty list, which would always fire.
                !of.is_empty() && of.iter().all(|own| own.is_met(tokens, messages))
            }
        }
    }
}

/// Why a policy has no line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Off {
    /// The agent never compacts automatically.
    #[error("{0}")]
    Never(String),
    /// The model's window is not known.
    #[error("the context window of the model is not known")]
    NoWindow,
    /// The share is set so that it is off.
    #[error("a threshold of {0} % turns it off")]
    Disabled(i64),
    /// The model takes too little for it.
    #[error("off for models below {least} input tokens; this model accepts {tokens}")]
    TooSmall {
        /// What the model takes, in tokens.
        tokens: u64,
        /// What it must take, in tokens.
        least: u64,
    },
    /// The room that is kept free is as large as the window.
    #[error("the reserve exceeds the context window of {0} tokens")]
    NoRoom(u64),
    /// None of several triggers is set.
    #[error("no threshold is set")]
    NoTrigger,
    /// Its preset does not exist.
    #[error("its preset '{0}' does not exist")]
    NoPreset(String),
}

impl Base {
    fn tokens(self, limits: &Limits) -> Option<u64> {
        let input = limits.max_input;
        let window = limits.window;
        match self {
            Base::Window => window,
            Base::MaxInput => input.or(window),
            Base::Capacity => {
                // An unknown limit of replies takes nothing off.
                let rest = window.map(|own| own.saturating_sub(limits.max_output.unwrap_or(0)));
                input.into_iter().chain(rest).min()
            }
            Base::Usable => input.or_else(|| Some(percent_of(window?, 90))),
        }
    }
}

/// A share of `tokens`, rounded down; exact for windows beyond any there is.
fn percent_of(tokens: u64, percent: u64) -> u64 {
    let share = u128::from(tokens) * u128::from(percent) / 100;
    u64::try_from(share).unwrap_or(u64::MAX)
}

fn at(tokens: u64, inclusive: bool) -> Line {
    Line {
        tokens: Some(tokens),
        messages: None,
        inclusive,
        condition: Condition::Tokens(tokens.saturating_add(u64::from(!inclusive))),
    }
}

impl Trigger {
    /// The shares in it.
    pub fn shares(&self) -> Vec<&Share> {
        match self {
            Trigger::Share(own) => vec![own],
            Trigger::Any { of } | Trigger::All { of } => {
                of.iter().flat_map(Trigger::shares).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The line so many points, in percent, above its share; `None` where it is no share.
    pub(crate) fn line_above(&self, points: u64, limits: &Limits) -> Option<Result<Line, Off>> {
        let Trigger::Share(own) = self else {
            return None;
        };
        Some(own.raised(points).and_then(|share| share.line(limits)))
    }

    /// Its line for a model with these limits, or why it has none.
    pub fn line(&self, limits: &Limits) -> Result<Line, Off> {
        Ok(match self {
            Trigger::Never { reason } => return Err(Off::Never(reason.clone())),
            Trigger::Tokens {
                tokens,
                least_tokens,
                inclusive,
            } => at(*tokens.max(least_tokens), *inclusive),
            Trigger::Messages { messages } => Line {
                tokens: None,
                messages: Some(*messages),
                inclusive: false,
                condition: Condition::Messages(messages + 1),
            },
            Trigger::WindowLess(own) => own.line(limits)?,
            Trigger::Share(own) => own.line(limits)?,
            Trigger::Divided {
                of,
                by,
                least_tokens,
                most_tokens,
                inclusive,
            } => {
                let whole = of.tokens(limits).ok_or(Off::NoWindow)?;
                let part = whole / (*by).max(1);
                at(part.max(*least_tokens).min(*most_tokens), *inclusive)
            }
            Trigger::Table {
                rows,
                less_tokens,
                at_least_percent,
                inclusive,
            } => {
                let window = limits.window.ok_or(Off::NoWindow)?;
                // Cline's table has these windows alone; others go by its rule.
                let row = rows.iter().find(|(own, _)| *own == window);
                let other = || {
                    let less = window.saturating_sub(*less_tokens);
                    less.max(percent_of(window, *at_least_percent))
                };
                at(row.map_or_else(other, |(_, line)| *line), *inclusive)
            }
            Trigger::Any { of } => {
                let mut lines: Vec<Line> = Vec::new();
                let mut off = Off::NoTrigger;
                for own in of {
                    match own.line(limits) {
                        Ok(line) => lines.push(line),
                        Err(reason) => off = reason,
                    }
                }
                // The line that is met first is the one to show.
                let first = lines.iter().min_by_key(|line| shown(line)).ok_or(off)?;
                Line {
                    condition: Condition::Any(conditions(&lines)),
                    ..first.clone()
                }
            }
            Trigger::All { of } => {
                let lines: Result<Vec<Line>, Off> = of.iter().map(|own| own.line(limits)).collect();
                let lines = lines?;
                // All must be met, so the largest decides.
                let last = lines.iter().max_by_key(|line| line.tokens);
                Line {
                    messages: lines.iter().find_map(|line| line.messages),
                    condition: Condition::All(conditions(&lines)),
                    ..last.ok_or(Off::NoTrigger)?.clone()
                }
            }
        })
    }
}

/// Lines of tokens go before lines of messages.
fn shown(line: &Line) -> u64 {
    line.tokens.unwrap_or(u64::MAX)
}

fn conditions(lines: &[Line]) -> Vec<Condition> {
    lines.iter().map(|line| line.condition.clone()).collect()
}
