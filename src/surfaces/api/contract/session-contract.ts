import type { Role } from "../../../contract/caller.ts";
import type { PersonRecord, SessionRecord } from "../../../machine/db/tables/identity/person-record.ts";

/** People, and the browsers that they signed in with. */

export interface PersonView extends Omit<PersonRecord, "id"> {
  readonly id: string;
  /** Holds the home; always an admin. */
  readonly owner: boolean;
  /** How many browsers they are signed in with. */
  readonly sessions: number;
}

export interface PersonList {
  readonly people: readonly PersonView[];
}

export interface PersonAnswer {
  readonly person: PersonView;
}

/** `POST /api/people` */
export interface NewPerson {
  readonly name: string;
  readonly role: Role;
}

/** `PATCH /api/people/:name` */
export interface PersonInput {
  readonly name?: string;
  readonly role?: Role;
  readonly disabled?: boolean;
}

export interface SessionView extends Omit<SessionRecord, "hash" | "personId"> {
  /** It is the one that asks. */
  readonly current: boolean;
}

export interface SessionList {
  readonly sessions: readonly SessionView[];
}

/** `GET /api/session`: who asks. */
export interface SessionAnswer {
  readonly kind: "person" | "token";
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** What changes want as `X-Toolkeep`; null where no session asks. */
  readonly csrfToken: string | null;
  /** When it ends, however much it is used; null where no session asks. */
  readonly expiresAt: number | null;
}

/** `DELETE` of several sessions. */
export interface SessionsEnded {
  readonly ended: number;
}

/** `POST /api/login-links`; without a person for whoever asks, with an admin token for the owner. */
export interface NewLoginLink {
  readonly person?: string;
}

export interface LoginLink {
  readonly url: string;
  readonly person: string;
  readonly expiresAt: number;
}
