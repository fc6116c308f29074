//! Steps that were asked for or left to do and were taken since.
//!
//! The first thing an agent does behind a compaction is the next step of its summary: to commit, to push, to
//! open a pull request. Where such a command ran since and did not fail, nothing of the step is left. The same
//! holds for a prompt that only names such a step ("commit this").

use crate::candidate::Candidate;
use crate::prose::spaced;
use crate::span::{Call, Part};
use crate::{outcome, scripts};
use palimpsest_core::ledger::{FactKind, TaskState};

/// A step and the commands that take it, by their beginning.
struct Step {
    /// The word by which a prompt asks for it.
    word: &'static str,
    /// Turns that name it, each a line of words between blanks.
    turns: &'static [&'static str],
    commands: &'static [&'static str],
}

const STEPS: [Step; 3] = [
    Step {
        word: "commit",
        turns: &[
            " commit the ",
            " commit these ",
            " commit them ",
            " commit this ",
            " create a commit ",
            " commit and ",
            " commit it ",
            " the git commit ",
            " a git commit ",
        ],
        commands: &["git commit"],
    },
    Step {
        word: "push",
        turns: &[
            " push the ",
            " push it ",
            " push to ",
            " push them ",
            " and push ",
            " push both ",
        ],
        commands: &["git push"],
    },
    Step {
        word: "pr",
        turns: &[
            " create a draft pr ",
            " create a pr ",
            " create the pr ",
            " open a pr ",
            " pull request ",
        ],
        commands: &["gh pr create", "glab mr create"],
    },
];

/// Words of a prompt that name nothing besides the step.
#[rustfmt::skip]
const AROUND: &[&str] = &[
    "a", "all", "and", "again", "as", "changes", "create", "do", "draft", "everything", "first", "it", "just", "let's", "me",
    "make", "now", "ok", "okay", "open", "please", "pull", "raise", "request", "so", "that", "the", "then", "these",
    "this", "up", "we", "yes", "well", "can", "you",
];

/// Words by which a prompt asks to run something, which any command may do.
const RUNNING: [&str; 6] = ["execute", "launch", "rerun", "restart", "run", "start"];

/// Words by which it asks for something that a command with this name does ("please deploy", "run the tests").
const NAMED: [(&str, &[&str]); 3] = [
    ("deploy", &["deploy", "redeploy"]),
    ("build", &["rebuild"]),
    ("test", &["retest", "test", "tests"]),
];

/// Words beside these that name nothing of their own.
const BESIDE_RUNNING: &[&str] = &[
    "app",
    "application",
    "once",
    "program",
    "server",
    "suite",
    "try",
];

/// Words by which a prompt has something new made ("create a test suite").
const MAKING: &[&str] = &["create", "make", "do", "draft", "open", "raise"];

/// Words by which a prompt asks to answer somebody, and words beside them.
const REPLYING: [&str; 3] = ["reply", "respond", "answer"];
const BESIDE_REPLYING: [&str; 3] = ["to", "on", "comment"];

/// What the address of a comment or a ticket has.
const PLACES: [&str; 6] = [
    "/pull/",
    "/issues/",
    "/merge_requests/",
    "/discussions/",
    "#",
    "/comments/",
];

/// Programs that answer, and what stands where they send something.
const TRACKERS: [&str; 3] = ["gh", "glab", "curl"];
#[rustfmt::skip]
const SENDING: [&str; 13] = [
    " -f ", " -F ", " --field", " --raw-field", " -X POST", " -XPOST", "--method POST", " -d ", " --data", " --body",
    " comment ", " note ", " --input",
];

/// True for a command that sends something to a tracker.
fn sends(step: &str) -> bool {
    let program = step.split_whitespace().next().unwrap_or_default();
    TRACKERS.contains(&program) && SENDING.iter().any(|sign| step.contains(sign))
}

/// The numbers of a text that name a comment or a ticket: three digits or more.
fn numbers_in(text: &str) -> impl Iterator<Item = &str> {
    let digits = text.split(|c: char| !c.is_ascii_digit());
    digits.filter(|number| number.len() >= 3)
}

/// How many ranks lighter a prompt is that only asked for steps which were taken.
const SETTLED: i32 = 3;

/// The item of a span in which each of the steps was taken last.
#[derive(Default)]
pub(crate) struct Taken {
    steps: [Option<usize>; STEPS.len()],
    /// The item in which a command last did more than look.
    ran: Option<usize>,
    /// The same of a command with each name of [`NAMED`].
    named: [Option<usize>; NAMED.len()],
    /// Numbers of comments and tickets in commands that wrote to a tracker, with the item of each.
    answered: Vec<(String, usize)>,
}

impl Taken {
    /// Notes what `call` did, whose result is `output`. A command that may have gone well took its step: what
    /// `git commit` prints says nothing of how it ended.
    pub(crate) fn note(&mut self, call: &Call<'_>, output: &Part<'_>) {
        let Some(script) = call.script.as_deref() else {
            return;
        };
        let fails = || outcome::went_well(script, output.text, output.is_error) == Some(false);
        if !call.looks_only && !fails() {
            self.ran = Some(output.item);
            if TRACKERS.iter().any(|program| script.contains(program)) {
                let steps = scripts::steps(script);
                let sent = steps.iter().map(|step| step.text(script));
                let numbers = sent.filter(|step| sends(step)).flat_map(numbers_in);
                self.answered
                    .extend(numbers.map(|number| (number.to_owned(), output.item)));
            }
            for ((name, _), named) in NAMED.iter().zip(&mut self.named) {
                if script.contains(name) {
                    *named = Some(output.item);
                }
            }
        }
        // Most scripts name none, and need no parsing.
        let mentions = |step: &Step| step.commands.iter().any(|start| script.contains(start));
        if !STEPS.iter().any(mentions) || fails() {
            return;
        }
        for part in scripts::steps(script) {
            let text = part.text(script);
            for (step, taken) in STEPS.iter().zip(&mut self.steps) {
                if step.commands.iter().any(|start| text.starts_with(start)) {
                    *taken = Some(output.item);
                }
            }
        }
    }

    /// Makes prompts light that only ask for steps, each of which was taken after it.
    pub(crate) fn settle(&self, facts: &mut [Candidate]) {
        let prompts = facts
            .iter_mut()
            .filter(|fact| fact.kind == FactKind::UserRequest && fact.details.generation == 0);
        for fact in prompts {
            let words = spaced(&fact.text);
            let mut steps = 0;
            let since = |item: Option<usize>| item.is_some_and(|item| item > fact.last_item);
            let mut runs = false;
            let mut makes = false;
            let settled = words.split_whitespace().all(|word| {
                let step = STEPS.iter().position(|step| step.word == word);
                let named = NAMED.iter().position(|(_, words)| words.contains(&word));
                let any = RUNNING.contains(&word);
                runs |= named.is_some() || any;
                makes |= MAKING.contains(&word);
                steps += usize::from(step.is_some() || named.is_some() || any);
                match (step, named) {
                    (Some(step), _) => since(self.steps[step]),
                    (_, Some(named)) => since(self.named[named]),
                    _ if any => since(self.ran),
                    _ => AROUND.contains(&word) || BESIDE_RUNNING.contains(&word),
                }
            });
            let settled = settled && !(runs && makes);
            if settled && steps > 0 || self.answers(fact) {
                fact.lighter += SETTLED;
            }
        }
    }

    /// True for a prompt that asks to reply to comments, each of which a command answered since ("reply to https://…").
    fn answers(&self, fact: &Candidate) -> bool {
        let lower = fact.text.to_lowercase();
        let words = || {
            let bare = |word| str::trim_end_matches(word, [',', '.', '!', ':']);
            lower.split_whitespace().map(bare)
        };
        let asks = words()
            .find(|word| !AROUND.contains(word))
            .is_some_and(|word| REPLYING.contains(&word));
        let is_address = |word: &str| {
            word.starts_with('#')
                || word.starts_with("http") && PLACES.iter().any(|part| word.contains(part))
        };
        let is_plain = |word: &str| {
            REPLYING.contains(&word) || AROUND.contains(&word) || BESIDE_REPLYING.contains(&word)
        };
        let mut addresses = words().filter(|word| is_address(word)).peekable();
        let since = |number: &str| {
            let mut answered = self.answered.iter();
            answered.any(|(known, item)| known == number && *item > fact.last_item)
        };
        asks && words().all(|word| is_address(word) || is_plain(word))
            && addresses.peek().is_some()
            && addresses.all(|address| numbers_in(address).last().is_some_and(since))
    }

    /// Closes the tasks that only an earlier summary names and of which every step was taken in the span;
    /// `lighter` is how many ranks lighter a finished task is.
    pub(crate) fn close(&self, facts: &mut [Candidate], lighter: i32) {
        let open = facts.iter_mut().filter(|fact| {
            fact.kind == FactKind::Todo
                && fact.details.generation > 0
                && fact.details.task != Some(TaskState::Closed)
        });
        for fact in open {
            let words = spaced(&fact.text);
            let named = |step: &Step| step.turns.iter().any(|turn| words.contains(turn));
            let steps = STEPS.iter().zip(self.steps);
            let mut steps = steps.filter(|(step, _)| named(step)).peekable();
            if steps.peek().is_some() && steps.all(|(_, taken)| taken.is_some()) {
                fact.details.task = Some(TaskState::Closed);
                fact.lighter += lighter;
            }
        }
    }
}
