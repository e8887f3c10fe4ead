import type { DiscoveredServer } from "./discovered-server.ts";
import type { Candidate, Verdict } from "./import-plan.ts";

/** A discovered server and what the import will do with it, for people. Contains keys of env and headers, never values. */
export interface PreviewedServer {
  readonly name: string;
  readonly clients: readonly string[];
  readonly files: readonly string[];
  /** The project, if only its settings contain the server: somebody else may have written them. */
  readonly project: string | null;
  readonly reach: string;
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  /** Whether it will be enabled. */
  readonly enabled: boolean;
  /** References to variables that are not set. */
  readonly missing: readonly string[];
  /** The parts with these references: `env.KEY`, `headers.KEY`, `args.N`, `command`, `url`, `cwd`. */
  readonly missingIn: readonly string[];
  readonly notes: readonly string[];
  readonly verdict: Verdict;
}

export function toPreview(server: DiscoveredServer, verdict: Verdict): PreviewedServer {
  const { name, locations, display, fields, missing, missingIn, notes } = server;
  return {
    name,
    clients: listClients(server),
    files: [...new Set(locations.map((finding) => finding.file))],
    project: locations.some(({ folder }) => folder === null) ? null : (locations[0]?.folder ?? null),
    ...display,
    enabled: fields.enabled === true,
    missing,
    missingIn,
    notes,
    verdict,
  };
}

export function toCandidate(server: DiscoveredServer): Candidate {
  const { name, digests, loose, skipped } = server;
  return { name, clients: listClients(server), digests, ...(loose ? { loose } : {}), skipped };
}

/** Whether the import changes anything. */
export function isImported(verdict: Verdict): verdict is Extract<Verdict, { name: string }> {
  return verdict.kind === "new" || verdict.kind === "renamed" || verdict.kind === "completed";
}

function listClients({ locations }: DiscoveredServer): string[] {
  return [...new Set(locations.map((finding) => finding.client))];
}
