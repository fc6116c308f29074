//! The figures of a summary: what each of them is, in words.

use serde::{Deserialize, Serialize};

/// A measure of one summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(rename = "FigureId", export_to = "wire.ts")
)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// What a summary is worth to somebody who goes on from it.
    Overall,
    /// The size of the summary by that of the span.
    Compression,
    /// Identifiers by class.
    IdentifierRecall,
    /// Identifiers by weight.
    WeightedRecall,
    /// Identifiers without a source.
    Introduced,
    /// Limits that the user set.
    ConstraintRecall,
    /// Files that were edited and read.
    FileLists,
    /// Headings that the strategy asks for.
    Sections,
    /// Shared words, pairs of words and sequences.
    Rouge,
    /// Copied passages.
    Extractive,
    /// Identifiers by their place in the span.
    Position,
    /// What was dropped and then needed.
    Regret,
    /// What was used later and still there.
    UsedLater,
    /// What the context has twice.
    Redundancy,
    /// The facts of the first span over all compactions.
    ChainDecay,
    /// What the summary cost.
    Cost,
    /// How much repeated runs agree.
    Stability,
    /// The span by what it consists of.
    Composition,
    /// The way to the first edit.
    Reorientation,
    /// Questions answered from the summary.
    Probes,
    /// The same questions to both texts.
    Consistency,
    /// Sentences that follow from the span.
    Entailment,
    /// Single statements checked both ways.
    AtomicFacts,
    /// The preference of a model.
    Judge,
    /// What an agent does next.
    Continuation,
}

impl Figure {
    /// All of them: first the overall score, then those that are computed, then those that a model has to give.
    pub const ALL: [Figure; 25] = [
        Figure::Overall,
        Figure::Compression,
        Figure::IdentifierRecall,
        Figure::WeightedRecall,
        Figure::Introduced,
        Figure::ConstraintRecall,
        Figure::FileLists,
        Figure::Sections,
        Figure::Rouge,
        Figure::Extractive,
        Figure::Position,
        Figure::Regret,
        Figure::UsedLater,
        Figure::Redundancy,
        Figure::ChainDecay,
        Figure::Cost,
        Figure::Stability,
        Figure::Composition,
        Figure::Reorientation,
        Figure::Probes,
        Figure::Consistency,
        Figure::Entailment,
        Figure::AtomicFacts,
        Figure::Judge,
        Figure::Continuation,
    ];

    /// The short name by which documents refer to it: `D` for computed, `M` for those of a model.
    pub fn code(self) -> &'static str {
        self.words().0
    }

    /// What it is called.
    pub fn title(self) -> &'static str {
        self.words().1
    }

    /// What it measures, in one sentence.
    pub fn definition(self) -> &'static str {
        self.words().2
    }

    /// How its value is read: whether more or less of it is better.
    pub fn reading(self) -> &'static str {
        match self {
            Figure::Overall
            | Figure::IdentifierRecall
            | Figure::WeightedRecall
            | Figure::ConstraintRecall
            | Figure::FileLists
            | Figure::Sections
            | Figure::Position
            | Figure::UsedLater
            | Figure::ChainDecay
            | Figure::Stability
            | Figure::Probes
            | Figure::Consistency
            | Figure::Entailment
            | Figure::AtomicFacts
            | Figure::Continuation => "More is better.",
            Figure::Introduced
            | Figure::Regret
            | Figure::Redundancy
            | Figure::Cost
            | Figure::Reorientation => "Less is better.",
            Figure::Compression
            | Figure::Rouge
            | Figure::Extractive
            | Figure::Composition
            | Figure::Judge => {
                "Neither more nor less is better. Compare only summaries of one span by it."
            }
        }
    }

    /// True where a model has to answer or to judge.
    pub fn needs_model(self) -> bool {
        self.code().starts_with('M')
    }

    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Figure::Overall => (
                "D19",
                "Overall score",
                "Mean of the shares that the next request holds of what is new at the end of the span \
                 and of the facts; copied passages lower what the summary adds to the kept tail, wrong \
                 statements the whole.",
            ),
            Figure::Compression => (
                "D1",
                "Compression ratio",
                "Tokens of the summary divided by the tokens of the summarized span, both by the agent's \
                 estimate; beside it the size of the context before and after.",
            ),
            Figure::IdentifierRecall => (
                "D2",
                "Identifiers kept",
                "Of the paths, symbols, commands, errors and numbers of the span, those that the \
                 summary has in full, those that only the kept tail has, and those that neither has.",
            ),
            Figure::WeightedRecall => (
                "D3",
                "Identifiers kept by weight",
                "Weight of the identifiers that the summary has in full divided by the weight of \
                 all; a fact weighs by its kind, by how often and how lately it was said, and by \
                 whom.",
            ),
            Figure::Introduced => (
                "D4",
                "Identifiers introduced",
                "Share of the summary's identifiers that the span, the kept tail, the previous summary \
                 and the custom instructions do not contain.",
            ),
            Figure::ConstraintRecall => (
                "D5",
                "Constraints kept",
                "Of the limits that the user set, those that the summary has verbatim or reworded.",
            ),
            Figure::FileLists => (
                "D6",
                "Files kept",
                "Of the files that calls edited and of those that calls read, the share that the \
                 summary names; and of the files in the agent's list of changed files, the share \
                 that was edited.",
            ),
            Figure::Sections => (
                "D7",
                "Sections",
                "Of the headings that the prompt of the strategy asks for, those that the summary \
                 has, whether they stand in the order asked for, and which are empty.",
            ),
            Figure::Rouge => (
                "D8",
                "ROUGE",
                "Words (ROUGE-1), pairs of words (ROUGE-2) and the longest common sequence of words \
                 (ROUGE-L) that the summary shares with the span, divided by those of the span \
                 (recall) or of the summary (precision).",
            ),
            Figure::Extractive => (
                "D9",
                "Copied passages",
                "Coverage is the share of the summary's words inside passages copied from the span, \
                 density the mean squared length of these passages, compression the words of the \
                 span divided by those of the summary.",
            ),
            Figure::Position => (
                "D10",
                "Identifiers kept by position",
                "For each tenth of the span by size, the share of the identifiers first seen there \
                 that the summary has.",
            ),
            Figure::Regret => (
                "D11",
                "Dropped and needed later",
                "Dropped facts that the session came back to before the next compaction, with the \
                 calls and the tokens that this took.",
            ),
            Figure::UsedLater => (
                "D12",
                "Needed later, still held",
                "Of the facts that the session came back to before the next compaction, the share \
                 that the summary or the kept tail had.",
            ),
            Figure::Redundancy => (
                "D13",
                "Repetition",
                "Share of the summary's sequences of three words that the kept tail has as well, \
                 and share that stands earlier in the summary.",
            ),
            Figure::ChainDecay => (
                "D14",
                "Kept over all compactions",
                "Share of the facts of the first span that the context still has after each \
                 compaction.",
            ),
            Figure::Cost => (
                "D15",
                "Cost of the summary",
                "Calls, input and output tokens, time and price of the summary.",
            ),
            Figure::Stability => (
                "D16",
                "Agreement of repeated runs",
                "Identifiers that two summaries by the same strategy of the same span share, \
                 divided by those that either has; the mean over all pairs of runs.",
            ),
            Figure::Composition => (
                "D17",
                "Composition of the span",
                "Tokens of the summarized span by what they are, and the tokens of files that were \
                 read more than once.",
            ),
            Figure::Reorientation => (
                "D18",
                "Reorientation",
                "Calls, tokens and time from the compaction to the first edit after it, and how \
                 many of these calls only look.",
            ),
            Figure::Probes => (
                "M1",
                "Probes",
                "Questions about the span, answered from the summary and the kept tail alone and \
                 graded.",
            ),
            Figure::Consistency => (
                "M2",
                "Question consistency",
                "Questions made from the summary, answered from the summary and from the span.",
            ),
            Figure::Entailment => (
                "M3",
                "Entailment",
                "How far each sentence of the summary follows from the span.",
            ),
            Figure::AtomicFacts => (
                "M4",
                "Atomic facts",
                "Single statements of the summary checked in the span, and of the span in the \
                 summary.",
            ),
            Figure::Judge => (
                "M5",
                "Preference of a model",
                "Which of two summaries a model prefers, asked in both orders.",
            ),
            Figure::Continuation => (
                "M6",
                "Continuation",
                "The first calls of an agent that continues from the summary, compared with those \
                 of the session.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_code_a_title_and_one_sentence() {
        let mut codes: Vec<_> = Figure::ALL.iter().map(|figure| figure.code()).collect();
        codes.dedup();
        assert_eq!(codes.len(), Figure::ALL.len());
        for figure in Figure::ALL {
            let words = figure.definition();
            assert!(words.ends_with('.') && !words.contains(". "), "{words}");
            assert!(!figure.title().is_empty());
        }
        let computed = Figure::ALL.iter().filter(|figure| !figure.needs_model());
        assert_eq!(computed.count(), 19);
    }
}
