//! What became of prompts that the user wrote while the model was at work.

use std::collections::VecDeque;

/// What a record does with the queue of such prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queueing {
    /// A prompt begins to wait; its first words.
    Waits(String),
    /// The oldest one is sent as a prompt of its own.
    Sent,
    /// The oldest one is sent with the next result of a tool.
    Passed,
    /// All are taken back.
    TakenBack,
}

/// What became of a queued prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueueFate {
    /// It was sent when the model was done.
    Sent,
    /// It was sent while the model was at work.
    Passed,
    /// The user took it back.
    TakenBack,
    /// It still waits at the end of the session.
    NeverSent,
}

/// A queued prompt and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued<At> {
    /// The record with the prompt.
    pub at: At,
    /// Its first words.
    pub words: String,
    /// What became of it.
    pub fate: QueueFate,
    /// The record that says so.
    pub until: Option<At>,
}

/// The queued prompts of a session, from its records about the queue in order.
pub fn queued<At: Copy>(records: impl IntoIterator<Item = (At, Queueing)>) -> Vec<Queued<At>> {
    let mut all: Vec<Queued<At>> = Vec::new();
    let mut waiting: VecDeque<usize> = VecDeque::new();
    for (at, record) in records {
        let (ended, fate) = match record {
            Queueing::Waits(words) => {
                waiting.push_back(all.len());
                all.push(Queued {
                    at,
                    words,
                    fate: QueueFate::NeverSent,
                    until: None,
                });
                continue;
            }
            Queueing::Sent => (waiting.pop_front().into_iter().collect(), QueueFate::Sent),
            Queueing::Passed => (waiting.pop_front().into_iter().collect(), QueueFate::Passed),
            Queueing::TakenBack => (std::mem::take(&mut waiting), QueueFate::TakenBack),
        };
        let ended: VecDeque<usize> = ended;
        for nth in ended {
            all[nth].fate = fate;
            all[nth].until = Some(at);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_leave_the_queue_in_order_or_all_at_once() {
        let waits = |words: &str| Queueing::Waits(words.to_owned());
        let records = [
            waits("a"),
            waits("b"),
            Queueing::TakenBack,
            waits("c"),
            waits("d"),
            Queueing::Passed,
            Queueing::Sent,
            waits("e"),
        ];
        let all = queued(records.into_iter().enumerate());
        let told: Vec<(usize, &str, QueueFate, Option<usize>)> = all
            .iter()
            .map(|own| (own.at, &*own.words, own.fate, own.until))
            .collect();
        assert_eq!(
            told,
            [
                (0, "a", QueueFate::TakenBack, Some(2)),
                (1, "b", QueueFate::TakenBack, Some(2)),
                (3, "c", QueueFate::Passed, Some(5)),
                (4, "d", QueueFate::Sent, Some(6)),
                (7, "e", QueueFate::NeverSent, None),
            ]
        );
    }
}
