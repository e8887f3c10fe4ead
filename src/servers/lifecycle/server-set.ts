import { ToolkeepError } from "../../contract/errors.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Server } from "./server.ts";

/** All servers, by id and by name. */
export class ServerSet {
  readonly #byId = new Map<string, Server>();

  get ids(): string[] {
    return [...this.#byId.keys()];
  }

  byId(id: string): Server | undefined {
    return this.#byId.get(id);
  }

  put(id: string, server: Server): void {
    this.#byId.set(id, server);
  }

  delete(id: string): void {
    this.#byId.delete(id);
  }

  /** Sorted by name. */
  listSorted(): Server[] {
    return [...this.#byId.values()].sort((a, b) => (getName(a) < getName(b) ? -1 : 1));
  }

  has(name: string): boolean {
    for (const server of this.#byId.values()) if (getName(server) === name) return true;
    return false;
  }

  /** Throws NOT_FOUND and suggests the nearest name. */
  getByName(name: string): Server {
    const servers = this.listSorted();
    const match = servers.find((server) => getName(server) === name);
    if (match) return match;
    const suggestion = nearest(name, servers.map(getName));
    const hint = suggestion === undefined ? "" : `; did you mean ${JSON.stringify(suggestion)}?`;
    throw new ToolkeepError("NOT_FOUND", `there is no server ${JSON.stringify(name)}${hint}`, {
      remedy: "toolkeep server list shows those there are.",
    });
  }

  /** The server of this name if a person registered it and it failed without ever listing its tools. */
  findNeverWorked(name: string): Server | undefined {
    return this.listSorted().find((server) => {
      const { record, config, gate } = server.definition;
      const hasFailedFirst = gate.kind === "open" && record.listedAt === null && server.failure !== null;
      return record.name === name && config.source === "stored" && record.addedBy === null && hasFailedFirst;
    });
  }

  /** Throws NAME_TAKEN. */
  assertFree(name: string): void {
    if (!this.has(name)) return;
    throw new ToolkeepError(
      "NAME_TAKEN",
      `expected a new name, but a server ${JSON.stringify(name)} exists; change it with toolkeep server edit ${name}`,
    );
  }
}

function getName(server: Server): string {
  return server.definition.record.name;
}
