import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Capability } from "../../contract/tool.ts";
import type { Finding } from "../../contract/tool-shapes.ts";
import { createPace } from "../../lib/flow/pace.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Server } from "../lifecycle/server.ts";
import type { ServerSet } from "../lifecycle/server-set.ts";
import { getOfferKey } from "../lists/offer-key.ts";
import type { ServerLists } from "../lists/server-lists.ts";
import type { PinRecord } from "../records.ts";
import { computeVersion, describeChanges } from "./change-view.ts";
import { isWaiting } from "./compare-pins.ts";
import type { ServerChanges, ServerDecision, ToolFindings } from "./contract.ts";
import { diffDefinitions, isCut } from "./definition-diff.ts";
import { revealHidden } from "./definitions/clean-text.ts";
import { scanDefinition } from "./definitions/scan-text.ts";
import { type Decision, getHeldPins } from "./pins.ts";

interface ToolIdentity {
  readonly origin: string;
  readonly ownName: string;
}

export interface ServerTrustDeps {
  readonly set: ServerSet;
  readonly lists: ServerLists;
  readonly settings: () => Settings;
  readonly events: Events;
}

/** Shows servers' definitions to people and takes their decisions. Methods that take a server's name throw NOT_FOUND. */
export class ServerTrust {
  readonly #deps: ServerTrustDeps;

  constructor(deps: ServerTrustDeps) {
    this.#deps = deps;
  }

  /** The held definitions of a server. */
  async listChanges(name: string): Promise<ServerChanges> {
    const server = this.#deps.set.getByName(name);
    const { id } = server.definition.record;
    const getToolName = (own: string) => this.#deps.lists.tools.getName(id, own);
    return describeChanges(this.#listHeld(server), getToolName, this.#getForeignNames(server));
  }

  /** Throws CHANGED if it is no longer what the person saw, NOT_FOUND for a name under which nothing waits. */
  async decide(
    name: string,
    decision: Decision,
    { names, seen }: ServerDecision = {},
  ): Promise<ServerChanges> {
    const { set, lists } = this.#deps;
    const server = set.getByName(name);
    const { record } = server.definition;
    const held = this.#listHeld(server);
    if (seen !== undefined && seen !== computeVersion(held)) throw createChangedError(name);
    const due = names ? this.#findByName(server, held, names) : held.filter(isWaiting);
    if (decision === "accept" && !names) await assertNotCut(name, due);
    const decided = await lists.pins.decide(record.id, due, decision);
    if (decision === "accept") await lists.recheck(server, decided);
    if (decided.length < due.length) throw createChangedError(name);
    await lists.notices.ask(record, lists.pins.getHeld(record.id));
    this.#announceChange(server);
    return this.listChanges(name);
  }

  /** Lists the findings in the visible definitions; `listChanges` covers the held ones. */
  async listFindings(name: string): Promise<readonly ToolFindings[]> {
    const server = this.#deps.set.getByName(name);
    const { id, instructions } = server.definition.record;
    const { lists } = this.#deps;
    const { tools } = lists;
    const others = this.#getForeignNames(server);
    const results: ToolFindings[] = [];
    const pace = createPace();
    const instructionFindings = scanDefinition({ instructions }, others);
    if (instructionFindings.length > 0) results.push({ tool: "instructions", findings: instructionFindings });
    for (const { originalName, definition } of tools.getList(id)) {
      if (lists.pins.isToolHeld(id, originalName)) continue;
      const findings = scanDefinition(definition, others);
      if (findings.length > 0)
        results.push({ tool: tools.getName(id, originalName) ?? originalName, findings });
      await pace();
    }
    for (const offer of lists.listVisibleOffers(id)) {
      const findings = scanDefinition(offer.definition, others);
      if (findings.length > 0) results.push({ tool: `${offer.kind} ${getOfferKey(offer)}`, findings });
      await pace();
    }
    return results;
  }

  /** The findings for one tool; none if it is not a server's tool. */
  listToolFindings({ origin, ownName }: ToolIdentity): readonly Finding[] {
    const server = this.#findServer(origin);
    if (!server) return [];
    const { id } = server.definition.record;
    const tool = this.#deps.lists.tools.getList(id).find(({ originalName }) => originalName === ownName);
    const isShown = tool && !this.#deps.lists.pins.isToolHeld(id, ownName);
    return isShown ? scanDefinition(tool.definition, this.#getForeignNames(server)) : [];
  }

  /** Overrides a tool's capabilities; null goes back to the derived ones. Throws BAD_REQUEST if it is not a server's tool. */
  async setCapabilities(
    { origin, ownName }: ToolIdentity,
    capabilities: readonly Capability[] | null,
  ): Promise<void> {
    const server = this.#findServer(origin);
    if (!server)
      throw new ToolkeepError(
        "BAD_REQUEST",
        `${ownName} is no tool of an MCP server: what it can do is known`,
      );
    await this.#deps.lists.capabilities.set(server.definition.record.id, ownName, capabilities);
    this.#announceChange(server);
  }

  /** Whether a person set the tool's capabilities. */
  isCorrected({ origin, ownName }: ToolIdentity): boolean {
    const server = this.#findServer(origin);
    return server ? this.#deps.lists.capabilities.get(server.definition.record.id).has(ownName) : false;
  }

  #findServer(origin: string): Server | undefined {
    return this.#deps.set.listSorted().find((server) => `mcp:${server.definition.record.name}` === origin);
  }

  #announceChange(server: Server): void {
    server.rebuildTools();
    this.#deps.events.emit("server.changed", { server: server.definition.record.name, change: "changed" });
  }

  #listHeld(server: Server): readonly PinRecord[] {
    return [...getHeldPins(server, this.#deps.settings(), this.#deps.lists.pins).values()];
  }

  #getForeignNames(server: Server) {
    return this.#deps.lists.getForeignNames(server.definition.record, (name) => this.#deps.set.has(name));
  }

  #findByName(server: Server, held: readonly PinRecord[], names: readonly string[]): readonly PinRecord[] {
    const { id, name } = server.definition.record;
    const pins = names.flatMap((wanted) => {
      // A prompt may have the same name as a tool; then both are meant.
      const matches = held.filter(
        ({ kind, key }) =>
          key === wanted || (kind === "tool" && this.#deps.lists.tools.getName(id, key) === wanted),
      );
      if (matches.length > 0) return matches;
      throw new ToolkeepError(
        "NOT_FOUND",
        `nothing of ${name} waits under the name ${JSON.stringify(wanted)}`,
        {
          remedy: `toolkeep server changes ${name} shows what does.`,
        },
      );
    });
    return [...new Set(pins)];
  }
}

/** If more differs than is shown, a person has to accept it by name. */
async function assertNotCut(name: string, due: readonly PinRecord[]): Promise<void> {
  const pace = createPace();
  for (const { key, acceptedAs, heldAs } of due) {
    if (isCut(diffDefinitions(acceptedAs, heldAs ?? {})))
      throw new ToolkeepError("BAD_REQUEST", `${revealHidden(key)} differs in more places than are shown`, {
        remedy: `Accept it by its name: toolkeep server accept ${name} NAME --seen VERSION`,
      });
    await pace();
  }
}

function createChangedError(name: string): ToolkeepError {
  return new ToolkeepError(
    "CHANGED",
    `what the server ${JSON.stringify(name)} publishes has changed after you looked at it`,
    { remedy: `Look again: toolkeep server changes ${name}` },
  );
}
