//! The packed files as a summary, or as calls about them.

use crate::stages::summarize::pack::Pack;
use crate::stages::summarize::pack::gather;
use crate::stages::summarize::pack::gather::PackFile;
use crate::vocabulary::call::{Purpose, Step};
use crate::vocabulary::prompt::Conversation;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::job::{Job, Outline};
use crate::workpiece::template::Values;
use palimpsest_core::BodyError;

impl Pack {
    pub(crate) fn outline(&self, job: &Job<'_>) -> Result<Outline, BodyError> {
        let files = gather::files(self, job)?;
        if self.max_calls > 0 {
            return Ok(self.in_calls(job, &files));
        }
        let before = job.previous.unwrap_or_default();
        let packed = self.fill(&files, self.count(before));
        let parts = [before, packed.as_str()];
        let text: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let text = text.join("\n\n");
        Ok(Outline {
            summary: vec![SummaryPart::Text(text.clone())],
            fixed_history: Some(text),
            ..Outline::default()
        })
    }

    /// One call for each text; their replies one after the other are the summary, behind the
    /// previous one and before the names of the files that no call is about.
    fn in_calls(&self, job: &Job<'_>, files: &[PackFile]) -> Outline {
        let values = |text: &str, index: usize, of: usize| {
            job.values()
                .conversation(Conversation::of_text(text.to_owned()))
                .text("index", &(index + 1).to_string())
                .text("count", &of.to_string())
        };
        let prompts = [
            job.text("system", &Values::default()),
            // With nothing in it, for the size of the prompt alone.
            job.text("slice", &values("", 0, 1)),
        ];
        let (texts, names) = self.split(files, prompts.iter().map(|own| self.count(own)).sum());
        let mut outline = Outline::default();
        let previous = job.previous.map(str::to_owned);
        let mut parts: Vec<SummaryPart> = previous.map(SummaryPart::Text).into_iter().collect();
        for (index, text) in texts.iter().enumerate() {
            let of = texts.len();
            let step = Step::Slice { index, of };
            let mut call = job.call(Purpose::History, step, "slice", &values(text, index, of));
            // Each call is about all messages, as the text of a file comes from several.
            call.items = job
                .history
                .iter()
                .chain(&job.turn_prefix)
                .copied()
                .collect();
            outline.calls.push(call);
            parts.push(SummaryPart::Reply(index));
        }
        parts.extend(
            Some(names)
                .filter(|own| !own.is_empty())
                .map(SummaryPart::Text),
        );
        for part in parts {
            if !outline.summary.is_empty() {
                outline.summary.push(SummaryPart::Text("\n\n".to_owned()));
            }
            outline.summary.push(part);
        }
        outline
    }
}
