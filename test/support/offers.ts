import type {
  CompletionRequest,
  OfferAbilities,
  Offered,
  OfferKind,
  OfferOrigin,
  OfferSource,
  ResourceUpdate,
} from "../../src/contract/offer.ts";
import type { ToolStatus } from "../../src/contract/tool.ts";
import { ok, type Result } from "../../src/lib/result.ts";

export interface TestOrigin extends OfferOrigin {
  /** What was asked of it. */
  readonly asked: unknown[];
  readonly watchers: Map<string, (update: ResourceUpdate) => void>;
  state: ToolStatus;
}

const ALL: OfferAbilities = {
  resources: true,
  subscribe: true,
  prompts: true,
  completions: true,
  logging: true,
  tasks: false,
};

/** `resource file:///a`, `resource_template x:{y}`, `prompt review`. */
export function testOrigin(
  name: string,
  offers: readonly string[],
  abilities: Partial<OfferAbilities> = {},
): TestOrigin {
  const asked: unknown[] = [];
  const watchers = new Map<string, (update: ResourceUpdate) => void>();
  const answer = async (structured: Record<string, unknown>) =>
    ({ kind: "output", content: [], structured }) as const;
  return {
    asked,
    watchers,
    state: { kind: "active" },
    origin: `mcp:${name}`,
    name,
    untrusted: false,
    timeoutMs: 5_000,
    progressExtendsTimeout: false,
    abilities: { ...ALL, ...abilities },
    offers: offers.map((offer) => offered(name, offer)),
    pending: () => undefined,
    status() {
      return this.state;
    },
    readResource(uri) {
      asked.push(uri);
      return answer({ contents: [{ uri, text: `${name} has ${uri}` }] });
    },
    getPrompt(prompt, args) {
      asked.push([prompt, args]);
      return answer({ messages: [] });
    },
    complete(wanted: CompletionRequest) {
      asked.push(wanted);
      return answer({ completion: { values: [] } });
    },
    async watch(uri, onUpdate, signal): Promise<Result<undefined, string>> {
      watchers.set(uri, onUpdate);
      signal.addEventListener("abort", () => watchers.delete(uri));
      return ok(undefined);
    },
  };
}

function offered(server: string, offer: string): Offered {
  const [kind, key] = offer.split(" ") as [OfferKind, string];
  const name = kind === "prompt" ? `${server}_${key}` : key;
  const field = kind === "resource" ? "uri" : kind === "resource_template" ? "uriTemplate" : "name";
  return { kind, key, name, definition: { [field]: key, description: `${server}'s ${key}` } };
}

/** A source whose origins a test can replace. */
export class TestOffers implements OfferSource {
  #origins: readonly OfferOrigin[];
  readonly #listeners = new Set<() => void>();

  constructor(...origins: readonly OfferOrigin[]) {
    this.#origins = origins;
  }

  origins(): readonly OfferOrigin[] {
    return this.#origins;
  }

  replace(...origins: readonly OfferOrigin[]): void {
    this.#origins = origins;
    for (const listener of this.#listeners) listener();
  }

  onOffersChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
