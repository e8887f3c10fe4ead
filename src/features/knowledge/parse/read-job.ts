import type { Document } from "../document.ts";
import type { FileType } from "../sources/file-type.ts";
import type { SourcePlan } from "../sources/source-plan.ts";

/** A file to be read. */
export interface ReadJob {
  readonly path: string;
  /** See `FoundFile.key`. */
  readonly key: string;
  readonly type: FileType;
  /** The state in which the scan found it. */
  readonly modifiedAt: number;
  readonly size: number;
  /** Nothing is made of it where this is still its hash. */
  readonly knownHash?: string;
  readonly plan: Pick<SourcePlan, "kind" | "root" | "maxFileBytes">;
  /** In a file with many documents: how far an earlier attempt came before its thread died. */
  readonly resume?: Resume;
}

/** Members are counted from 0, in the order of the file. */
export interface Resume {
  /** All before this one were handed over. */
  readonly from: number;
  /** Those that cannot be read, and why. */
  readonly failed: ReadonlyMap<number, string>;
}

/** A document with all that the index keeps of its file. */
export interface ReadDocument extends Document {
  readonly hash: string;
}

/** How reading a file ended. `modifiedAt` and `size` are of the file as it was read. */
export type ReadEnd =
  | {
      readonly kind: "read";
      readonly document: ReadDocument;
      readonly modifiedAt: number;
      readonly size: number;
    }
  /** All its members were given, but those that were given up: what is known of them stays. */
  | {
      readonly kind: "members";
      readonly hash: string;
      readonly modifiedAt: number;
      readonly size: number;
      readonly problems: readonly string[];
      /** Keys. */
      readonly givenUp: readonly string[];
    }
  | { readonly kind: "same"; readonly modifiedAt: number; readonly size: number }
  /** `lasting`: until the file changes; `if again`: it may have been the machine's fault, so only if it happens once more. */
  | { readonly kind: "failed"; readonly reason: string; readonly lasting: boolean | "if again" };

/** Reads files of strangers within limits of size, time and memory. Files are read in the order in which they are asked for. */
export interface FileReader {
  /**
   * Never rejects but when closed. Members of a file that holds many come in batches; the next is read when `onMembers` has resolved,
   * and when it rejects, so does this.
   */
  read(job: ReadJob, onMembers: (members: readonly ReadDocument[]) => Promise<void>): Promise<ReadEnd>;
  close(): Promise<void>;
}
