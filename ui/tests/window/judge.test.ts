import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { entries } from "../../src/host/fake/tree";
import { all, find, openWindow, waitFor, type Opened } from "../open";

const newest = entries.findLast((e) => e.kind === "compaction")!;
const settings = { provider: "anthropic", model: "claude-haiku-4-5" };
const open = async (ask_above_usd: number | null = null): Promise<Opened> => {
  const opened = await openWindow(`#s=s1&e=${newest.id}&tab=summary`, {
    settings: { ...settings, ask_above_usd },
  });
  await find("ledger-totals");
  return opened;
};
const sent = (host: Opened["host"], command: string): number =>
  host.calls.filter((call) => call.command === command).length;

describe("a model is asked", () => {
  test("only by its button, and the price stands before it", async () => {
    const { host } = await open();
    expect(sent(host, "judge_plan")).toBe(0);
    await fireEvent.click(await find("judge-open"));
    const price = await find("judge-price");
    expect(price.textContent).toContain("1 call, about 12.0k tokens in and 1.0k out, about $0.050");
    expect(price.textContent).toContain("The prompts are sent to anthropic.");
    expect(sent(host, "judge")).toBe(0);
    const asked = host.calls.filter((call) => call.command === "ledger").length;
    await fireEvent.click(await find("judge-ask"));
    expect((await find("judgement-result")).textContent).toBe("1 fact, 1 rejected");
    expect(sent(host, "judge")).toBe(1);
    // The facts stand in the ledger, so it is asked for again.
    await waitFor(() => expect(sent(host, "ledger")).toBeGreaterThan(asked));
    const details = (await find("judgement-details")).textContent;
    expect(details).toContain("The wire format of RetryEnvelope stays as it is.");
    expect(details).toContain("The queue leaks memory. (the quote is not in the cited entries)");
    await fireEvent.click(await find("judgement-delete"));
    await waitFor(() => expect(all("judgement")).toHaveLength(0));
  });

  test("after a question where it may cost more than the limit", async () => {
    const { app, host } = await open(0.1);
    await fireEvent.click(await find("judge-open"));
    await fireEvent.click(await find("judge-ask"));
    await waitFor(() => expect(app.cost.asked?.most).toBe(0.2));
    app.cost.settle(false);
    await waitFor(() => expect(app.cost.asked).toBeNull());
    expect(sent(host, "judge")).toBe(0);
    await fireEvent.click(await find("judge-ask"));
    await waitFor(() => expect(app.cost.asked).not.toBeNull());
    app.cost.settle(true);
    await find("judgement-result");
    const asked = host.calls.find((call) => call.command === "judge")?.params;
    expect(asked).toMatchObject({ above_limit: true });
  });

  test("and answers questions whose answers rules know", async () => {
    await open();
    await fireEvent.click(await find("judge-open"));
    await fireEvent.change(await find("judge-what"), { target: { value: "probes" } });
    await waitFor(async () =>
      expect((await find("judge-ask")).hasAttribute("disabled")).toBe(false),
    );
    await fireEvent.click(await find("judge-ask"));
    expect((await find("judgement-result")).textContent).toBe("50 % of 1 probe");
    expect((await find("judgement-details")).textContent).toContain(
      "missing: src/queue/backoff.rs",
    );
  });

  test("and its verdicts on claims stand beside those of rules", async () => {
    await open();
    await fireEvent.click(await find("claims-view"));
    const rules = (await find("claims-by-rules")).textContent;
    expect(all("claim-by-model")).toHaveLength(0);
    expect(all("claims-differ-choice")).toHaveLength(0);
    await fireEvent.click(await find("judge-open"));
    await fireEvent.change(await find("judge-what"), { target: { value: "claims" } });
    await waitFor(async () =>
      expect((await find("judge-ask")).hasAttribute("disabled")).toBe(false),
    );
    await fireEvent.click(await find("judge-ask"));
    expect((await find("judgement-result")).textContent).toBe(
      "75 % of statements supported, 75 % of facts kept",
    );
    expect((await find("judgement-details")).textContent).toContain("(rules: supported)");
    const sums = await find("claims-by-model");
    expect(sums.textContent).toContain("statements supported; 1 stale, 1 not checked.");
    // What rules say stays as it was.
    expect((await find("claims-by-rules")).textContent).toBe(rules);
    await fireEvent.click(await find("claims-differ-choice"));
    const differing = all("claim");
    expect(differing).toHaveLength(2);
    expect(differing[0]!.textContent).toContain("Supported by rules");
    expect(differing[0]!.textContent).toContain("Stale by model");
    await fireEvent.click(await find("claims-all"));
    expect(all("claim").at(-1)!.textContent).toContain("the quote is not in the cited text");
    expect(all("fact-by-model").length).toBeGreaterThan(0);
    await fireEvent.click(await find("judgement-delete"));
    await waitFor(() => expect(all("claim-by-model")).toHaveLength(0));
  });
});
