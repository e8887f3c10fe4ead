import { createHmac, hash } from "node:crypto";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { isSameSecret } from "../../lib/same-secret.ts";
import type { Store } from "../../machine/db/store.ts";
import type { PersonRecord, SessionRecord } from "../../machine/db/tables/identity/person-record.ts";
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
  readonly store: Pick<Store, "sessions" | "dialect">;
  readonly personById: (id: string) => PersonRecord | undefined;
  /** Reads people and sessions anew, in turn. */
  readonly reload: () => Promise<void>;
  /** Changes and reloads wait for each other. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Somebody whose browser brought a session that is good. */
export interface SignedIn {
  readonly session: SessionRecord;
  readonly person: PersonRecord;
}

/**
 * How people come in: the code of a link works once within ten minutes and becomes a session. Of both only hashes are
 * kept, in the store, so that they work with every process and after a restart; sessions in memory, too.
 */
export class Sessions {
  readonly #deps: SessionDeps;
  readonly #touched = new Map<string, number>();
  #byHash = new Map<string, SessionRecord>();

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** In turn. */
  async read(): Promise<void> {
    const before = this.#byHash;
    const sessions = await this.#deps.store.sessions.list();
    this.#byHash = new Map(sessions.map((session) => [session.hash, session]));
    for (const [key, session] of before) if (!this.#byHash.has(key)) this.#ended(session);
  }

  /** The code of a link for somebody; shown once. */
  async newCode(person: PersonRecord): Promise<{ readonly code: string; readonly expiresAt: number }> {
    if (person.disabled) {
      throw new ToolkeepError("BAD_REQUEST", `${person.name} is disabled, so no link would let them in`, {
        remedy: `toolkeep person edit ${person.name} --enable`,
      });
    }
    const code = newSecret();
    const createdAt = this.#deps.clock();
    const expiresAt = createdAt + LINK_MS;
    await this.#deps.store.sessions.putCode(
      { hash: hashOf(code), personId: person.id, createdAt, expiresAt },
      LINKS_PER_PERSON,
    );
    return { code, expiresAt };
  }

  /**
   * Opens a session for a code, under a secret that nobody had before; the one that the browser had, if any, ends.
   * Undefined when the code is unknown, used or too old.
   */
  async signIn(
    code: string,
    { label, before }: { readonly label: string; readonly before?: string | undefined },
  ): Promise<(SignedIn & { readonly secret: string; readonly maxAgeSeconds: number }) | undefined> {
    const secret = newSecret();
    const now = this.#deps.clock();
    const opened = {
      id: this.#deps.newId("ses"),
      hash: hashOf(secret),
      label: label.slice(0, MAX_LABEL),
      createdAt: now,
      expiresAt: now + SESSION_MS,
      lastUsedAt: now,
    };
    const session = await this.#deps.store.sessions.redeem(hashOf(code), opened, SESSIONS_PER_PERSON);
    if (!session) return undefined;
    const old = before === undefined ? undefined : this.#byHash.get(hashOf(before));
    if (old) await this.end(old.id);
    await this.#deps.reload();
    const person = this.#valid(session)?.person;
    if (!person) return undefined;
    this.#deps.events.emit("session.changed", { session: session.id, person: person.name, change: "opened" });
    return { session, person, secret, maxAgeSeconds: SESSION_MS / 1000 };
  }

  /** Whose browser brings a secret. Another process may have opened its session, or seen it used, a moment ago. */
  async recognise(secret: string): Promise<SignedIn | undefined> {
    const key = hashOf(secret);
    let found = this.#valid(this.#byHash.get(key));
    if (!found && this.#deps.store.dialect === "postgres") {
      const session = await this.#deps.store.sessions.byHash(key);
      if (!session || this.#isOver(session)) return undefined;
      await this.#deps.reload();
      found = this.#valid(this.#byHash.get(key));
    }
    if (found) this.#touch(found.session);
    return found;
  }

  /** Whether a session is still good, as far as this process knows; does not count as its use. */
  current({ hash: key }: SessionRecord): SignedIn | undefined {
    return this.#valid(this.#byHash.get(key));
  }

  /** Those that are good, oldest first. */
  of(personId: string): readonly SessionRecord[] {
    return [...this.#byHash.values()]
      .filter((session) => session.personId === personId && this.#valid(session))
      .map((session) => ({ ...session, lastUsedAt: this.#lastUsed(session) }))
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  lastSeen({ id, lastSeenAt }: PersonRecord): number | null {
    const times = this.of(id).map((session) => session.lastUsedAt);
    return Math.max(lastSeenAt ?? 0, ...times) || null;
  }

  /** Throws NOT_FOUND. */
  end(id: string): Promise<void> {
    return this.#deps.inTurn(async () => {
      await this.#deps.store.sessions.delete(id);
      this.#forget((session) => session.id === id);
    });
  }

  /** All of a person but the one named, and without one their links too; resolves with how many sessions there were. */
  endAllOf(personId: string, except?: string): Promise<number> {
    return this.#deps.inTurn(async () => {
      const count = await this.#deps.store.sessions.deleteOf(personId, except);
      this.#forget((session) => session.personId === personId && session.id !== except);
      return count;
    });
  }

  /** In turn; the store has removed them already. */
  forgetAllOf(personId: string): void {
    this.#forget((session) => session.personId === personId);
  }

  #forget(isGone: (session: SessionRecord) => boolean): void {
    for (const [key, session] of this.#byHash) {
      if (!isGone(session)) continue;
      this.#byHash.delete(key);
      this.#touched.delete(session.id);
      this.#ended(session);
    }
  }

  #ended({ id, personId }: SessionRecord): void {
    const person = this.#deps.personById(personId)?.name ?? personId;
    this.#deps.events.emit("session.changed", { session: id, person, change: "ended" });
  }

  #valid(session: SessionRecord | undefined): SignedIn | undefined {
    const person = session && this.#deps.personById(session.personId);
    return !person || person.disabled || this.#isOver(session) ? undefined : { session, person };
  }

  #isOver(session: SessionRecord): boolean {
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
    this.#deps.store.sessions.touch(session.id, now).catch(() => this.#touched.delete(session.id));
  }
}

/** What a page of Toolkeep sends with a session's requests, and no other page can know. */
export function csrfToken(secret: string): string {
  return createHmac("sha256", secret).update("toolkeep csrf").digest("base64url");
}

export function isCsrfToken(sent: string | undefined, secret: string): boolean {
  return sent !== undefined && isSameSecret(sent, csrfToken(secret));
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}
