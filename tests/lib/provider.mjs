// A provider of the OpenAI kind inside the test, which sees every request and decides the answer.

import { createServer } from "node:http";

/** A summary long enough to be one; `nth` tells answers apart. */
export const summary = (nth) =>
  [
    "## Goal",
    "Keep the ledger right.",
    "",
    "## Progress",
    `- The balance is computed again, as asked in request ${nth}.`,
    "- src/ledger.ts was read and changed.",
    "",
    "## Next steps",
    "- Run the tests again.",
  ].join("\n");

/**
 * Starts it. `answer(request)` gets `{ nth, body, size }`, the size in characters of all messages,
 * and gives a text, or `{ status, error }`, or a promise of one: what never settles is a request that
 * stays on its way. `delay` is how long each answer takes in milliseconds.
 */
export async function provider(answer = ({ nth }) => summary(nth), delay = 0) {
  const requests = [];
  let answered = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const body = text === "" ? {} : JSON.parse(text);
      const size = JSON.stringify(body.messages ?? []).length;
      const seen = { nth: requests.length + 1, body, size };
      requests.push(seen);
      setTimeout(async () => reply(response, seen, await answer(seen)), delay);
    });
  });
  function reply(response, { body }, answer) {
    if (response.destroyed) return;
    if (typeof answer !== "string") {
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: answer.error }));
      return;
    }
    answered += 1;
    const usage = {
      prompt_tokens: 900,
      completion_tokens: 60,
      total_tokens: 960,
    };
    const choice = (more) => ({
      id: "c",
      object: "chat.completion",
      model: body.model,
      ...more,
    });
    if (!body.stream) {
      const message = { role: "assistant", content: answer };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          choice({
            choices: [{ index: 0, message, finish_reason: "stop" }],
            usage,
          }),
        ),
      );
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
    send(
      choice({
        choices: [{ index: 0, delta: { role: "assistant", content: answer } }],
      }),
    );
    send(
      choice({
        choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
        usage,
      }),
    );
    response.end("data: [DONE]\n\n");
  }
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    answered: () => answered,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
