// A server of the 2026-07-28 era over stdio that asks back by its answer: node asking-modern.mjs
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const META = { "io.modelcontextprotocol/serverInfo": { name: "asking-modern", version: "1.0.0" } };
const lists = { ttlMs: 0, cacheScope: "private" };
const METHODS = {
  elicitation: "elicitation/create",
  sampling: "sampling/createMessage",
  roots: "roots/list",
};
const PARAMS = {
  elicitation: (message) => ({
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { answer: { type: "string" } } },
  }),
  sampling: (text) => ({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 10 }),
  roots: () => ({}),
};

const handlers = {
  "server/discover": () => ({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ...lists,
  }),
  "tools/list": () => ({ tools: [{ name: "ask", inputSchema: { type: "object" } }], ...lists }),
  /** Asks `rounds` times, with a state that must come back as it was; noted in the file `receipts`. */
  "tools/call": ({ arguments: args = {}, inputResponses, requestState }) => {
    const { kind = "elicitation", about = "", rounds = 1, receipts } = args;
    const answered = requestState === undefined ? 0 : Number(requestState.replace("round ", ""));
    const answer = inputResponses?.question;
    if (answer !== undefined && answered === rounds) {
      if (receipts) appendFileSync(receipts, "answered\n");
      return { content: [{ type: "text", text: JSON.stringify({ result: answer }) }] };
    }
    if (receipts) appendFileSync(receipts, "asked\n");
    return {
      resultType: "input_required",
      inputRequests: { question: { method: METHODS[kind], params: PARAMS[kind](about) } },
      requestState: `round ${answered + 1}`,
    };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const handler = handlers[method];
  const answer = handler
    ? { result: { resultType: "complete", _meta: META, ...handler(params ?? {}) } }
    : { error: { code: -32601, message: `Method not found: ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
