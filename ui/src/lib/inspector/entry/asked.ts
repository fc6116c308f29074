//! What the calls of an entry ask of subagents. Pure.

import type { EntryView, MdBlock } from "../../../wire/wire";

/** The prompts of the subagents that have a card, by the id of their call. */
export function prompts(view: EntryView): ReadonlyMap<string, readonly MdBlock[]> {
  const carded = new Set(view.subagents.map((agent) => agent.call_id));
  return new Map(
    view.messages
      .flatMap((message) => message.blocks)
      .flatMap((block) =>
        block.type === "tool_call" && block.shape.type === "subagent" && carded.has(block.call_id)
          ? [[block.call_id, block.shape.prompt] as const]
          : [],
      ),
  );
}
