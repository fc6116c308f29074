//! The span in segments, each with its own call (pi 0.18.3's study of strategies,
//! `docs/compaction-strategies.ts`; turns, breaks, overlap and shares are ours).

mod cuts;

use crate::stages::summarize::slices::cuts::Likeness;
use crate::text::lexical::Lexicon;
use crate::vocabulary::call::{BuildsOn, PlannedCall, Purpose, Step};
use crate::vocabulary::error::PlanError;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::prompt::Chunk;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::chunks::summary_parts;
use crate::workpiece::job::{Job, Outline};
use crate::workpiece::template::{Template, Values};
use crate::workpiece::transcript::written::Written;
use crate::workpiece::vectors;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

pub use cuts::{Cuts, Similarity};

/// Parameters of the method; the defaults are the study's.
///
/// Prompts: `system` and `slice`; `stitch` and `stitch_system` when segments are put together by
/// a call; `slice_heading` over the replies that are quoted or stored; `update` for a rolling
/// summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Slices {
    /// What the calls have to do with each other.
    pub mode: SliceMode,
    /// Tokens of a segment.
    pub slice_tokens: u64,
    /// Tokens of the segment before that are repeated, in whole messages.
    pub overlap_tokens: u64,
    /// Where segments may begin.
    pub cuts: Cuts,
    /// How alike texts are, where segments begin at breaks.
    pub similarity: Similarity,
    /// Most tokens of the summary of a segment.
    pub slice_output_tokens: u64,
    /// Most tokens of the last call's summary.
    pub final_output_tokens: u64,
    /// When above 0, a segment's summary may have this share of `slice_tokens` instead (the
    /// study's notes speak of 0.1).
    pub ratio: f64,
    /// The share of the last two segments is this many times larger (the notes: 2).
    pub recent_boost: f64,
}

/// What the calls have to do with each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SliceMode {
    /// Nothing; one more call makes one summary of all.
    #[default]
    Stitch,
    /// Each is given the summaries before, and all are kept one after the other.
    Accumulated,
    /// Each rewrites the summary so far.
    Rolling,
}

impl Default for Slices {
    fn default() -> Self {
        Slices {
            mode: SliceMode::Stitch,
            slice_tokens: 10_000,
            overlap_tokens: 0,
            cuts: Cuts::Greedy,
            similarity: Similarity::Lexical,
            slice_output_tokens: 2_000,
            final_output_tokens: 4_000,
            ratio: 0.0,
            recent_boost: 1.0,
        }
    }
}

impl Slices {
    pub(super) fn clash(&self) -> Option<String> {
        let (repeated, whole) = (self.overlap_tokens, self.slice_tokens);
        (repeated >= whole).then(|| {
            format!("overlap_tokens is {repeated} and must be less than slice_tokens, {whole}")
        })
    }

    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::word(
            "mode",
            &["stitch", "accumulated", "rolling"],
            "merge the segment summaries with a call, concatenate them, or update one summary \
             with each segment",
        ),
        ParamDoc::tokens("slice_tokens", "size of a segment").at_least(1.0),
        ParamDoc::tokens("overlap_tokens", "overlap with the previous segment"),
        ParamDoc::word(
            "cuts",
            &["greedy", "turns", "breaks"],
            "start segments at a fixed size, at turns, or where the topic changes",
        ),
        ParamDoc::word(
            "similarity",
            &["lexical", "embedding"],
            "detect topic changes by words or by embeddings",
        ),
        ParamDoc::tokens("slice_output_tokens", "output limit for a segment").at_least(1.0),
        ParamDoc::tokens("final_output_tokens", "output limit of the last call").at_least(1.0),
        ParamDoc::new(
            "ratio",
            ParamType::Number,
            "output limit for a segment as a share of its size; 0 means the fixed limit",
        )
        .within(0.0, 1.0),
        ParamDoc::new(
            "recent_boost",
            ParamType::Number,
            "factor on that share for the last two segments",
        )
        .at_least(1.0),
    ];

    pub(super) fn needed(&self) -> Vec<Needed> {
        let mut needed: Vec<Needed> = vec![("system", &[]), ("slice", &["conversation"])];
        match self.mode {
            SliceMode::Stitch => {
                needed.push(("stitch", &["segments"]));
                needed.push(("stitch_system", &[]));
                needed.push(("slice_heading", &["reply"]));
            }
            SliceMode::Accumulated => {
                needed.push(("slice_heading", &["reply"]));
                needed.push(("quoted_heading", &["reply"]));
            }
            SliceMode::Rolling => needed.push(("update", &["conversation", "reply"])),
        }
        needed
    }

    pub(super) fn outline(&self, job: &Job<'_>) -> Result<Outline, PlanError> {
        let positions: Vec<usize> = job
            .history
            .iter()
            .chain(&job.turn_prefix)
            .copied()
            .collect();
        let transcript = job.transcript;
        let mut written = match self.cuts {
            // Breaks are where the words change, so these are needed.
            Cuts::Breaks => transcript.write_out(job.draft, &positions)?,
            Cuts::Greedy | Cuts::Turns => transcript.write(job.draft, &positions)?,
        };
        let segments = cuts::cut(
            &written,
            self.slice_tokens,
            self.cuts,
            &self.likeness(&written, job)?,
        );
        // The texts were needed for the breaks alone.
        if job.draft.only_counts {
            let none = Arc::new(String::new());
            for own in &mut written {
                own.text = Arc::clone(&none);
            }
        }
        Ok(self.made_of(job, &written, &segments, positions))
    }

    /// The calls about these segments, and the one that puts them together where there are several.
    pub(super) fn stitched(
        &self,
        job: &Job<'_>,
        written: &[Written],
        segments: &[Range<usize>],
        positions: Vec<usize>,
    ) -> Outline {
        let mut outline = self.made_of(job, written, segments, positions);
        if segments.len() == 1 {
            outline.calls.truncate(1);
            outline.summary = vec![SummaryPart::Reply(0)];
        }
        outline
    }

    fn made_of(
        &self,
        job: &Job<'_>,
        written: &[Written],
        segments: &[Range<usize>],
        positions: Vec<usize>,
    ) -> Outline {
        let mut outline = Outline::default();
        let mut quoted = Headings::new(job, "quoted_heading");
        for (index, segment) in segments.iter().enumerate() {
            let shown = self.with_overlap(written, segment, index);
            let call = self.segment(job, &mut quoted, &written[shown], index, segments.len());
            outline.calls.push(call);
        }
        let count = segments.len();
        match self.mode {
            SliceMode::Stitch => {
                let call = self.stitch(job, count, positions);
                outline.summary = vec![SummaryPart::Reply(count)];
                outline.calls.push(call);
            }
            SliceMode::Accumulated => {
                outline.summary = summary_parts(Headings::new(job, "slice_heading").of(count));
            }
            SliceMode::Rolling => {
                let last = count.checked_sub(1).map(SummaryPart::Reply);
                outline.summary = last.into_iter().collect();
            }
        }
        outline
    }

    /// What the neighbours of a break are compared by.
    fn likeness<'a>(&self, written: &[Written], job: &Job<'a>) -> Result<Likeness<'a>, PlanError> {
        let texts = written.iter().map(|own| own.text.as_str());
        Ok(match (self.cuts, self.similarity) {
            (Cuts::Greedy | Cuts::Turns, _) => Likeness::Same,
            (Cuts::Breaks, Similarity::Lexical) => Likeness::Words(Lexicon::new(texts)),
            (Cuts::Breaks, Similarity::Embedding) => {
                let texts: Vec<&str> = texts.collect();
                Likeness::Vectors(vectors::all_of(job.draft.input, &texts)?)
            }
        })
    }

    /// The segment with the end of the one before, as far as whole messages fit.
    fn with_overlap(
        &self,
        written: &[Written],
        segment: &Range<usize>,
        index: usize,
    ) -> Range<usize> {
        let mut start = segment.start;
        let mut left = if index == 0 { 0 } else { self.overlap_tokens };
        while start > 0 && written[start - 1].tokens <= left {
            start -= 1;
            left -= written[start].tokens;
        }
        start..segment.end
    }

    fn segment(
        &self,
        job: &Job<'_>,
        quoted: &mut Headings<'_>,
        shown: &[Written],
        index: usize,
        of: usize,
    ) -> PlannedCall {
        let is_first = index == 0;
        let is_last = index + 1 == of;
        let mut values = job
            .values()
            .conversation(job.transcript.join(shown))
            .text("index", &(index + 1).to_string())
            .text("count", &of.to_string())
            .mark("first", is_first)
            .mark("last", is_last);
        let mut prompt = "slice";
        let mut builds_on = match job.previous {
            Some(_) if is_first => BuildsOn::Previous,
            _ => BuildsOn::Nothing,
        };
        match self.mode {
            SliceMode::Stitch => {}
            SliceMode::Accumulated if is_first => {}
            SliceMode::Accumulated => {
                values = values.chunks("segments", quoted.of(index));
            }
            SliceMode::Rolling if is_first => {}
            SliceMode::Rolling => {
                prompt = "update";
                values = values.chunks("reply", vec![Chunk::Reply(index - 1)]);
                builds_on = BuildsOn::Reply(index - 1);
            }
        }
        let step = Step::Slice { index, of };
        let mut call = job.call(Purpose::History, step, prompt, &values);
        // The study made its sequential calls one by one.
        if self.mode != SliceMode::Stitch {
            call.after = (0..index).collect();
        }
        call.builds_on = builds_on;
        call.items = shown.iter().map(|own| own.item).collect();
        call.max_output_tokens = Some(self.limit(index, of));
        call
    }

    fn stitch(&self, job: &Job<'_>, count: usize, positions: Vec<usize>) -> PlannedCall {
        let values = job
            .values()
            .text("count", &count.to_string())
            .chunks("segments", Headings::new(job, "slice_heading").of(count));
        let mut call = job.call(Purpose::History, Step::Stitch, "stitch", &values);
        let system = job.text("stitch_system", &Values::default());
        // `job.call` has counted the usual system prompt.
        call.input_tokens += crate::vocabulary::estimate::estimate(&system);
        call.input_tokens -= crate::vocabulary::estimate::estimate(&call.system);
        call.system = system;
        // Its reply tells of all segments.
        call.items = positions;
        if job.previous.is_some() {
            call.builds_on = BuildsOn::Previous;
        }
        call.max_output_tokens = Some(self.final_output_tokens);
        call
    }

    /// Most tokens of the summary of a segment. The last sequential one is the final one.
    fn limit(&self, index: usize, of: usize) -> u64 {
        if self.mode != SliceMode::Stitch && index + 1 == of {
            return self.final_output_tokens;
        }
        if self.ratio <= 0.0 {
            return self.slice_output_tokens;
        }
        let base = (self.slice_tokens as f64 * self.ratio).floor();
        let boost = if index + 2 >= of {
            self.recent_boost
        } else {
            1.0
        };
        (base * boost).floor().max(1.0) as u64
    }
}

/// Replies of calls, each under the heading that a prompt gives it.
struct Headings<'a> {
    template: &'a Template,
    /// Where the heading does not tell how many there are: the pieces of those that are not the
    /// last, as each call quotes all replies before it.
    others: Option<Vec<Chunk>>,
}

impl<'a> Headings<'a> {
    fn new(job: &Job<'a>, prompt: &str) -> Headings<'a> {
        let template = job.prompts.template(prompt);
        Headings {
            others: (!template.has("count")).then(Vec::new),
            template,
        }
    }

    /// The replies of the first `count` calls.
    fn of(&mut self, count: usize) -> Vec<Chunk> {
        let template = self.template;
        let headed = |index: usize| {
            let values = Values::default()
                .text("index", &(index + 1).to_string())
                .text("count", &count.to_string())
                .mark("first", index == 0)
                .mark("last", index + 1 == count)
                .chunks("reply", vec![Chunk::Reply(index)]);
            template.render(&values)
        };
        let Some(others) = &mut self.others else {
            return (0..count).flat_map(headed).collect();
        };
        let Some(last) = count.checked_sub(1) else {
            return Vec::new();
        };
        for index in others.len()..last {
            others.push(Chunk::Several(headed(index).into()));
        }
        let mut chunks: Vec<Chunk> = others[..last].to_vec();
        chunks.extend(headed(last));
        chunks
    }
}
