//! The chain of a session as tables.

use super::table::{Table, counted, short, thousands};
use palimpsest_api::wire::{ChainFact, ChainView, FactStatus};

/// Compactions in a table, then facts with one sign for each compaction.
pub fn chain(answer: &ChainView) -> String {
    if answer.compactions.is_empty() {
        return "There is no compaction on this path of the session. `palimpsest sessions has:compaction` lists \
                sessions with one.\n"
            .to_owned();
    }
    let mut table = Table::new([
        "compaction",
        "entry",
        "first said",
        "carried",
        "lost",
        "needed later",
        "of the first span",
    ]);
    table.right(&[0, 2, 3, 4, 5, 6]);
    for (at, column) in answer.compactions.iter().enumerate() {
        table.row([
            (at + 1).to_string(),
            short(&column.entry_id, 12),
            thousands(column.born),
            thousands(column.carried),
            thousands(column.died),
            thousands(column.needed),
            if column.incomplete {
                "source incomplete".to_owned()
            } else {
                format!("{:.0} %", column.first_share * 100.0)
            },
        ]);
    }
    let mut out = format!("{table}\n");
    out += &format!(
        "{}; = verbatim, ~ reworded, c changed, p partly kept, t in the kept tail, x lost, ! lost and \
         needed\n",
        counted(answer.total, "fact", "facts")
    );
    let mut facts = Table::new(["life", "kind", "fact"]);
    for fact in &answer.facts {
        facts.row([
            signs(fact, answer.compactions.len()),
            fact.kind.in_words().to_owned(),
            short(&fact.text, 90),
        ]);
    }
    out + &facts.to_string()
}

fn signs(fact: &ChainFact, columns: usize) -> String {
    let born = usize::try_from(fact.born).unwrap_or(columns).min(columns);
    let mut out = ".".repeat(born);
    for cell in &fact.cells {
        out.push(match cell.status {
            _ if !cell.needed_later.is_empty() => '!',
            FactStatus::Verbatim => '=',
            FactStatus::Mentioned => '~',
            FactStatus::Changed => 'c',
            FactStatus::Partial => 'p',
            FactStatus::Dropped if cell.in_kept_tail => 't',
            FactStatus::Dropped => 'x',
        });
    }
    let rest = columns.saturating_sub(out.chars().count());
    out + &" ".repeat(rest)
}
