//! Who hears how a run goes on.

use crate::plan::planned::PlannedFallback;
use crate::vocabulary::call::Purpose;
use crate::vocabulary::summarizer::CallObserver;
use palimpsest_core::call::ModelReply;

/// An observer that does not listen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl CallObserver for Unobserved {}

impl RunObserver for Unobserved {}

/// Hears how a run goes on; calls are numbered from 0.
pub trait RunObserver: Send + Sync {
    /// A call begins.
    fn started(&self, _call: usize, _purpose: Purpose) {}
    /// It is sent to this model; `None` is the one that was chosen.
    fn asks(&self, _call: usize, _model: Option<&str>) {}
    /// Some more of a reply's text.
    fn text(&self, _call: usize, _text: &str) {}
    /// The provider of a call will be asked again.
    fn retry(&self, _call: usize, _attempt: u32, _delay_ms: u64, _reason: &str) {}
    /// The plan makes a call again: attempt number `attempt`, from 2, of at most `of`.
    fn again(&self, _call: usize, _attempt: u32, _of: u32, _reason: &str) {}
    /// A call has been answered.
    fn finished(&self, _call: usize, _reply: &ModelReply) {}
    /// The plan failed, and a fallback takes over: calls are numbered from 0 again.
    fn fell_back(&self, _to: &PlannedFallback, _reason: &str) {}
}

pub(crate) struct OneCall<'a> {
    pub run: &'a dyn RunObserver,
    pub call: usize,
}

impl CallObserver for OneCall<'_> {
    fn text(&self, text: &str) {
        self.run.text(self.call, text);
    }
    fn retry(&self, attempt: u32, delay_ms: u64, reason: &str) {
        self.run.retry(self.call, attempt, delay_ms, reason);
    }
}
