import { ToolkeepError } from "../../contract/errors.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Server } from "./server.ts";

/** The servers there are, by id and by name. */
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

  /** By name, always in the same order. */
  sorted(): Server[] {
    return [...this.#byId.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  has(name: string): boolean {
    for (const server of this.#byId.values()) if (nameOf(server) === name) return true;
    return false;
  }

  /** Throws NOT_FOUND with the nearest name. */
  named(name: string): Server {
    const servers = this.sorted();
    const found = servers.find((server) => nameOf(server) === name);
    if (found) return found;
    const close = nearest(name, servers.map(nameOf));
    const hint = close === undefined ? "" : `; did you mean ${JSON.stringify(close)}?`;
    throw new ToolkeepError("NOT_FOUND", `there is no server ${JSON.stringify(name)}${hint}`, {
      remedy: "toolkeep server list shows those there are.",
    });
  }

  /** The server of this name where a person registered it, it was tried, and it never listed its tools. */
  neverWorked(name: string): Server | undefined {
    return this.sorted().find((server) => {
      const { record, config, gate } = server.definition;
      const isTried = gate.kind === "open" && record.listedAt === null && server.failure !== null;
      return record.name === name && config.source === "stored" && record.addedBy === null && isTried;
    });
  }

  /** Throws NAME_TAKEN. */
  mustBeFree(name: string): void {
    if (!this.has(name)) return;
    throw new ToolkeepError(
      "NAME_TAKEN",
      `expected a new name, but a server ${JSON.stringify(name)} exists; change it with toolkeep server edit ${name}`,
    );
  }
}

function nameOf(server: Server): string {
  return server.definition.record.name;
}
