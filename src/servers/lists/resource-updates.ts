import { setTimeout as delay } from "node:timers/promises";
import {
  type Client,
  type McpSubscription,
  ProtocolError,
  SUBSCRIPTION_ID_META_KEY,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { messageOf } from "../../contract/errors.ts";
import type { ResourceUpdate } from "../../contract/offer.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import { isRecord, mapTexts } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** Which resources a connection is asked to tell about. */
export interface ResourceFollowing {
  /** Resolves once the server tells of changes; an error says why it will not. Rejects when the connection fails. */
  follow(uri: string): Promise<Result<undefined, string>>;
  /** Never rejects. */
  leave(uri: string): Promise<void>;
  /** Resolves, with what it failed with, when the server no longer tells although it is connected. */
  readonly failed: Promise<unknown>;
}

export interface FollowingDeps {
  readonly onUpdate: (update: ResourceUpdate) => void;
  readonly redact: (text: string) => string;
  /** Aborted when the connection is no longer used for this. */
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const PAUSE_MS = 1000;
/** Changes of what is followed wait for each other. */
const CHANGES = "changes";

/** Only one at a time on one connection. */
export function followResources(client: Client, deps: FollowingDeps): ResourceFollowing {
  const { onUpdate, redact, signal } = deps;
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    if (!signal.aborted) onUpdate(mapTexts(withoutSubscription(params), redact));
  });
  return client.getProtocolEra() === "modern"
    ? new ModernFollowing(client, deps)
    : legacyFollowing(client, deps);
}

/** Before 2026-07-28 each resource is asked for by itself. */
function legacyFollowing(client: Client, { signal, redact }: FollowingDeps): ResourceFollowing {
  const serial = createSerial();
  const followed = new Set<string>();
  const send = (method: "resources/subscribe" | "resources/unsubscribe", uri: string) =>
    serial(uri, () =>
      client.request({ method, params: { uri } }, anyResult, { signal, timeout: TIMEOUT_MS }),
    );
  return {
    failed: streamGivenUp(client, signal),
    async follow(uri) {
      try {
        await send("resources/subscribe", uri);
        followed.add(uri);
        return ok(undefined);
      } catch (error) {
        return refusedOr(error, redact);
      }
    },
    async leave(uri) {
      if (followed.delete(uri)) await send("resources/unsubscribe", uri).catch(() => {});
    },
  };
}

/** How the SDK says that it opens the stream for notifications no more, over which changes are told. */
const GIVEN_UP = "Maximum reconnection attempts";

function streamGivenUp(client: Client, signal: AbortSignal): Promise<Error> {
  const forget = () => {
    client.onerror = () => {};
  };
  return new Promise((resolve) => {
    client.onerror = (error) => {
      if (error.message.startsWith(GIVEN_UP)) resolve(error);
    };
    signal.addEventListener("abort", forget, { once: true });
  });
}

/** Since 2026-07-28 one stream tells about all of them; another set of them needs another stream. */
class ModernFollowing implements ResourceFollowing {
  readonly failed: Promise<unknown>;
  readonly #client: Client;
  readonly #deps: FollowingDeps;
  readonly #serial = createSerial();
  readonly #wanted = new Set<string>();
  #fail: (error: unknown) => void = () => {};
  #stream: McpSubscription | undefined;
  /** What the stream was opened for. */
  #asked: ReadonlySet<string> = new Set();

  constructor(client: Client, deps: FollowingDeps) {
    this.#client = client;
    this.#deps = deps;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  /** Those that are asked for together share one new stream. */
  follow(uri: string): Promise<Result<undefined, string>> {
    this.#wanted.add(uri);
    return this.#serial(CHANGES, async () => {
      try {
        if (!this.#asked.has(uri)) await this.#listen();
        if (this.#stream?.honoredFilter.resourceSubscriptions?.includes(uri)) return ok(undefined);
        this.#wanted.delete(uri);
        return err("the server does not tell about it");
      } catch (error) {
        this.#wanted.delete(uri);
        return refusedOr(error, this.#deps.redact);
      }
    });
  }

  leave(uri: string): Promise<void> {
    this.#wanted.delete(uri);
    return this.#serial(CHANGES, async () => {
      if ([...this.#asked].every((asked) => this.#wanted.has(asked))) return;
      await this.#listen().catch(this.#fail);
    });
  }

  /** The stream before ends once the new one tells, so that nothing is missed. */
  async #listen(): Promise<void> {
    const { signal } = this.#deps;
    const before = this.#stream;
    const asked = new Set(this.#wanted);
    const filter = { resourceSubscriptions: [...asked] };
    this.#stream =
      asked.size === 0 ? undefined : await this.#client.listen(filter, { signal, timeout: TIMEOUT_MS });
    this.#asked = asked;
    if (this.#stream) void this.#listenAgain(this.#stream);
    await before?.close();
  }

  async #listenAgain(ended: McpSubscription): Promise<void> {
    const { signal, onUpdate } = this.#deps;
    await ended.closed;
    if (this.#stream !== ended) return;
    await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    try {
      await this.#serial(CHANGES, async () => {
        if (this.#stream === ended) await this.#listen();
      });
      // What changed while nobody listened was told to nobody.
      for (const uri of this.#wanted) onUpdate({ uri });
    } catch (error) {
      this.#fail(error);
    }
  }
}

/** The server said no; whatever else went wrong is about the connection. */
function refusedOr(error: unknown, redact: (text: string) => string): Result<undefined, string> {
  if (error instanceof ProtocolError) return err(redact(`the server refused: ${messageOf(error)}`));
  throw error;
}

/** Which of our streams it came over is nobody else's business. */
function withoutSubscription(params: ResourceUpdate): ResourceUpdate {
  if (!isRecord(params._meta)) return params;
  const { [SUBSCRIPTION_ID_META_KEY]: _, ...rest } = params._meta;
  const { _meta, ...update } = params;
  return (Object.keys(rest).length === 0 ? update : { ...update, _meta: rest }) as ResourceUpdate;
}

const anyResult = z.looseObject({});
