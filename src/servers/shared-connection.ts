import type { Connection } from "./connection/connection.ts";
import { ListUpkeep, type UpkeepDeps } from "./lists/list-upkeep.ts";

/**
 * The connection that all calls of a server share, and former ones on which calls are still under way: a call ends on
 * the connection it was sent over, whatever happens to the server meanwhile.
 */
export class SharedConnection {
  readonly #former = new Set<Connection>();
  #current: Connection | undefined;
  #upkeep: ListUpkeep | undefined;

  get current(): Connection | undefined {
    return this.#current;
  }

  /** Of the current connection's lists. */
  get upkeep(): ListUpkeep | undefined {
    return this.#upkeep;
  }

  adopt(connection: Connection, deps: UpkeepDeps): void {
    this.#current = connection;
    this.#upkeep = new ListUpkeep(connection, deps);
  }

  /** Gives the connection away: what becomes of it is the caller's. */
  release(): Connection | undefined {
    const connection = this.#current;
    this.#current = undefined;
    this.#upkeep?.close();
    this.#upkeep = undefined;
    return connection;
  }

  /**
   * No new calls go over `connection`, which may also be one that was never shared. It closes once those under way have
   * ended; resolves at once where there are some.
   */
  async retire(connection: Connection | undefined = this.#current): Promise<void> {
    if (!connection) return;
    if (connection === this.#current) this.release();
    this.#former.add(connection);
    void connection.closed.then(() => this.#former.delete(connection));
    await connection.retire();
  }

  /** Ends the connection and the former ones, with the calls on them. */
  async close(): Promise<void> {
    const all = [this.release(), ...this.#former];
    await Promise.all(all.map((connection) => connection?.close()));
  }
}
