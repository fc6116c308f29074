//! What a search found, for people.

use super::table::{counted, duration, thousands, time};
use super::{marks, short};
use palimpsest_api::wire::{
    AnsweredCall, CompactionAt, CountBy, CountView, FindColumn, FindView, MarkKind, NamedHit,
    NamedKind, QueueFate, QueuedView, RecordKind, Role, SearchChange, SearchHit, SearchPage,
    WiderSearch, written,
};
use std::fmt;

/// What of a query has another effect than it says, as lines before the answer.
pub(super) fn ignored(ignored: &[String]) -> String {
    let lines = ignored.iter().map(|part| format!("note: {part}\n"));
    lines.collect()
}

/// What an entry is, in a few words: who speaks in it, the tools it calls, what became of them.
pub(super) struct What<'a> {
    /// What the record is.
    pub(super) kind: RecordKind,
    /// Who speaks in it.
    pub(super) role: Option<Role>,
    /// The tools it calls or holds results of.
    pub(super) tools: &'a [String],
    /// True for a failed tool or message.
    pub(super) is_error: bool,
    /// True for a reply that the user stopped.
    pub(super) aborted: bool,
    /// True for the result of a rejected call.
    pub(super) rejected: bool,
    /// True for what a subagent said or did inside the session.
    pub(super) in_subagent: bool,
    /// The subagent that wrote it.
    pub(super) subagent: Option<&'a str>,
    /// True for a reply that has nothing but what the model thought.
    pub(super) thinking: bool,
    /// The agent's own name for the record.
    pub(super) record: Option<&'a str>,
}

impl fmt::Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match (self.rejected, self.aborted, self.is_error) {
            (true, _, _) => ", rejected",
            (_, true, _) => ", stopped by the user",
            (_, _, true) => ", failed",
            _ => "",
        };
        let tools = self.tools.join(", ");
        // A subagent's message stands in a record of the agent's own kind.
        let kind = match (self.kind, self.role) {
            (RecordKind::Custom, Some(_)) if self.in_subagent => RecordKind::Message,
            (kind, _) => kind,
        };
        let words = match (kind, self.role) {
            (RecordKind::Message | RecordKind::ToolResult, Some(Role::Tool)) => "result".to_owned(),
            (RecordKind::Message, Some(Role::Assistant)) if !self.tools.is_empty() => {
                "call".to_owned()
            }
            (RecordKind::Message, Some(Role::Assistant)) if self.thinking => "thinking".to_owned(),
            (RecordKind::Message, Some(role)) => written(role),
            (kind, _) => match self.record {
                Some(own) => format!("{} {own}", written(kind)),
                None => written(kind),
            },
        };
        write!(f, "{words}")?;
        if !tools.is_empty() {
            write!(f, " {tools}")?;
        }
        f.write_str(state)?;
        match self.subagent {
            Some(name) => write!(f, ", in the subagent {}", short(name, 60))?,
            None if self.in_subagent => f.write_str(", in a subagent")?,
            None => {}
        }
        Ok(())
    }
}

/// Hits over all sessions.
pub(super) fn search(page: &SearchPage) -> String {
    let mut out = ignored(&page.ignored);
    if let Some(note) = &page.note {
        out += &format!("{note}\n");
    }
    for one in &page.named {
        out += &named(one);
    }
    let hits = page.hits.len() as u64;
    if page.together > 0 && page.together < hits {
        let first = match page.together {
            1 => "hit".to_owned(),
            more => format!("{} hits", thousands(more)),
        };
        out += &format!("The words stand next to each other in the first {first}.\n");
    }
    // The user's notes and labels come before the hits in sessions: they are few and were written
    // to be found.
    out += &marks::hits(page);
    let mut last: Option<(&str, &str)> = None;
    for hit in &page.hits {
        let what = What {
            kind: hit.kind,
            role: hit.role,
            tools: &hit.tools,
            is_error: hit.is_error,
            aborted: hit.aborted,
            rejected: hit.rejected,
            in_subagent: hit.in_subagent,
            subagent: hit.subagent.as_deref(),
            thinking: hit.thinking,
            record: hit.record.as_deref(),
        };
        let size = hit
            .tokens
            .map(|tokens| format!("  {} tokens", thousands(tokens)));
        out += &format!(
            "{}  {}  {}  {what}{}{}{}  {}{}\n    {}\n",
            hit.shown_id,
            entry_name(&hit.entry_id),
            time(hit.timestamp),
            hit.plan
                .map_or_else(String::new, |plan| format!(", {}", written(plan))),
            also(
                hit.change.as_deref(),
                hit.queued.as_ref(),
                hit.after_compaction.as_ref()
            ),
            size.unwrap_or_default(),
            short(&hit.title, 60),
            also_in(hit),
            said(hit.call.as_ref(), &hit.snippet),
        );
        // Said once for the hits that follow it.
        let prompt = hit.prompt.as_deref().map(|prompt| (&*hit.session, prompt));
        if let Some((_, prompt)) = prompt.filter(|own| last != Some(*own)) {
            out += &format!("    after: {}\n", short(prompt, 100));
        }
        last = prompt;
    }
    let leaves_out = |change: &SearchChange| change.instead.is_none();
    if !page.hits.is_empty() && page.wider.changes.iter().any(leaves_out) {
        out += "Fewer words find more:\n";
    }
    out += &wider(&page.wider, "search", ("entry", "entries"), "No entry");
    let more = match page.total {
        Some(total) if page.more => format!(" of {}", thousands(total)),
        _ if page.more => " (more available)".to_owned(),
        _ => String::new(),
    };
    format!(
        "{out}{}{more} in {}",
        found_words(page),
        duration(page.elapsed_ms)
    )
}

/// The name of an entry that commands take; of one named by its line, which is counted from 0, also
/// the number that an editor shows.
pub(super) fn entry_name(id: &str) -> String {
    let line: Option<u64> = id.strip_prefix("line:").and_then(|line| line.parse().ok());
    match line {
        Some(line) => format!("{id} (line {})", line.saturating_add(1)),
        None => id.to_owned(),
    }
}

/// The other files that hold the session and entry of a hit.
fn also_in(hit: &SearchHit) -> String {
    let ids: Vec<&str> = hit.also_in.iter().map(|own| &*own.shown_id).collect();
    if ids.is_empty() {
        return String::new();
    }
    format!(" (also in {})", ids.join(", "))
}

/// What to change in a search that finds nothing, a line for each; `command` runs it.
pub(super) fn wider(
    wider: &WiderSearch,
    command: &str,
    (one, more): (&str, &str),
    none: &str,
) -> String {
    let mut out = String::new();
    for change in &wider.changes {
        let how = match &change.instead {
            Some(instead) => format!("With {instead} in place of {}", change.piece),
            None => format!("Without {}", change.piece),
        };
        let found = match change.total {
            Some(total) => counted(total, one, more),
            None => format!("many {more}"),
        };
        out += &format!("{how}: {found}\n");
    }
    if let Some(first) = wider.changes.first() {
        let query = first.query.replace('\'', "'\\''");
        out += &format!("`palimpsest {command} '{query}'` lists those of the first line.\n");
    }
    if !wider.absent.is_empty() {
        out += &format!("{none} has {}.\n", wider.absent.join(" or "));
    }
    out
}

/// Hits counted by what they are of.
pub(super) fn counts(view: &CountView) -> String {
    let mut out = ignored(&view.ignored);
    let (one, more) = if view.counts_calls {
        ("call", "calls")
    } else {
        ("hit", "hits")
    };
    let width = view.rows.iter().map(|row| row.name.chars().count());
    let width = width.max().unwrap_or_default().min(40);
    for row in &view.rows {
        let newest = row.newest.as_ref().map(|hit| {
            format!(
                "  newest {} {} {}",
                time(hit.timestamp),
                hit.shown_id,
                entry_name(&hit.entry_id)
            )
        });
        out += &format!(
            "{:>7}  {:<width$}  in {}{}\n",
            thousands(row.count),
            row.name,
            counted(row.sessions, "session", "sessions"),
            newest.unwrap_or_default(),
        );
    }
    let left = view.names.saturating_sub(view.rows.len() as u64);
    if left > 0 {
        out += &format!("{} more\n", thousands(left));
    }
    let what = match view.by {
        CountBy::Tool => "tool",
        CountBy::Command => "command",
        CountBy::Project => "project",
        CountBy::Agent => "agent",
    };
    if view.without > 0 {
        out += &format!(
            "{} without a {what}\n",
            counted(view.without, "hit", "hits")
        );
    }
    if let Some(first) = view.rows.first() {
        out += &format!(
            "`palimpsest search '{}'` shows those of the first\n",
            first.query.replace('\'', "'\\''")
        );
    }
    let all: u64 = view.rows.iter().map(|row| row.count).sum();
    format!(
        "{out}{} of {} in {}",
        counted(all, one, more),
        counted(view.hits, "entry", "entries"),
        duration(view.elapsed_ms)
    )
}

/// How much was found: entries alone are hits; beside marks and ids each kind has its own count.
fn found_words(page: &SearchPage) -> String {
    let hits = page.hits.len() as u64;
    let of = |kind: MarkKind| page.marks.iter().filter(|own| own.kind == kind).count() as u64;
    let named = |kind: NamedKind| page.named.iter().filter(|own| own.kind == kind).count() as u64;
    let beside = [
        (of(MarkKind::Label), "label", "labels"),
        (of(MarkKind::Note), "note", "notes"),
        (
            named(NamedKind::Session) + named(NamedKind::TakenBack),
            "session",
            "sessions",
        ),
        (named(NamedKind::Run), "run", "runs"),
        (named(NamedKind::Prompt), "prompt", "prompts"),
        (
            named(NamedKind::Write),
            "written session",
            "written sessions",
        ),
    ];
    let mut parts: Vec<String> = beside
        .into_iter()
        .filter(|(count, _, _)| *count > 0)
        .map(|(count, one, more)| counted(count, one, more))
        .collect();
    let left = page.marks_total.saturating_sub(page.marks.len() as u64);
    if left > 0 {
        parts.push(format!("{} more notes and labels", thousands(left)));
    }
    if parts.is_empty() {
        return counted(hits, "hit", "hits");
    }
    parts.push(counted(hits, "entry", "entries"));
    parts.join(", ")
}

/// What else is known of a hit: how the model changes at it, what became of a queued prompt, after
/// which compaction it reads a file again.
fn also(change: Option<&str>, prompt: Option<&QueuedView>, after: Option<&CompactionAt>) -> String {
    let change = change.map(str::to_owned);
    let after = after.map(|own| format!("read again after the compaction {}", own.entry_id));
    let parts = change.into_iter().chain(prompt.map(queued)).chain(after);
    parts.map(|part| format!(", {part}")).collect()
}

/// What became of a queued prompt.
pub(super) fn queued(prompt: &QueuedView) -> String {
    match (prompt.fate, &prompt.entry_id) {
        (QueueFate::Sent | QueueFate::Passed, Some(entry)) => format!("sent as entry {entry}"),
        (QueueFate::Sent, None) => "sent when the model was done".to_owned(),
        (QueueFate::Passed, None) => "sent with the next result".to_owned(),
        (QueueFate::TakenBack, _) => "taken back".to_owned(),
        (QueueFate::NeverSent, _) => "never sent".to_owned(),
    }
}

/// The text of a hit, one line also where the snippet spans several, behind the call that it answers.
fn said(call: Option<&AnsweredCall>, snippet: &str) -> String {
    let snippet = snippet.replace('\n', " ");
    match call
        .map(|call| &*call.headline)
        .filter(|line| !line.is_empty())
    {
        Some(line) if snippet.is_empty() => line.to_owned(),
        Some(line) => format!("{line} \u{2192} {snippet}"),
        // An entry found by a filter alone may have no text.
        None if snippet.is_empty() => "(no text)".to_owned(),
        None => snippet,
    }
}

/// What an id names, and the command that shows it.
fn named(one: &NamedHit) -> String {
    let id = one.shown_id.as_ref().unwrap_or(&one.id);
    let session = one.session.as_deref().unwrap_or_default();
    let show = match one.kind {
        NamedKind::Session | NamedKind::TakenBack => {
            format!("palimpsest tree {}", id.trim_end_matches('…'))
        }
        NamedKind::Run if !one.has_summary => format!("palimpsest runs {session}"),
        NamedKind::Run => format!("palimpsest ledger {session} --run {id}"),
        NamedKind::Prompt => format!("palimpsest prompts show {id}"),
        NamedKind::Write => "palimpsest written".to_owned(),
    };
    let about = if one.about.is_empty() {
        String::new()
    } else {
        format!("  {}", one.about)
    };
    format!(
        "{} {id}  {}{about}\n    {}\n    `{show}` shows it\n",
        match one.kind {
            NamedKind::TakenBack => written(NamedKind::Session),
            kind => written(kind),
        },
        time(one.timestamp),
        match &*short(&one.title, 60) {
            "" => "(no title)",
            title => title,
        },
    )
}

/// Hits inside one session, in three parts.
pub(super) fn inside(found: &FindView) -> String {
    let mut out = ignored(&found.ignored);
    match &found.compaction {
        None => {
            out += &column("in the session", &found.before);
            out += &column("in summaries", &found.summaries);
        }
        Some(compaction) => {
            let before = format!("before the compaction {compaction}");
            out += &column(&before, &found.before);
            out += &column("in summaries", &found.summaries);
            out += &column("after the compaction", &found.after);
        }
    }
    // The beginning of an id, which commands take.
    let session: String = found.session.chars().take(10).collect();
    let command = format!("find {session}");
    out += &wider(
        &found.wider,
        &command,
        ("hit", "hits"),
        "No entry of the session",
    );
    out.trim_end().to_owned()
}

fn column(name: &str, column: &FindColumn) -> String {
    let order = if column.total > 1 {
        ", oldest first"
    } else {
        ""
    };
    let mut out = format!("{name}: {}{order}\n", counted(column.total, "hit", "hits"));
    let mut last = None;
    for hit in &column.hits {
        let what = What {
            kind: hit.kind,
            role: hit.role,
            tools: &hit.tools,
            is_error: hit.is_error,
            aborted: hit.aborted,
            rejected: hit.rejected,
            in_subagent: hit.in_subagent,
            subagent: hit.subagent.as_deref(),
            thinking: hit.thinking,
            record: hit.record.as_deref(),
        };
        out += &format!(
            "  {}  {}  {what}{}\n    {}\n",
            entry_name(&hit.entry_id),
            time(hit.timestamp),
            also(
                hit.change.as_deref(),
                hit.queued.as_ref(),
                hit.after_compaction.as_ref()
            ),
            said(hit.call.as_ref(), &hit.snippet),
        );
        // Said once for the hits that follow it.
        let prompt = hit.prompt.as_deref();
        if let Some(prompt) = prompt.filter(|own| last != Some(*own)) {
            out += &format!("    after: {}\n", short(prompt, 100));
        }
        last = prompt;
    }
    let left = column.total.saturating_sub(column.hits.len() as u64);
    if left > 0 {
        out += &format!("  {} more\n", counted(left, "hit", "hits"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::entry_name;

    #[test]
    fn an_entry_named_by_its_line_says_the_line_of_an_editor() {
        assert_eq!(entry_name("line:428"), "line:428 (line 429)");
        assert_eq!(entry_name("e428"), "e428");
        assert_eq!(entry_name("line:x"), "line:x");
    }
}
