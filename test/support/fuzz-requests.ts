/** Requests that nobody should send, made from a seed: the same seed gives the same requests. */
import { Dice } from "./dice.ts";
import { oauthRequest } from "./fuzz-oauth.ts";
import { thefts } from "./fuzz-thefts.ts";
import { METHODS, ODD_HEADERS, PATHS, RPC_METHODS, VERSIONS } from "./fuzz-words.ts";
import { bearer, LEGACY, type Message, modernHeaders, modernMessage, type Params } from "./mcp-post.ts";
import { nasty, spoil } from "./spoil.ts";

export interface FuzzRequest {
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** How it is sent: at once, in two parts with a pause, broken off in the middle, or with a length that lies. */
  readonly manner: "whole" | "slow" | "broken" | "lying";
  /** What the only right answers are, where that can be told. */
  readonly expected?: { readonly status: readonly number[]; readonly text?: RegExp };
}

/** What belongs to one agent. */
export interface Belongings {
  /** At `/mcp`, of 2025-11-25. */
  readonly session: string;
  /** What its streams have sent. */
  readonly eventIds: readonly string[];
  /** Of a question that waits in the session. */
  readonly questionId: string;
  /** The arguments and the state of a call that waits for its client. */
  readonly asked: Params;
  readonly state: string;
  readonly task: string;
}

/** What a request may be made of: the attacker's own, and what it got hold of from somebody else. */
export interface FuzzMaterial {
  /** Goes along wherever there is room for a text. */
  readonly mark: string;
  readonly token: string;
  readonly own: Belongings;
  readonly victim: Belongings;
  /** Where the victim's file lies. */
  readonly secretFile: string;
  readonly tools: readonly { readonly name: string; readonly parameters: readonly string[] }[];
  readonly uris: readonly string[];
  readonly prompts: readonly string[];
  /** Everything that wants an admin. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

export class Fuzz {
  readonly #dice: Dice;
  readonly #with: FuzzMaterial;
  readonly #thefts: readonly (() => FuzzRequest)[];

  constructor(seed: number, material: FuzzMaterial) {
    this.#dice = new Dice(seed);
    this.#with = material;
    this.#thefts = thefts(material, this.#dice);
  }

  next(): FuzzRequest {
    const make = this.#dice.weighted([
      [20, () => this.#junk()],
      [30, () => this.#modern()],
      [15, () => this.#legacy()],
      [8, () => this.#rpc()],
      [7, () => this.#request("oauth", oauthRequest(this.#with, this.#dice))],
      [20, () => this.#dice.one(this.#thefts)()],
    ]);
    return make();
  }

  /** Nothing fits anything. */
  #junk(): FuzzRequest {
    const dice = this.#dice;
    const method = dice.one(METHODS);
    const message = modernMessage(dice.one(RPC_METHODS), this.#params(), dice.below(5));
    for (let count = dice.below(3); count > 0; count--) spoil(message, dice);
    const headers: Record<string, string> = {
      ...this.#headers(),
      // With DELETE it would be the end of it, and what comes after would get no further.
      ...(dice.chance(0.5) && method !== "DELETE" && { "mcp-session-id": this.#with.own.session }),
      ...(dice.chance(0.5) && { "mcp-protocol-version": dice.one(VERSIONS) }),
      ...(dice.chance(0.4) && modernHeaders(message)),
    };
    for (let count = dice.below(3); count > 0; count--) {
      const [name, value] = dice.one(ODD_HEADERS);
      headers[name] = value;
    }
    return this.#request("junk", { method, path: dice.one(PATHS), headers, body: this.#bytes(message) });
  }

  /** Right in everything, or in everything but one or two things. */
  #modern(): FuzzRequest {
    const dice = this.#dice;
    const [method, params] = this.#call();
    const message = modernMessage(method, structuredClone(params), dice.below(5));
    const untouched = modernHeaders(message);
    for (let count = dice.below(3); count > 0; count--) spoil(message, dice);
    const headers = { ...this.#headers(), ...(dice.chance(0.85) ? modernHeaders(message) : untouched) };
    if (dice.chance(0.1)) Object.assign(headers, Object.fromEntries([dice.one(ODD_HEADERS)]));
    const path = dice.one(["/mcp", "/mcp", "/mcp/box", "/mcp/server/everything", "/mcp/server/jobs"]);
    return this.#request("modern", { method: "POST", path, headers, body: text(message) });
  }

  /** The same in a session. */
  #legacy(): FuzzRequest {
    const dice = this.#dice;
    const messages = Array.from({ length: dice.chance(0.15) ? dice.below(5) : 1 }, () => this.#inSession());
    for (let count = dice.below(3); count > 0 && messages[0]; count--) spoil(dice.one(messages), dice);
    const headers: Record<string, string> = { ...this.#headers(), "mcp-protocol-version": LEGACY };
    if (messages[0]?.method !== "initialize") headers["mcp-session-id"] = this.#with.own.session;
    if (dice.chance(0.1)) Object.assign(headers, Object.fromEntries([dice.one(ODD_HEADERS)]));
    const body = messages.length === 1 ? messages[0] : messages;
    if (dice.chance(0.9))
      return this.#request("legacy", { method: "POST", path: "/mcp", headers, body: text(body) });
    const lastEventId = dice.one(["0-0", "1-0", "99-99", "999999999-0", "x", "0-00000000000001"]);
    headers["last-event-id"] = lastEventId;
    return this.#request("legacy", { method: "GET", path: "/mcp", headers, body: undefined });
  }

  #rpc(): FuzzRequest {
    const dice = this.#dice;
    const message = () => {
      const { name, arguments: args } = this.#toolCall();
      const one: Params = {
        jsonrpc: "2.0",
        id: dice.below(9),
        method: "tools/call",
        params: { name, arguments: args },
      };
      if (dice.chance(0.1)) one.method = "tools/list";
      if (dice.chance(0.6)) spoil(one, dice);
      return one;
    };
    const size = dice.weighted([
      [7, 1],
      [2, dice.below(12)],
      [1, 101],
    ]);
    const body = size === 1 ? message() : Array.from({ length: size }, message);
    const headers = this.#headers();
    return this.#request("rpc", { method: "POST", path: "/rpc", headers, body: text(body) });
  }

  #request(kind: string, request: Omit<FuzzRequest, "kind" | "manner">): FuzzRequest {
    const manner = this.#dice.weighted<FuzzRequest["manner"]>([
      [17, "whole"],
      [1, "slow"],
      [1, "broken"],
      [1, "lying"],
    ]);
    return { kind, manner, ...request };
  }

  #headers(): Record<string, string> {
    const { token } = this.#with;
    return bearer(
      this.#dice.weighted([
        [30, token],
        [1, "tk_sk_wrong"],
        [1, token.slice(0, -1)],
        [1, ""],
      ]),
    );
  }

  /** A method with parameters that fit it. */
  #call(): [method: string, params: Params] {
    const dice = this.#dice;
    const { own, uris, prompts } = this.#with;
    return dice.weighted<[string, Params]>([
      [10, ["tools/call", this.#toolCall()]],
      [
        2,
        [
          "tools/call",
          { name: "mcp_curious_ask", arguments: { kind: dice.one(["elicitation", "sampling"]), about: "x" } },
        ],
      ],
      [2, ["tools/call", { name: "mcp_jobs_slow", arguments: {} }]],
      [
        2,
        [
          "tools/call",
          {
            name: "mcp_curious_ask",
            arguments: own.asked,
            requestState: own.state,
            inputResponses: { elicitation_1: { action: "accept", content: {} } },
          },
        ],
      ],
      [1, ["tools/list", { cursor: "x" }]],
      [3, ["resources/read", { uri: dice.one(uris) }]],
      [1, ["resources/list", {}]],
      [1, ["resources/templates/list", {}]],
      [1, ["prompts/list", {}]],
      [3, ["prompts/get", { name: dice.one(prompts), arguments: { city: "x", department: "y" } }]],
      [
        2,
        [
          "completion/complete",
          {
            ref: { type: "ref/prompt", name: dice.one(prompts) },
            argument: { name: "department", value: "E" },
          },
        ],
      ],
      [1, ["server/discover", {}]],
      [
        1,
        [
          "subscriptions/listen",
          { notifications: { toolsListChanged: true, resourceSubscriptions: [dice.one(uris)] } },
        ],
      ],
      [
        2,
        [
          dice.one(["tasks/get", "tasks/update", "tasks/cancel"]),
          { taskId: own.task, inputResponses: { who: {} } },
        ],
      ],
    ]);
  }

  #inSession(): Message {
    const dice = this.#dice;
    const [method, params] = dice.weighted<[string, Params]>([
      [10, this.#call()],
      [
        1,
        [
          "initialize",
          {
            protocolVersion: dice.one(VERSIONS),
            capabilities: { elicitation: {}, roots: {} },
            clientInfo: { name: "f", version: "1" },
          },
        ],
      ],
      [1, ["ping", {}]],
      [1, ["logging/setLevel", { level: "debug" }]],
      [2, [dice.one(["resources/subscribe", "resources/unsubscribe"]), { uri: dice.one(this.#with.uris) }]],
    ]);
    const message: Message & { id?: unknown } = {
      jsonrpc: "2.0",
      id: `f${dice.below(1e9)}`,
      method,
      params: structuredClone(params),
    };
    if (!dice.chance(0.1)) return message;
    const notified = dice.one([
      "notifications/cancelled",
      "notifications/initialized",
      "notifications/roots/list_changed",
    ]);
    return { jsonrpc: "2.0", method: notified, params: { requestId: "f1" } } as unknown as Message;
  }

  /** A tool with arguments that it has, mostly. */
  #toolCall(): Params {
    const dice = this.#dice;
    const { name, parameters } = dice.one(this.#with.tools);
    const args: Params = {};
    for (const parameter of parameters) if (dice.chance(0.8)) args[parameter] = this.#value();
    return { name, arguments: args };
  }

  #value(): unknown {
    const { mark, secretFile } = this.#with;
    const texts = [
      mark,
      "secret.txt",
      secretFile,
      "../victim/secret.txt",
      `file://${secretFile}`,
      "**/*",
      ".",
      "/",
    ];
    return this.#dice.chance(0.75) ? this.#dice.one<unknown>([...texts, 1, true]) : nasty(this.#dice);
  }

  #params(): Params {
    return {
      ...this.#toolCall(),
      uri: this.#dice.one(this.#with.uris),
      protocolVersion: LEGACY,
      capabilities: {},
    };
  }

  /** A message, or what is left of it. */
  #bytes(message: Params): Buffer {
    const dice = this.#dice;
    const bytes = text(message);
    switch (dice.below(8)) {
      case 0:
        return bytes.subarray(0, dice.below(bytes.length));
      case 1:
        return Buffer.from(`${dice.one(["[", '{"a":'])}`.repeat(dice.below(5_000)));
      case 2:
        for (let count = 0; count < 5; count++) bytes[dice.below(bytes.length)] = dice.below(256);
        return bytes;
      case 3:
        return text({ ...message, padding: "x".repeat(dice.below(300_000)) });
      case 4:
        return text(Array.from({ length: dice.below(300) }, () => message));
      default:
        return bytes;
    }
  }
}

function text(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? "");
}
