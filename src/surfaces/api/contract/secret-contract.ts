/** What `/api/secrets` takes and gives. No value ever comes back. */

import type { SecretSource } from "../../../machine/db/tables/trust/secret-record.ts";

export interface SecretView {
  readonly name: string;
  /** `value`: it is sealed here; else what it refers to is. */
  readonly source: SecretSource;
  /** Which tools get it in their arguments, and where such a call may go: patterns. */
  readonly tools: readonly string[];
  readonly hosts: readonly string[];
  /** The only agents that may use it so, by name; null: all. */
  readonly agents: readonly string[] | null;
  /** The agent that set it; null: a person did. */
  readonly setBy: string | null;
  /** What names it to be read, beside arguments: `server NAME`, `custom tool NAME`, `setting KEY`. */
  readonly usedBy: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** `GET /api/secrets` */
export interface SecretList {
  readonly secrets: readonly SecretView[];
}

/** `POST /api/vault/rotate-key` */
export interface KeyRotated {
  /** How many values have the new key. */
  readonly resealed: number;
  /** How many could not be opened with the old one, and are as they were. */
  readonly unreadable: number;
}

export interface SecretAnswer {
  readonly secret: SecretView;
}

/** `POST /api/secrets/:name/bind` and `/unbind`: what is added or taken away. */
export interface SecretBinding {
  readonly tools?: readonly string[];
  readonly hosts?: readonly string[];
  /** By name. Bound to some, no other agent may use it; null, of `bind` only: all may. */
  readonly agents?: readonly string[] | null;
}

/** `PUT /api/secrets/:name`: a value, or where it is (`env:NAME`, `file:/path`, `cmd:program args`). Bindings that are not given stay. */
export interface SecretInput extends SecretBinding {
  readonly value?: string;
  readonly from?: string;
}
