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

/** Follows single resources over one connection. */
export interface ResourceFollower {
  /** Resolves once the server reports changes; the error says why it will not. Rejects if the connection fails. */
  follow(uri: string): Promise<Result<undefined, string>>;
  /** Never rejects. */
  unfollow(uri: string): Promise<void>;
  /** Resolves with the cause if the server stops reporting although it is still connected. */
  readonly failure: Promise<unknown>;
}

export interface FollowerDeps {
  readonly onUpdate: (update: ResourceUpdate) => void;
  readonly redact: (text: string) => string;
  /** Aborted when the connection is no longer used for this. */
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const PAUSE_MS = 1000;
/** Serialises changes of what is followed. */
const CHANGES = "changes";

/** Supports one follower per connection. */
export function followResources(client: Client, deps: FollowerDeps): ResourceFollower {
  const { onUpdate, redact, signal } = deps;
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    if (!signal.aborted) onUpdate(mapTexts(dropSubscriptionId(params), redact));
  });
  return client.getProtocolEra() === "modern"
    ? new ModernFollower(client, deps)
    : createLegacyFollower(client, deps);
}

/** Before 2026-07-28 each resource has its own subscription. */
function createLegacyFollower(client: Client, { signal, redact }: FollowerDeps): ResourceFollower {
  const serial = createSerial();
  const followed = new Set<string>();
  const send = (method: "resources/subscribe" | "resources/unsubscribe", uri: string) =>
    serial(uri, () =>
      client.request({ method, params: { uri } }, anyResult, { signal, timeout: TIMEOUT_MS }),
    );
  return {
    failure: waitForStreamLoss(client, signal),
    async follow(uri) {
      try {
        await send("resources/subscribe", uri);
        followed.add(uri);
        return ok(undefined);
      } catch (error) {
        return toRefusal(error, redact);
      }
    },
    async unfollow(uri) {
      if (followed.delete(uri)) await send("resources/unsubscribe", uri).catch(() => {});
    },
  };
}

/** The start of the SDK's message that it no longer reopens the notification stream, which carries the changes. */
const RECONNECTING_GIVEN_UP = "Maximum reconnection attempts";

function waitForStreamLoss(client: Client, signal: AbortSignal): Promise<Error> {
  const forget = () => {
    client.onerror = () => {};
  };
  return new Promise((resolve) => {
    client.onerror = (error) => {
      if (error.message.startsWith(RECONNECTING_GIVEN_UP)) resolve(error);
    };
    signal.addEventListener("abort", forget, { once: true });
  });
}

/** Since 2026-07-28 one stream reports on all resources; a different set needs a new stream. */
class ModernFollower implements ResourceFollower {
  readonly failure: Promise<unknown>;
  readonly #client: Client;
  readonly #deps: FollowerDeps;
  readonly #serial = createSerial();
  readonly #wanted = new Set<string>();
  #fail: (error: unknown) => void = () => {};
  #stream: McpSubscription | undefined;
  /** The resources that the stream was opened for. */
  #subscribed: ReadonlySet<string> = new Set();

  constructor(client: Client, deps: FollowerDeps) {
    this.#client = client;
    this.#deps = deps;
    this.failure = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  /** Resources requested at the same time share one new stream. */
  follow(uri: string): Promise<Result<undefined, string>> {
    this.#wanted.add(uri);
    return this.#serial(CHANGES, async () => {
      try {
        if (!this.#subscribed.has(uri)) await this.#listen();
        if (this.#stream?.honoredFilter.resourceSubscriptions?.includes(uri)) return ok(undefined);
        this.#wanted.delete(uri);
        return err("the server does not report its changes");
      } catch (error) {
        this.#wanted.delete(uri);
        return toRefusal(error, this.#deps.redact);
      }
    });
  }

  unfollow(uri: string): Promise<void> {
    this.#wanted.delete(uri);
    return this.#serial(CHANGES, async () => {
      if ([...this.#subscribed].every((followed) => this.#wanted.has(followed))) return;
      await this.#listen().catch(this.#fail);
    });
  }

  /** Closes the previous stream only after the new one is open, so that no change is missed. */
  async #listen(): Promise<void> {
    const { signal } = this.#deps;
    const previous = this.#stream;
    const uris = new Set(this.#wanted);
    const filter = { resourceSubscriptions: [...uris] };
    this.#stream =
      uris.size === 0 ? undefined : await this.#client.listen(filter, { signal, timeout: TIMEOUT_MS });
    this.#subscribed = uris;
    if (this.#stream) void this.#listenAgain(this.#stream);
    await previous?.close();
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
      // Changes made while no stream was open were reported to nobody.
      for (const uri of this.#wanted) onUpdate({ uri });
    } catch (error) {
      this.#fail(error);
    }
  }
}

/** Returns the server's refusal; throws anything else, because it concerns the connection. */
function toRefusal(error: unknown, redact: (text: string) => string): Result<undefined, string> {
  if (error instanceof ProtocolError) return err(redact(`the server refused: ${messageOf(error)}`));
  throw error;
}

/** Drops the id of our own stream, which means nothing to callers. */
function dropSubscriptionId(params: ResourceUpdate): ResourceUpdate {
  if (!isRecord(params._meta)) return params;
  const { [SUBSCRIPTION_ID_META_KEY]: _, ...rest } = params._meta;
  const { _meta, ...update } = params;
  return (Object.keys(rest).length === 0 ? update : { ...update, _meta: rest }) as ResourceUpdate;
}

const anyResult = z.looseObject({});
