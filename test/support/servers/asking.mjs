// A legacy server that asks back: node asking.mjs
import { appendFileSync } from "node:fs";
import { send, serve, text, tool } from "./rpc.mjs";

const waiting = new Map();
const late = [];
let asked = 0;

const questions = {
  elicitation: (about) => ({
    method: "elicitation/create",
    params: {
      message: about,
      requestedSchema: { type: "object", properties: { answer: { type: "string" } } },
    },
  }),
  sampling: (about) => ({
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: about } }], maxTokens: 10 },
  }),
};

function ask(kind, about) {
  const id = `question-${++asked}`;
  send({ id, ...questions[kind](about) });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const tools = {
  /** Asks during the call, after `ms`; what came back is its answer. How far it comes is noted in the file `receipts`. */
  async ask({ kind, about, ms = 0, receipts }) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (receipts) appendFileSync(receipts, "asked\n");
    const answer = await ask(kind, about);
    if (receipts && answer.result) appendFileSync(receipts, "answered\n");
    return text(JSON.stringify(answer));
  },
  /** Asks once the call is over; `replies` tells what came back. */
  later({ kind, about }) {
    setTimeout(async () => late.push(await ask(kind, about)), 50);
    return text("later");
  },
  replies: () => text(JSON.stringify(late)),
  echo: (args) => text(JSON.stringify(args)),
};

serve(
  Object.keys(tools).map((name) => tool(name)),
  {
    "tools/call": ({ params }) => tools[params.name](params.arguments),
    response: ({ id, result, error }) => waiting.get(id)?.({ result, error: error?.message }),
  },
);
