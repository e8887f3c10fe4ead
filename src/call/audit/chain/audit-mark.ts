import { ToolkeepError } from "../../../contract/errors.ts";
import { AUDIT_KEY_PURPOSE, type AuditKeyDeps } from "./audit-key.ts";
import type { Head } from "./head-file.ts";

/** What is known about the chains of a store, sealed together with the key of their codes. */
interface Mark {
  /** How far the head of each of the newest chains is known to have come, on disk. */
  readonly reached: Readonly<Record<string, number>>;
}

/** So many chains are remembered; those that were marked last. */
const MAX_CHAINS = 20;
const MAX_TRIES = 5;

/**
 * Knows that there ought to be an audit, and how far heads had come at least. Without it, a store whose records were all
 * removed together with the head looks like a new one, and an older head like one that a crash left behind. Kept in the
 * row of the key, which nobody without the key of the vault can write.
 */
export class AuditMark {
  readonly #deps: AuditKeyDeps;

  constructor(deps: AuditKeyDeps) {
    this.#deps = deps;
  }

  /** Undefined: nothing was ever written, or only by a version that left no mark. */
  async read(): Promise<Mark | undefined> {
    return (await this.#row())?.mark;
  }

  /** From now on there is a chain; and where `head` is given, it was on disk. */
  async set(chain: string, head: Head | undefined): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const row = await this.#row();
      if (!row) return;
      const known = row.mark?.reached ?? {};
      const seq = Math.max(known[chain] ?? 0, head?.chain === chain ? head.seq : 0);
      if (known[chain] === seq) return;
      const { [chain]: _, ...others } = known;
      const newest = [...Object.entries(others), [chain, seq] as const].slice(-MAX_CHAINS);
      const text = `${row.key} ${JSON.stringify({ reached: Object.fromEntries(newest) })}`;
      const sealed = this.#deps.seal(text, AUDIT_KEY_PURPOSE);
      // Another daemon may have been faster.
      if (await this.#deps.store.replaceKey({ id: row.id, sealed }, row.sealed)) return;
    }
    throw new ToolkeepError("CHANGED", "The mark of the audit was changed by others again and again.");
  }

  async #row(): Promise<
    | {
        readonly id: number;
        readonly sealed: Uint8Array;
        readonly key: string;
        readonly mark: Mark | undefined;
      }
    | undefined
  > {
    for (const { id, sealed } of await this.#deps.store.keys()) {
      try {
        const [key = "", ...rest] = this.#deps.unseal(sealed, AUDIT_KEY_PURPOSE).split(" ");
        const mark = rest.length === 0 ? undefined : (JSON.parse(rest.join(" ")) as Mark);
        return { id, sealed, key, mark };
      } catch {
        // Of another key of the vault: the first one that opens counts, as for the codes.
      }
    }
    return undefined;
  }
}
