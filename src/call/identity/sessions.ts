import { createHmac, hash } from "node:crypto";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { isSameSecret } from "../../lib/same-secret.ts";
import type { Store } from "../../machine/db/store.ts";
import type { PersonRecord, SessionRecord } from "./contract.ts";
import { SessionTable } from "./session-table.ts";
import { newSecret } from "./token.ts";

const LINK_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
/** However much it is used. */
export const SESSION_MS = 7 * 24 * HOUR_MS;
/** Without any request. */
export const IDLE_MS = 12 * HOUR_MS;
const TOUCH_EVERY_MS = 60_000;
const LINKS_PER_PERSON = 20;
const SESSIONS_PER_PERSON = 20;
const MAX_LABEL = 200;

export interface SessionDeps {
  readonly store: Pick<Store, "database">;
  readonly personById: (id: string) => PersonRecord | undefined;
  /** Reads people and sessions anew, serialized. */
  readonly reload: () => Promise<void>;
  /** Changes and reloads run one at a time. */
  readonly serialize: <T>(work: () => Promise<T>) => Promise<T>;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** A valid session of a browser, with its person. */
export interface ActiveSession {
  readonly session: SessionRecord;
  readonly person: PersonRecord;
}

/**
 * How people sign in: the code of a link works once within ten minutes and becomes a session. Only hashes of both are
 * stored, so that they work with every process and after a restart; sessions are also held in memory.
 */
export class Sessions {
  readonly #deps: SessionDeps;
  readonly #table: SessionTable;
  readonly #touched = new Map<string, number>();
  #byHash = new Map<string, SessionRecord>();

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#table = new SessionTable(deps.store.database);
  }

  /** Must be called serialized. */
  async read(): Promise<void> {
    const previous = this.#byHash;
    const sessions = await this.#table.list();
    this.#byHash = new Map(sessions.map((session) => [session.hash, session]));
    for (const [key, session] of previous) if (!this.#byHash.has(key)) this.#announceEnd(session);
  }

  /** A code for a sign-in link; shown once. */
  async newCode(person: PersonRecord): Promise<{ readonly code: string; readonly expiresAt: number }> {
    if (person.disabled) {
      throw new ToolkeepError("BAD_REQUEST", `${person.name} is disabled and cannot sign in`, {
        remedy: `toolkeep person edit ${person.name} --enable`,
      });
    }
    const code = newSecret();
    const createdAt = this.#deps.clock();
    const expiresAt = createdAt + LINK_MS;
    await this.#table.putCode(
      { hash: hashOf(code), personId: person.id, createdAt, expiresAt },
      LINKS_PER_PERSON,
    );
    return { code, expiresAt };
  }

  /**
   * Opens a session for a code, under a fresh secret; the browser's previous session, if any, ends. Undefined when the
   * code is unknown, used or too old.
   */
  async signIn(
    code: string,
    { label, before }: { readonly label: string; readonly before?: string | undefined },
  ): Promise<(ActiveSession & { readonly secret: string; readonly maxAgeSeconds: number }) | undefined> {
    const secret = newSecret();
    const now = this.#deps.clock();
    const fields = {
      id: this.#deps.newId("ses"),
      hash: hashOf(secret),
      label: label.slice(0, MAX_LABEL),
      createdAt: now,
      expiresAt: now + SESSION_MS,
      lastUsedAt: now,
    };
    const session = await this.#table.redeem(hashOf(code), fields, SESSIONS_PER_PERSON);
    if (!session) return undefined;
    const previous = before === undefined ? undefined : this.#byHash.get(hashOf(before));
    if (previous) await this.end(previous.id);
    await this.#deps.reload();
    const person = this.#ifValid(session)?.person;
    if (!person) return undefined;
    this.#deps.events.emit("session.changed", { session: session.id, person: person.name, change: "opened" });
    return { session, person, secret, maxAgeSeconds: SESSION_MS / 1000 };
  }

  /** Finds the session of a browser's secret. Another process may have just opened it, or seen it used. */
  async recognise(secret: string): Promise<ActiveSession | undefined> {
    const key = hashOf(secret);
    let active = this.#ifValid(this.#byHash.get(key));
    if (!active && this.#deps.store.database.dialect.name === "postgres") {
      const session = await this.#table.byHash(key);
      if (!session || this.#isExpired(session)) return undefined;
      await this.#deps.reload();
      active = this.#ifValid(this.#byHash.get(key));
    }
    if (active) this.#touch(active.session);
    return active;
  }

  /** Whether a session is still valid, as far as this process knows; does not count as a use. */
  current({ hash: key }: SessionRecord): ActiveSession | undefined {
    return this.#ifValid(this.#byHash.get(key));
  }

  /** The valid sessions of a person, oldest first. */
  list(personId: string): readonly SessionRecord[] {
    return [...this.#byHash.values()]
      .filter((session) => session.personId === personId && this.#ifValid(session))
      .map((session) => ({ ...session, lastUsedAt: this.#lastUsed(session) }))
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  lastSeen({ id, lastSeenAt }: PersonRecord): number | null {
    const times = this.list(id).map((session) => session.lastUsedAt);
    return Math.max(lastSeenAt ?? 0, ...times) || null;
  }

  /** Throws NOT_FOUND. */
  end(id: string): Promise<void> {
    return this.#deps.serialize(async () => {
      await this.#table.delete(id);
      this.#forget((session) => session.id === id);
    });
  }

  /**
   * Ends all sessions of a person except the one named; without one, their links too. Resolves with the number of
   * sessions.
   */
  endAllOf(personId: string, except?: string): Promise<number> {
    return this.#deps.serialize(async () => {
      const count = await this.#table.deleteOf(personId, except);
      this.#forget((session) => session.personId === personId && session.id !== except);
      return count;
    });
  }

  /** Must be called serialized; the store has already removed them. */
  forgetAllOf(personId: string): void {
    this.#forget((session) => session.personId === personId);
  }

  #forget(hasEnded: (session: SessionRecord) => boolean): void {
    for (const [key, session] of this.#byHash) {
      if (!hasEnded(session)) continue;
      this.#byHash.delete(key);
      this.#touched.delete(session.id);
      this.#announceEnd(session);
    }
  }

  #announceEnd({ id, personId }: SessionRecord): void {
    const person = this.#deps.personById(personId)?.name ?? personId;
    this.#deps.events.emit("session.changed", { session: id, person, change: "ended" });
  }

  #ifValid(session: SessionRecord | undefined): ActiveSession | undefined {
    const person = session && this.#deps.personById(session.personId);
    return !person || person.disabled || this.#isExpired(session) ? undefined : { session, person };
  }

  #isExpired(session: SessionRecord): boolean {
    const now = this.#deps.clock();
    return now >= session.expiresAt || now - this.#lastUsed(session) >= IDLE_MS;
  }

  #lastUsed({ id, lastUsedAt }: SessionRecord): number {
    return Math.max(lastUsedAt, this.#touched.get(id) ?? 0);
  }

  #touch(session: SessionRecord): void {
    const now = this.#deps.clock();
    if (now - this.#lastUsed(session) < TOUCH_EVERY_MS) return;
    this.#touched.set(session.id, now);
    this.#table.touch(session.id, now).catch(() => this.#touched.delete(session.id));
  }
}

/** The token that Toolkeep's pages send with the requests of a session. No other page can know it. */
export function csrfToken(secret: string): string {
  return createHmac("sha256", secret).update("toolkeep csrf").digest("base64url");
}

export function isCsrfToken(sent: string | undefined, secret: string): boolean {
  return sent !== undefined && isSameSecret(sent, csrfToken(secret));
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}
