//! A span of five megabytes; run in release with `--ignored --nocapture` to see the time.

use crate::conversation::Conversation;
use palimpsest_ledger::{LedgerInput, Span, build};

fn big(turns: usize) -> Conversation {
    let code: String = (0..120)
        .map(|n| {
            format!("    let value_{n} = compute_{n}(input, {n})?; // see src/gen/file_{n}.rs\n")
        })
        .collect();
    let mut session = Conversation::default();
    for turn in 0..turns {
        session = session
            .user(&format!(
                "Please change module_{turn} in src/part_{turn}/mod.rs. Never use unsafe there."
            ))
            .read(&format!("/home/me/app/src/part_{turn}/mod.rs"), &code)
            .edit(
                &format!("src/part_{turn}/mod.rs"),
                &code[..300],
                &code[300..900],
            )
            .bash(
                &format!("cargo test -p part_{turn}"),
                &format!(
                    "error[E0308]: mismatched types in part_{turn}\n{}",
                    &code[..1500]
                ),
            )
            .assistant(&format!(
                "I'll use `Handle{turn}Thing` instead of a lock, port {}.",
                2000 + turn
            ));
    }
    session
}

#[test]
#[ignore = "prints a measurement"]
fn five_megabytes() {
    let session = big(480);
    let items = session.items();
    let span = Span::new(&items);
    let bytes: usize = span.parts().map(|part| part.text.len()).sum();
    let summary: String = (0..200)
        .map(|n| {
            format!(
                "- changed module_{n} in src/part_{n}/mod.rs, never unsafe, port {}\n",
                2000 + n
            )
        })
        .collect();
    let whole = session.transcript();
    for summary in [summary.as_str(), whole.as_str()] {
        let start = std::time::Instant::now();
        let ledger = build(&LedgerInput {
            span,
            summary,
            kept_tail: span,
            later: span,
            ..LedgerInput::default()
        });
        println!(
            "{bytes} bytes, {} facts, {:?}",
            ledger.facts.len(),
            start.elapsed()
        );
    }
}
