/** The part of the contract about servers of other programs: what could be taken over, and taking it over. */
import type { ReadFile as ImportedFile } from "../../../features/clients/discover.ts";
import type {
  Candidate as ImportCandidate,
  Verdict as ImportVerdict,
} from "../../../features/clients/import/import-plan.ts";
import type { PreviewedServer as ImportPreviewServer } from "../../../features/clients/import/import-preview.ts";
import type { ServerInput, ServerView } from "../../../servers/contract.ts";

export type { ImportCandidate, ImportedFile, ImportPreviewServer, ImportVerdict };

/** `GET /api/imports`: what the clients on the daemon's machine have; keys of values, never values. */
export interface ImportPreview {
  readonly servers: readonly ImportPreviewServer[];
  /** The settings files that exist, with what is wrong in them. */
  readonly files: readonly ImportedFile[];
}

/** `POST /api/imports/pasted` → `ImportPreview` */
export interface PastedServers {
  /** JSON or TOML. */
  readonly text: string;
}

/** `POST /api/imports/preview`: about servers that were found elsewhere. */
export interface ImportQuestion {
  readonly servers: readonly ImportCandidate[];
}

/** One for each server asked about, in their order. */
export interface ImportVerdicts {
  readonly verdicts: readonly ImportVerdict[];
}

/** A server that was found elsewhere, with its values. */
export interface ImportServer extends ImportCandidate, ServerInput {}

/**
 * `POST /api/imports`: registers `servers`, or of those that `GET /api/imports` shows the ones of these `names` (the
 * names they get), or those of them in `text`, a text as for `POST /api/imports/pasted`. With `wait` the answer comes after the first attempt to list their tools.
 */
export interface NewImport {
  readonly servers?: readonly ImportServer[];
  readonly names?: readonly string[];
  readonly text?: string;
  readonly cwd?: string;
  readonly wait?: boolean;
}

export interface ImportResult {
  readonly verdict: ImportVerdict;
  /** The server as it is registered now. */
  readonly server: ServerView | null;
  /** Why it could not be registered. */
  readonly error: string | null;
}

export interface ImportAnswer {
  readonly results: readonly ImportResult[];
}
