import type { Belongings } from "./fuzz-requests.ts";
import { bearer, LEGACY, modernHeaders, modernMessage, type Params } from "./mcp-post.ts";
import { waitUntil } from "./wait-until.ts";

/** Under way for a person, nothing is answered later than this. */
const ANSWER_MS = 30_000;

export interface Owner {
  /** Of the daemon. */
  readonly url: string;
  readonly token: string;
  /** A server like `servers/asking.mjs`, by its name. */
  readonly server: string;
  /** Is in everything that it has. */
  readonly secret: string;
}

/** What an agent has under way: a session with a stream, a question in it, a call that waits, a task. */
export class Held implements Belongings {
  readonly session: string;
  readonly asked: Params;
  readonly #owner: Owner;
  readonly #ended = new AbortController();
  #own = "";
  #call = "";
  #state = "";
  #task = "";

  static async open(owner: Owner): Promise<Held> {
    const held = new Held(owner, await begin(owner));
    await held.#listen();
    await held.#askInSession();
    await held.#askAlone();
    const name = "mcp_jobs_slow";
    const { result } = await held.#modern("tools/call", { name, arguments: { n: owner.secret } });
    held.#task = String(result?.taskId);
    return held;
  }

  constructor(owner: Owner, session: string) {
    this.#owner = owner;
    this.session = session;
    this.asked = { kind: "elicitation", about: owner.secret };
  }

  get eventIds(): readonly string[] {
    return [...`${this.#own}${this.#call}`.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id!);
  }

  get questionId(): string {
    return /"id":"([^"]+)","method":"elicitation\/create"/.exec(this.#call)?.[1] ?? "";
  }

  get state(): string {
    return this.#state;
  }

  get task(): string {
    return this.#task;
  }

  /** Ends all of it as its owner would. What did not go as it should. */
  async finish(foreign: string): Promise<readonly string[]> {
    const { secret, server } = this.#owner;
    const accepted = { action: "accept", content: { answer: secret } };
    const inSession = this.#inSession({ jsonrpc: "2.0", id: this.questionId, result: accepted });
    const called = (await inSession).ok && (await soon(() => this.#call.includes('"result"')));
    const alone = await this.#modern("tools/call", {
      name: `mcp_${server}_ask`,
      arguments: this.asked,
      requestState: this.#state,
      inputResponses: { elicitation_1: accepted },
    });
    const followed = async () =>
      (await this.#modern("tasks/get", { taskId: this.#task })).text.includes(`slow ${secret}`);
    const checks: readonly (readonly [string, boolean])[] = [
      [
        "the question in the session was not answered by its owner",
        called && this.#call.split(secret).length > 2,
      ],
      ["the call that waited did not go on", alone.text.includes(`\\"answer\\":\\"${secret}`)],
      ["the task was not completed", (await followed()) || (await followed())],
      ["something of somebody else came", !`${this.#own}${this.#call}${alone.text}`.includes(foreign)],
    ];
    const problems = checks.filter(([, isRight]) => !isRight).map(([problem]) => problem);
    if (problems.length > 0) problems.push(`[${this.#call.slice(-300)}] [${alone.text.slice(-300)}]`);
    this.#ended.abort();
    await fetch(`${this.#owner.url}/mcp`, { method: "DELETE", headers: this.#headers });
    return problems;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#ended;
    const response = await fetch(`${this.#owner.url}/mcp`, { headers: this.#headers, signal });
    void collect(response, (part) => {
      this.#own += part;
    });
  }

  /** A server that never asked before may be refused the first time: whom it asks was not certain. */
  async #askInSession(): Promise<void> {
    for (let attempt = 0; attempt < 5 && this.questionId === ""; attempt++) {
      this.#call = "";
      const params = { name: `mcp_${this.#owner.server}_ask`, arguments: this.asked };
      const response = await this.#inSession({
        jsonrpc: "2.0",
        id: `ask${attempt}`,
        method: "tools/call",
        params,
      });
      void collect(response, (part) => {
        this.#call += part;
      });
      await waitUntil("the call says something", () => /"method"|"result"|"error"/.test(this.#call));
    }
    if (this.questionId === "") throw new Error(`nobody was asked in the session: ${this.#call}`);
  }

  async #askAlone(): Promise<void> {
    const name = `mcp_${this.#owner.server}_ask`;
    for (let attempt = 0; attempt < 5 && this.#state === ""; attempt++) {
      const { result, text } = await this.#modern("tools/call", { name, arguments: this.asked });
      this.#state = String(result?.requestState ?? "");
      if (this.#state === "" && attempt === 4) throw new Error(`nobody was asked: ${text}`);
    }
  }

  #inSession(message: Params): Promise<Response> {
    const { signal } = this.#ended;
    const body = JSON.stringify(message);
    return fetch(`${this.#owner.url}/mcp`, { method: "POST", headers: this.#headers, body, signal });
  }

  get #headers(): Record<string, string> {
    return { ...bearer(this.#owner.token), "mcp-session-id": this.session, "mcp-protocol-version": LEGACY };
  }

  async #modern(method: string, params: Params): Promise<{ text: string; result?: Params }> {
    const message = modernMessage(method, params);
    const headers = { ...bearer(this.#owner.token), accept: "application/json", ...modernHeaders(message) };
    const body = JSON.stringify(message);
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      const response = await fetch(`${this.#owner.url}/mcp`, { method: "POST", headers, body, signal });
      const text = await response.text();
      return { text, ...(text.startsWith("{") && JSON.parse(text)) };
    } catch (error) {
      return { text: `${method} was not answered: ${error}` };
    }
  }
}

async function begin({ url, token }: Owner): Promise<string> {
  const params = {
    protocolVersion: LEGACY,
    capabilities: { elicitation: {} },
    clientInfo: { name: "owner", version: "1" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await fetch(`${url}/mcp`, { method: "POST", headers: bearer(token), body });
  await response.text();
  const session = response.headers.get("mcp-session-id");
  if (!session) throw new Error(`no session began: ${response.status}`);
  return session;
}

async function collect({ body }: Response, take: (part: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const part of body ?? []) take(decoder.decode(part, { stream: true }));
  } catch {
    // Its owner has finished.
  }
}

async function soon(isSo: () => boolean): Promise<boolean> {
  try {
    await waitUntil("it is so", isSo, 10_000);
    return true;
  } catch {
    return false;
  }
}
