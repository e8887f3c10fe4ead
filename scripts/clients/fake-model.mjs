// A model on loopback that does one thing: it asks for tools, and looks at what the client says they answered.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { shapeOf } from "./model-shapes.mjs";

/** What the model says last when every answer was the expected one; a client that ran to its end prints it. */
export const GOODBYE = "the-tool-answered-as-expected";

/**
 * Starts the model. `converse({ calls, meanwhile })` opens a conversation with an address of its own: give `base` to a
 * client as the address of its model. For each of `calls`, one after another, the model asks for the offered tool whose
 * name ends in `tool` (or else whose description names it) and then waits for a result that has `expected` in it;
 * `problem()` says what of that did not happen. A call's `before` runs once before it is asked for, `meanwhile` once between
 * the last result and the model's last word: the client is connected and busy then.
 */
export async function startFakeModel() {
  const conversations = new Map();
  const server = createServer((request, response) => {
    answer(request, response, conversations).catch((error) => response.destroy(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    converse(wanted) {
      const id = randomBytes(6).toString("hex");
      const conversation = new Conversation(wanted);
      conversations.set(id, conversation);
      return Object.assign(conversation, { base: `http://127.0.0.1:${server.address().port}/${id}` });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

class Conversation {
  /** Names of all tools that the client ever offered. */
  offered = new Set();
  /** The names under which the model asked for the tools, in the order of the calls. */
  asked = [];
  /** What the client said the tools answered, in the order of the calls. */
  results = [];
  #unknown = new Set();
  #calls;
  #meanwhile;

  constructor({ calls, meanwhile }) {
    this.#calls = calls;
    this.#meanwhile = meanwhile;
  }

  /** What the model says next: the results so far tell how far the conversation is. */
  async turn({ offered, results }) {
    for (const { name } of offered) this.offered.add(name);
    if (results.length > this.results.length) this.results = results;
    const next = this.#calls[results.length];
    if (!next) return { text: await this.#lastWord() };
    const wanted = toolFor(next.tool, offered);
    // A client also asks for a title of the conversation, or begins before its servers are there.
    if (!wanted) return { text: "nothing to do" };
    if (!this.asked[results.length]) await next.before?.();
    this.asked[results.length] = wanted.name;
    return { call: { name: wanted.name, namespace: wanted.namespace, args: next.args } };
  }

  /** A request that nothing here knows, such as a probe for another interface. */
  notUnderstood(request) {
    this.#unknown.add(request);
  }

  problem() {
    for (const [index, { tool, expected }] of this.#calls.entries()) {
      if (!this.asked[index])
        return `the client offered no ${tool}, but: ${[...this.offered].join(", ") || "none"}${this.#strayed()}`;
      const result = this.results[index];
      if (result === undefined) return `the client sent no result of ${this.asked[index]} back`;
      if (!result.includes(expected))
        return `the result of ${tool} should hold ${JSON.stringify(expected)}; came: ${result.slice(0, 600)}`;
    }
    return undefined;
  }

  async #lastWord() {
    const meanwhile = this.#meanwhile;
    this.#meanwhile = undefined;
    await meanwhile?.();
    return this.problem() === undefined ? GOODBYE : "that was not expected";
  }

  #strayed() {
    return this.#unknown.size === 0 ? "" : `; it also asked the model for ${[...this.#unknown].join(", ")}`;
  }
}

function toolFor(tool, offered) {
  return (
    offered.find(({ name }) => name.endsWith(tool)) ??
    offered.find(({ description }) => description?.includes(tool))
  );
}

async function answer(request, response, conversations) {
  const [, id = "", ...rest] = new URL(request.url, "http://model").pathname.split("/");
  const conversation = conversations.get(id);
  const path = `/${rest.join("/")}`;
  const body = await json(request);
  const shape = shapeOf(path);
  if (!conversation || !shape || request.method !== "POST") {
    conversation?.notUnderstood(`${request.method} ${path}`);
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { type: "not_found_error", message: `no ${path} here` } }));
    return;
  }
  const said = shape.say(await conversation.turn(shape.read(body)), { path, body });
  response.writeHead(200, { "content-type": said.type });
  response.end(said.text);
}

async function json(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return {};
  }
}
