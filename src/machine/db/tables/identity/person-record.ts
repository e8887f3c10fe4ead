import type { Role } from "../../../../contract/caller.ts";

/** Somebody who uses `/api` and the dashboard. */
export interface PersonRecord {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly lastSeenAt: number | null;
  /** Kept, but let in nowhere. */
  readonly disabled: boolean;
}

export interface PersonStore {
  /** By name. */
  list(): Promise<PersonRecord[]>;
  create(person: PersonRecord): Promise<void>;
  /** Unless somebody has its id, or its name, already; tells nobody. */
  ensure(person: PersonRecord): Promise<void>;
  /** One who becomes disabled loses every session and link with it. */
  update(id: string, change: Partial<Pick<PersonRecord, "name" | "role" | "disabled">>): Promise<void>;
  /** With every session and link. */
  delete(id: string): Promise<void>;
}

/** A browser that a person signed in with. */
export interface SessionRecord {
  readonly id: string;
  readonly personId: string;
  /** SHA-256 of what the browser has, hex. */
  readonly hash: string;
  /** How the browser calls itself. */
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number;
}

/** What a login link holds. */
export interface LoginCodeRecord {
  /** SHA-256, hex. */
  readonly hash: string;
  readonly personId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionStore {
  /** Oldest first. */
  list(): Promise<SessionRecord[]>;
  byHash(hash: string): Promise<SessionRecord | undefined>;
  /** Removes codes that have ended, and those of the person beyond the newest `most`. */
  putCode(code: LoginCodeRecord, most: number): Promise<void>;
  /**
   * Takes a code away and opens the session of the person it was for, in one step; of several processes one does.
   * Undefined when the code is unknown, used or too old. Removes sessions that have ended, and those of the person
   * beyond the newest `most`.
   */
  redeem(
    codeHash: string,
    session: Omit<SessionRecord, "personId">,
    most: number,
  ): Promise<SessionRecord | undefined>;
  /** Also as the time when its person was last seen. One that is gone is no error, and time never turns back. */
  touch(id: string, at: number): Promise<void>;
  delete(id: string): Promise<void>;
  /** All of a person but the one named, and without one their login codes too; resolves with how many sessions there were. */
  deleteOf(personId: string, except?: string): Promise<number>;
}
