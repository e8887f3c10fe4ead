import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Capability } from "../../contract/tool.ts";
import { createPace } from "../../lib/flow/pace.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { PinRecord } from "../../machine/db/tables/sources/pin-record.ts";
import type { Server } from "../lifecycle/server.ts";
import type { ServerSet } from "../lifecycle/server-set.ts";
import { getOfferKey } from "../lists/offer-key.ts";
import type { ServerLists } from "../lists/server-lists.ts";
import { changesOf, type ServerChanges, versionOf } from "./change-view.ts";
import { isWaiting } from "./compare-pins.ts";
import { definitionDiff, isCut } from "./definition-diff.ts";
import { revealed } from "./definitions/clean-text.ts";
import { type Finding, scanDefinition, type ToolFindings } from "./definitions/scan-text.ts";
import { type Decision, heldOf } from "./pins.ts";

/** What a person decides about. */
export interface Deciding {
  /** Names, as the server or as agents have them; absent: everything that waits. */
  readonly names?: readonly string[];
  /** `ServerChanges.version` that the person looked at. */
  readonly seen?: string;
}

interface OwnTool {
  readonly origin: string;
  readonly ownName: string;
}

export interface ServerTrustDeps {
  readonly set: ServerSet;
  readonly lists: ServerLists;
  readonly settings: () => Settings;
  readonly events: Events;
}

/** What people see and decide of what servers publish. Everything that takes a server's name throws NOT_FOUND. */
export class ServerTrust {
  readonly #deps: ServerTrustDeps;

  constructor(deps: ServerTrustDeps) {
    this.#deps = deps;
  }

  /** What the server publishes that nobody has accepted. */
  async changes(name: string): Promise<ServerChanges> {
    const server = this.#deps.set.getByName(name);
    const { id } = server.definition.record;
    const nameOf = (own: string) => this.#deps.lists.tools.getName(id, own);
    return changesOf(this.#held(server), nameOf, this.#others(server));
  }

  /** Throws CHANGED where it is no longer what the person saw, NOT_FOUND for a name that nothing waits under. */
  async decide(name: string, decision: Decision, { names, seen }: Deciding = {}): Promise<ServerChanges> {
    const { set, lists } = this.#deps;
    const server = set.getByName(name);
    const { record } = server.definition;
    const held = this.#held(server);
    if (seen !== undefined && seen !== versionOf(held)) throw changedMeanwhile(name);
    const due = names ? this.#named(server, held, names) : held.filter(isWaiting);
    if (decision === "accept" && !names) await refuseCut(name, due);
    const decided = await lists.pins.decide(record.id, due, decision);
    if (decision === "accept") await lists.recheck(server, decided);
    if (decided.length < due.length) throw changedMeanwhile(name);
    await lists.notices.ask(record, lists.pins.heldOf(record.id));
    this.#changed(server);
    return this.changes(name);
  }

  /** What to look at in what the server says; of what is kept back, `changes` has it. */
  async findings(name: string): Promise<readonly ToolFindings[]> {
    const server = this.#deps.set.getByName(name);
    const { id, instructions } = server.definition.record;
    const { lists } = this.#deps;
    const { tools } = lists;
    const others = this.#others(server);
    const found: ToolFindings[] = [];
    const pace = createPace();
    const about = scanDefinition({ instructions }, others);
    if (about.length > 0) found.push({ tool: "instructions", findings: about });
    for (const { originalName, definition } of tools.getList(id)) {
      if (lists.pins.isToolHeld(id, originalName)) continue;
      const findings = scanDefinition(definition, others);
      if (findings.length > 0)
        found.push({ tool: tools.getName(id, originalName) ?? originalName, findings });
      await pace();
    }
    for (const offer of lists.listVisibleOffers(id)) {
      const findings = scanDefinition(offer.definition, others);
      if (findings.length > 0) found.push({ tool: `${offer.kind} ${getOfferKey(offer)}`, findings });
      await pace();
    }
    return found;
  }

  /** The same of one tool; of what is no server's tool there is none. */
  findingsOf({ origin, ownName }: OwnTool): readonly Finding[] {
    const server = this.#of(origin);
    if (!server) return [];
    const { id } = server.definition.record;
    const tool = this.#deps.lists.tools.getList(id).find(({ originalName }) => originalName === ownName);
    const isShown = tool && !this.#deps.lists.pins.isToolHeld(id, ownName);
    return isShown ? scanDefinition(tool.definition, this.#others(server)) : [];
  }

  /** What a tool can do, whatever its definition says; null: what it says. Throws BAD_REQUEST for what is no server's tool. */
  async setCapabilities(
    { origin, ownName }: OwnTool,
    capabilities: readonly Capability[] | null,
  ): Promise<void> {
    const server = this.#of(origin);
    if (!server)
      throw new ToolkeepError(
        "BAD_REQUEST",
        `${ownName} is no tool of an MCP server: what it can do is known`,
      );
    await this.#deps.lists.capabilities.set(server.definition.record.id, ownName, capabilities);
    this.#changed(server);
  }

  /** Whether a person said what a tool can do. */
  isCorrected({ origin, ownName }: OwnTool): boolean {
    const server = this.#of(origin);
    return server ? this.#deps.lists.capabilities.get(server.definition.record.id).has(ownName) : false;
  }

  #of(origin: string): Server | undefined {
    return this.#deps.set.listSorted().find((server) => `mcp:${server.definition.record.name}` === origin);
  }

  #changed(server: Server): void {
    server.rebuildTools();
    this.#deps.events.emit("server.changed", { server: server.definition.record.name, change: "changed" });
  }

  #held(server: Server): readonly PinRecord[] {
    return [...heldOf(server, this.#deps.settings(), this.#deps.lists.pins).values()];
  }

  #others(server: Server) {
    return this.#deps.lists.getForeignNames(server.definition.record, (name) => this.#deps.set.has(name));
  }

  #named(server: Server, held: readonly PinRecord[], names: readonly string[]): readonly PinRecord[] {
    const { id, name } = server.definition.record;
    const named = names.flatMap((wanted) => {
      // A prompt may have the name of a tool: both are meant.
      const found = held.filter(
        ({ kind, key }) =>
          key === wanted || (kind === "tool" && this.#deps.lists.tools.getName(id, key) === wanted),
      );
      if (found.length > 0) return found;
      throw new ToolkeepError(
        "NOT_FOUND",
        `nothing of ${name} waits under the name ${JSON.stringify(wanted)}`,
        {
          remedy: `toolkeep server changes ${name} shows what does.`,
        },
      );
    });
    return [...new Set(named)];
  }
}

/** Where more differs than is shown, a person has to mean it. */
async function refuseCut(name: string, due: readonly PinRecord[]): Promise<void> {
  const pace = createPace();
  for (const { key, acceptedAs, heldAs } of due) {
    if (isCut(definitionDiff(acceptedAs, heldAs ?? {})))
      throw new ToolkeepError("BAD_REQUEST", `${revealed(key)} differs in more places than are shown`, {
        remedy: `Accept it by its name: toolkeep server accept ${name} NAME --seen VERSION`,
      });
    await pace();
  }
}

function changedMeanwhile(name: string): ToolkeepError {
  return new ToolkeepError(
    "CHANGED",
    `what the server ${JSON.stringify(name)} publishes has changed after you looked at it`,
    { remedy: `Look again: toolkeep server changes ${name}` },
  );
}
