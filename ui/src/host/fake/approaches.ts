//! A made-up session: two attempts on branches of their own, and a third that became the active path.

import { Teller, type Told } from "./teller";

export function tellApproaches(): Told {
  const t = new Teller(0x6c200000);
  t.user("Look at the tokenizer of the ledger and tell me what it does.");
  const fork = t.say("It splits at spaces. Words with a hyphen are cut in two.");
  t.user("Try a regular expression for the tokenizer.");
  t.call("bash", "cargo test -p ledger tokens 2>&1 | tail -3", "test result: FAILED. 1 failed", 40);
  t.call("edit", "src/tokens.rs", "No text fits what should be replaced.", 22, true);
  const regex = t.say("The expression loses words with a hyphen. I would not keep it.");
  t.label(regex, "too lossy");
  t.goTo(fork);
  t.user("Try to strip the punctuation instead, and say what it costs.");
  t.call("bash", "cargo test -p ledger tokens", "test result: ok. 9 passed", 40);
  t.say("Words with a hyphen stay whole, and it needs no new crate.");
  t.goTo(fork);
  t.user("Leave the tokenizer. Write tests for what it does today.");
  t.call("bash", "cargo test -p ledger", "error: test failed, to rerun pass `-p ledger`", 60, true);
  t.user("Do a last check.");
  const leaf = t.say("All tests pass.");
  return { entries: t.entries, leaf, model: "claude-sonnet-4-5", links: [], files: [], own: [] };
}
