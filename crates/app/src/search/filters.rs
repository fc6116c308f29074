//! What can be written in a search, as menus and help list it.

/// A part of the query language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchFilter {
    /// What is typed, up to where the value begins.
    pub write: &'static str,
    /// What it finds.
    pub meaning: &'static str,
    /// A whole example.
    pub example: &'static str,
}

const fn one(write: &'static str, meaning: &'static str, example: &'static str) -> SearchFilter {
    SearchFilter {
        write,
        meaning,
        example,
    }
}

/// Everything the query language has, in the order of a menu. A test reads every example.
pub const FILTERS: &[SearchFilter] = &[
    one("\"", "exact phrase", "\"date parser\""),
    one("-", "without this word or filter", "-draft"),
    one(
        "*",
        "words that begin so: pars* finds parser, parsed and parsing; an id is found by its beginning",
        "pars*",
    ),
    one(
        "tool:",
        "calls and results of a tool; two tools mean either",
        "tool:bash",
    ),
    one(
        "file:",
        "calls that name a file, shell commands that read or change it, and their results; with tool: \
         both in one entry",
        "file:src/main.rs tool:edit",
    ),
    one(
        "cmd:",
        "shell commands with the word, and their results; with kind:error those that failed",
        "cmd:pytest",
    ),
    one(
        "kind:",
        "entries of a kind: user, assistant, thinking, call, result, error, failed-test, rejected, aborted, \
         undone, queued, image, todo, open-todo, plan, reread, subagent, subagent-start, resume, summary, compaction, clearing, model-change, or an \
         agent's own name of a record; two kinds mean either",
        "kind:user",
    ),
    one(
        "kind:failed-test",
        "output of commands that shows failed tests, also where the agent marked no error",
        "kind:failed-test",
    ),
    one(
        "kind:reread",
        "the first reading of a file after a compaction before which it was used; file: names it",
        "kind:reread file:main.rs",
    ),
    one(
        "kind:open-todo",
        "the last list of things to do where something in it is open, and the last change of each open \
         task",
        "kind:open-todo",
    ),
    one(
        "kind:subagent",
        "what subagents wrote inside a session, and the calls that started them; their names are words",
        "kind:subagent scout",
    ),
    one(
        "kind:thinking",
        "replies with what the model thought, as far as it is stored; kind:assistant has those with words",
        "kind:thinking",
    ),
    one(
        "kind:resume",
        "records with which a process of the agent took up a session, where the agent writes them",
        "kind:resume",
    ),
    one("model:", "sessions with replies of a model", "model:opus"),
    one(
        "project:",
        "sessions of a project or folder",
        "project:courier",
    ),
    one("branch:", "sessions on a git branch", "branch:main"),
    one(
        "worktree:",
        "sessions in a worktree of the repository",
        "worktree:fix",
    ),
    one("agent:", "sessions of an agent", "agent:pi"),
    one(
        "session:",
        "one session, by the beginning of its id or by a part of its file's name",
        "session:70d782f7",
    ),
    one(
        "title:",
        "sessions with the word in the title",
        "title:dates",
    ),
    one(
        "after:",
        "entries written from a year, month or day on (UTC)",
        "after:2026-10",
    ),
    one(
        "before:",
        "entries written before a year, month or day (UTC)",
        "before:2026-10-15",
    ),
    one(
        "since:",
        "entries of the last hours, days or weeks",
        "since:7d",
    ),
    one(
        "has:compaction",
        "sessions with a compaction",
        "has:compaction",
    ),
    one(
        "has:branch",
        "sessions with more than one branch",
        "has:branch",
    ),
    one(
        "has:error",
        "sessions with a failed tool or request",
        "has:error",
    ),
    one(
        "has:rejected",
        "sessions with a call that you rejected",
        "has:rejected",
    ),
    one(
        "has:failed-test",
        "sessions with output that shows failed tests",
        "has:failed-test",
    ),
    one(
        "has:reread",
        "sessions that read a file again after a compaction",
        "has:reread",
    ),
    one(
        "has:open-todo",
        "sessions that left something to do open",
        "has:open-todo",
    ),
    one(
        "has:subagent",
        "sessions that started subagents",
        "has:subagent",
    ),
    one(
        "has:undone",
        "sessions with entries that were taken back",
        "has:undone",
    ),
    one("has:image", "sessions with an image", "has:image"),
    one(
        "has:warning",
        "sessions with unreadable records",
        "has:warning",
    ),
    one(
        "compactions:",
        "sessions by their number of compactions",
        "compactions:>1",
    ),
    one(
        "errors:",
        "sessions by their number of failed tools and requests",
        "errors:>5",
    ),
    one(
        "rejected:",
        "sessions by their number of calls that you rejected",
        "rejected:>2",
    ),
    one(
        "tokens:",
        "sessions by their largest context",
        "tokens:>100k",
    ),
    one("cost:", "sessions by their cost in dollars", "cost:>1"),
    one(
        "entries:",
        "sessions by their number of entries",
        "entries:>500",
    ),
    one(
        "is:subagent",
        "sessions that another session started",
        "is:subagent",
    ),
    one("is:fork", "sessions forked from another one", "is:fork"),
    one(
        "is:continuation",
        "sessions that continue another one",
        "is:continuation",
    ),
    one(
        "flag:",
        "sessions with an unusual compaction; each flag is listed below",
        "flag:any",
    ),
    one("is:starred", "sessions with a star", "is:starred"),
    one("has:note", "sessions with a note", "has:note"),
    one("has:label", "sessions with a label", "has:label"),
    one("note:", "notes with the word", "note:flaky"),
    one(
        "label:",
        "labels with the word, yours and the agent's",
        "label:todo",
    ),
];
