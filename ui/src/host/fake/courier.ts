//! A made-up session: fixing a retry queue, with two compactions and an abandoned branch.

import { Teller, type Told } from "./teller";

const SUMMARY_ONE = `## Goal
Stop the courier retry queue from losing messages when the broker restarts.

## Constraints & Preferences
- Do not change the wire format of \`RetryEnvelope\`.
- Keep the backoff ceiling at 30 s.

## Progress
### Done
- [x] Reproduced the loss with \`cargo test -p courier-queue restart\`.
- [x] Found that \`RetryQueue::drain\` acknowledges before the write is flushed.

### In Progress
- [ ] Move the acknowledgement behind \`flush()\` in \`src/queue/retry.rs\`.

## Key Decisions
- **Acknowledge after flush**: a duplicate is cheaper than a loss.

## Next Steps
1. Change \`drain\` and run the restart tests.
2. Measure throughput with 10,000 messages.

## Critical Context
- The broker closes sockets with code 4801 when it restarts.

<read-files>
src/queue/backoff.rs
src/broker/session.rs
</read-files>
<modified-files>
src/queue/retry.rs
</modified-files>`;

const SUMMARY_TWO = `## Goal
Stop the courier retry queue from losing messages when the broker restarts, and write the dead-letter report.

## Constraints & Preferences
- Do not change the wire format of \`RetryEnvelope\`.

## Progress
### Done
- [x] \`RetryQueue::drain\` acknowledges after \`flush()\`.
- [x] \`cargo test -p courier-queue restart\` passes, 14 tests.
- [x] Throughput fell by about 4 %, within the limit.

### In Progress
- [ ] Dead-letter report in \`src/report/dead_letter.rs\`.

### Blocked
- (none)

## Key Decisions
- **Acknowledge after flush**: a duplicate is cheaper than a loss.
- **Use the existing metrics crate** for the report.

## Next Steps
1. Group dead letters by route.
2. Add the \`--since\` option.

## Critical Context
- The broker runs version 3.9 in staging.`;

const BRIDGE = `The user explored keeping a write-ahead file beside the queue.

## Goal
See whether a write-ahead file removes the duplicate deliveries.

## Progress
### Done
- [x] Sketched \`src/queue/wal.rs\` with an append-only log.

## Key Decisions
- **Abandoned**: fsync per message cost 61 % of the throughput.`;

const FILES = [
  "src/queue/retry.rs",
  "src/queue/backoff.rs",
  "src/broker/session.rs",
  "src/queue/envelope.rs",
  "tests/restart.rs",
  "src/report/dead_letter.rs",
];

const CODE = `    pub async fn drain(&mut self) -> Result<usize, QueueError> {
        let batch = self.store.take(self.limit)?;
        for envelope in &batch {
            self.broker.publish(envelope).await?;
            self.acks.send(envelope.id)?;
        }
        self.store.flush().await?;
        Ok(batch.len())
    }`;

/** A few rounds of reading, editing and testing. */
function work(t: Teller, rounds: number, from: number): void {
  for (let i = 0; i < rounds; i++) {
    const file = FILES[(from + i) % FILES.length]!;
    switch ((from + i) % 5) {
      case 0:
        t.call("read", file, `${CODE}\n\n// … 214 more lines of ${file}`, 4_600 + i * 90);
        break;
      case 1:
        t.call(
          "grep",
          `acks.send in src/`,
          `${file}:118:            self.acks.send(envelope.id)?;\nsrc/broker/session.rs:44:        acks.send(id)`,
          420,
        );
        break;
      case 2:
        t.call("edit", file, `Replaced 3 lines in ${file}.`, 310);
        break;
      case 3:
        t.call(
          "bash",
          "cargo test -p courier-queue restart",
          i % 2 === 0
            ? "error[E0502]: cannot borrow `self.store` as mutable\n  --> src/queue/retry.rs:121:22"
            : "test result: ok. 14 passed; 0 failed; finished in 2.41s",
          2_100,
          i % 2 === 0,
        );
        break;
      default:
        t.say(
          `The order matters here: \`drain\` sends the acknowledgement **before** \`flush()\`.\n\n1. A restart between the two loses the batch.\n2. Moving it behind the flush can deliver twice, which the envelope's id makes harmless.\n\n\`\`\`rust\nself.store.flush().await?;\nfor id in ids {\n    self.acks.send(id)?;\n}\n\`\`\`\n\nSee the [queue notes](https://example.org/queue) for the wording.`,
          "The user wants no loss. Duplicates are fine because consumers look at the envelope id. So the acknowledgement has to come last.",
        );
    }
  }
}

/** The whole story, and the entry its agent would resume from. */
export function tellCourier(): Told {
  const t = new Teller(0x3fa1c000);
  t.add({ kind: "model_change", text: "anthropic/claude-sonnet-4-5" }, 0);
  t.add({ kind: "thinking_change", text: "medium" }, 0);
  const first = t.user(
    "The courier retry queue loses messages when the broker restarts. Find out why and fix it. Do not change the wire format of RetryEnvelope, other teams parse it. Keep the backoff ceiling at 30 s.",
  );
  t.label(first, "the task");
  work(t, 17, 0);
  const kept = t.user(
    "Good. The staging broker is 3.9 and closes with 4801, please keep that in the notes.",
  );
  work(t, 4, 2);
  t.add({ kind: "compaction", text: SUMMARY_ONE, kept });
  work(t, 12, 3);
  const fork = t.user("What if we kept a write-ahead file beside the queue?");
  work(t, 6, 0);
  const abandoned = t.say(
    "A write-ahead file works, but fsync per message costs 61 % of the throughput.",
  );
  t.label(abandoned, "wal, too slow");
  const before = t.entries.find((e) => e.id === fork)!.parent!;
  t.goTo(before);
  t.add({ kind: "branch_summary", text: BRIDGE });
  t.user(
    "No write-ahead file then. Now write the dead-letter report, grouped by route, and re-use the metrics crate.",
  );
  work(t, 14, 1);
  const kept2 = t.say("The report groups by route now. Next is the `--since` option.");
  work(t, 3, 2);
  t.add({ kind: "compaction", text: SUMMARY_TWO, kept: kept2 });
  t.user("Remember the backoff ceiling, it is still 30 s. Add --since.");
  work(t, 9, 0);
  const leaf = t.say("`--since` is in, the ceiling is 30 s again and all 16 tests pass.");
  return { entries: t.entries, leaf, model: "claude-sonnet-4-5", links: [], files: [], own: [] };
}
