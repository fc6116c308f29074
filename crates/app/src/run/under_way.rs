//! Runs under way: what is known of them before they end.

use super::record::PlanRecord;
use crate::clock::now_ms;
use crate::session::lock;
use palimpsest_compaction::Purpose;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A run under way.
#[derive(Debug, Clone, PartialEq)]
pub struct UnderWay {
    /// The name that its events carry; it is cancelled by it.
    pub stream: String,
    /// The session.
    pub session: String,
    /// The provider.
    pub provider: String,
    /// The model; empty where the provider has none.
    pub model: String,
    /// The custom instructions.
    pub instructions: Option<String>,
    /// The plan that is carried out.
    pub plan: Arc<PlanRecord>,
    /// When it began, Unix milliseconds.
    pub started_at_ms: i64,
    /// When anything was last heard of a call, Unix milliseconds.
    pub heard_at_ms: i64,
    /// The text received so far by call, with the call's purpose.
    pub texts: BTreeMap<usize, (Purpose, String)>,
    /// Why attempts failed so far, oldest first.
    pub failures: Vec<String>,
}

/// The progress of one run, shared by the run and the list.
pub(crate) type Progress = Arc<Mutex<UnderWay>>;

impl UnderWay {
    /// Notes text of a call.
    pub(super) fn hear(&mut self, call: usize, purpose: Purpose, text: &str) {
        self.heard_at_ms = now_ms();
        self.texts
            .entry(call)
            .or_insert_with(|| (purpose, String::new()))
            .1
            .push_str(text);
    }

    /// Notes that an attempt of a call failed; its text counts no longer.
    pub(super) fn fail(&mut self, call: usize, reason: &str) {
        self.heard_at_ms = now_ms();
        self.texts.remove(&call);
        self.failures.push(reason.to_owned());
    }
}

/// The runs under way, by the names of their streams.
#[derive(Debug, Default)]
pub(crate) struct RunsUnderWay(Mutex<BTreeMap<String, Progress>>);

impl RunsUnderWay {
    /// Copies of all, the oldest first.
    pub(super) fn all(&self) -> Vec<UnderWay> {
        let all: Vec<Progress> = lock(&self.0).values().cloned().collect();
        let mut runs: Vec<UnderWay> = all.iter().map(|run| lock(run).clone()).collect();
        runs.sort_by(|a, b| (a.started_at_ms, &a.stream).cmp(&(b.started_at_ms, &b.stream)));
        runs
    }

    /// Lists a run from now on.
    pub(super) fn list(&self, run: UnderWay) -> Progress {
        let stream = run.stream.clone();
        let progress = Arc::new(Mutex::new(run));
        lock(&self.0).insert(stream, Arc::clone(&progress));
        progress
    }

    /// Takes a run that ended off the list.
    pub(super) fn unlist(&self, stream: &str) {
        lock(&self.0).remove(stream);
    }
}
