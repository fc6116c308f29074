//! Telling how a run goes on while it does, and remembering the calls it made.

use super::record::{MadeCall, stop_name};
use super::summarizer::Partials;
use super::under_way::Progress;
use crate::session::lock;
use crate::workspace::{App, AppEvent, EventSink};
use palimpsest_compaction::Purpose;
use palimpsest_compaction::execute::RunObserver;
use palimpsest_compaction::plan::PlannedFallback;
use palimpsest_core::call::ModelReply;
use palimpsest_llm::{ProviderConfig, RetryPolicy};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Text is told in bundles this far apart: a window cannot draw more often, and 100 events a
/// second would only make it slower.
const BUNDLE: Duration = Duration::from_millis(40);

/// Tells how a run goes on, and remembers the calls made.
pub(super) struct Told {
    telling: Arc<Telling>,
    partials: Partials,
}

struct Telling {
    sink: EventSink,
    stream: String,
    /// How often a request is made at most.
    most_tries: u32,
    state: Mutex<ToldState>,
    /// The same for a window that begins to listen later.
    progress: Progress,
}

#[derive(Default)]
struct ToldState {
    /// Calls under way, and their text that has not been told yet.
    calls: BTreeMap<usize, ToldCall>,
    told_at: Option<Instant>,
    /// Text waits for its bundle to be told.
    waits: bool,
    made: Vec<(usize, MadeCall)>,
    /// Calls of failed attempts, and replies of repeated calls.
    superseded: Vec<MadeCall>,
}

struct ToldCall {
    purpose: Purpose,
    /// The model it is sent to, where that is not the run's.
    model: Option<String>,
    text: String,
    began_at: Instant,
    retries: u32,
}

impl Told {
    /// Tells events of `stream` to whoever listens to `app`.
    pub(super) fn new(
        app: &App,
        stream: &str,
        config: &ProviderConfig,
        progress: Progress,
    ) -> Told {
        Told {
            telling: Arc::new(Telling {
                sink: app.event_sink(),
                stream: stream.to_owned(),
                most_tries: RetryPolicy::of(&config.limits).max_retries + 1,
                state: Mutex::default(),
                progress,
            }),
            partials: Partials::default(),
        }
    }

    /// Tells what has not been told yet.
    pub(super) fn flush(&self) {
        self.telling.flush();
    }

    /// Partial output of failed calls.
    pub(super) fn partials(&self) -> &Partials {
        &self.partials
    }

    /// Output of the last attempt of each call: complete replies in the order of the plan, then
    /// partial ones.
    pub(super) fn came(&self) -> Vec<String> {
        let made = self.made().into_iter();
        let replies = made.filter(|call| !call.superseded).map(|call| call.reply);
        let texts = replies.chain(self.partials.texts());
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// The answered calls in the order of the plan, after those of failed attempts and of repeated
    /// calls.
    pub(super) fn made(&self) -> Vec<MadeCall> {
        let state = lock(&self.telling.state);
        let mut made = state.made.clone();
        // Calls that run side by side end in any order.
        made.sort_by_key(|(call, _)| *call);
        let superseded = state.superseded.iter().cloned();
        superseded
            .chain(made.into_iter().map(|(_, made)| made))
            .collect()
    }
}

impl Telling {
    fn flush(&self) {
        let mut state = lock(&self.state);
        state.told_at = Some(Instant::now());
        state.waits = false;
        let texts: Vec<(usize, Purpose, String)> = state
            .calls
            .iter_mut()
            .filter(|(_, own)| !own.text.is_empty())
            .map(|(&call, own)| (call, own.purpose, std::mem::take(&mut own.text)))
            .collect();
        // Listeners are called without the lock, because they may ask for the state.
        drop(state);
        for (call, purpose, text) in texts {
            lock(&self.progress).hear(call, purpose, &text);
            (self.sink)(AppEvent::RunDelta {
                stream: self.stream.clone(),
                call,
                purpose,
                text,
            });
        }
    }
}

impl RunObserver for Told {
    fn started(&self, call: usize, purpose: Purpose) {
        self.partials.forget(call);
        let mut state = lock(&self.telling.state);
        // A reply that could not be used: the call is made again.
        if let Some(at) = state.made.iter().position(|(of, _)| *of == call) {
            let (_, refused) = state.made.remove(at);
            state.superseded.push(MadeCall {
                superseded: true,
                ..refused
            });
        }
        let own = state.calls.entry(call).or_insert_with(|| ToldCall {
            purpose,
            model: None,
            text: String::new(),
            began_at: Instant::now(),
            retries: 0,
        });
        own.text.clear();
    }

    fn asks(&self, call: usize, model: Option<&str>) {
        if let Some(own) = lock(&self.telling.state).calls.get_mut(&call) {
            own.model = model.map(str::to_owned);
        }
    }

    fn text(&self, call: usize, text: &str) {
        let wait = {
            let mut state = lock(&self.telling.state);
            if let Some(own) = state.calls.get_mut(&call) {
                own.text.push_str(text);
            }
            let since = state.told_at.map(|at| at.elapsed());
            let wait = since.and_then(|since| BUNDLE.checked_sub(since));
            // A task is under way that will send this text as well.
            if wait.is_some() && std::mem::replace(&mut state.waits, true) {
                return;
            }
            wait
        };
        match wait {
            None => self.telling.flush(),
            // A reply may stall here, so its text is sent without waiting for more.
            Some(wait) => {
                // The task must not keep an ended run alive.
                let telling = Arc::downgrade(&self.telling);
                tokio::spawn(async move {
                    tokio::time::sleep(wait).await;
                    if let Some(telling) = telling.upgrade() {
                        telling.flush();
                    }
                });
            }
        }
    }

    fn retry(&self, call: usize, attempt: u32, delay_ms: u64, reason: &str) {
        if let Some(own) = lock(&self.telling.state).calls.get_mut(&call) {
            own.retries += 1;
        }
        lock(&self.telling.progress).fail(call, reason);
        (self.telling.sink)(AppEvent::RunRetry {
            stream: self.telling.stream.clone(),
            attempt,
            of: self.telling.most_tries,
            wait_ms: delay_ms,
            reason: reason.to_owned(),
        });
    }

    fn again(&self, call: usize, attempt: u32, of: u32, reason: &str) {
        if let Some(own) = lock(&self.telling.state).calls.get_mut(&call) {
            own.retries += 1;
        }
        (self.telling.sink)(AppEvent::RunRetry {
            stream: self.telling.stream.clone(),
            attempt,
            of,
            wait_ms: 0,
            reason: reason.to_owned(),
        });
    }

    fn fell_back(&self, to: &PlannedFallback, reason: &str) {
        self.telling.flush();
        self.partials.clear();
        {
            let mut state = lock(&self.telling.state);
            state.calls.clear();
            state.made.sort_by_key(|(call, _)| *call);
            let made = std::mem::take(&mut state.made);
            let gone = made.into_iter().map(|(_, made)| MadeCall {
                superseded: true,
                ..made
            });
            state.superseded.extend(gone);
        }
        (self.telling.sink)(AppEvent::RunRetry {
            stream: self.telling.stream.clone(),
            // A fallback is told as a retry, which hosts already show.
            attempt: 2,
            of: self.telling.most_tries.max(2),
            wait_ms: 0,
            reason: format!("{}; fallback: {}", reason.trim_end_matches('.'), to.meaning),
        });
    }

    fn finished(&self, call: usize, reply: &ModelReply) {
        self.telling.flush();
        let mut state = lock(&self.telling.state);
        // A call of an attempt that was given up has ended late.
        let Some(own) = state.calls.remove(&call) else {
            return;
        };
        let made = MadeCall {
            purpose: own.purpose,
            model: own.model,
            usage: reply.usage,
            elapsed_ms: u64::try_from(own.began_at.elapsed().as_millis()).unwrap_or(u64::MAX),
            stop_reason: stop_name(&reply.stop).to_owned(),
            reply: reply.text.clone(),
            retries: own.retries,
            superseded: false,
        };
        state.made.push((call, made));
    }
}
