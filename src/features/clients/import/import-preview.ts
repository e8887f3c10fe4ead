import type { FoundServer } from "./found-server.ts";
import type { Candidate, Verdict } from "./import-plan.ts";

/** A server that was found, and what will happen with it, for people: keys of values, never values. */
export interface PreviewedServer {
  readonly name: string;
  readonly clients: readonly string[];
  readonly files: readonly string[];
  /** The project whose settings have it, where only those do: someone else may have written them. */
  readonly project: string | null;
  readonly reach: string;
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  /** Whether it will take part. */
  readonly enabled: boolean;
  /** References to variables that are not set. */
  readonly missing: readonly string[];
  /** Where they stand: `env.KEY`, `headers.KEY`, `args.N`, `command`, `url`, `cwd`. */
  readonly missingIn: readonly string[];
  readonly notes: readonly string[];
  readonly verdict: Verdict;
}

export function previewOf(server: FoundServer, verdict: Verdict): PreviewedServer {
  const { name, findings, shown, fields, missing, missingIn, notes } = server;
  return {
    name,
    clients: clientsOf(server),
    files: [...new Set(findings.map((finding) => finding.file))],
    project: findings.some(({ folder }) => folder === null) ? null : (findings[0]?.folder ?? null),
    ...shown,
    enabled: fields.enabled === true,
    missing,
    missingIn,
    notes,
    verdict,
  };
}

export function candidateOf(server: FoundServer): Candidate {
  const { name, digests, loose, skipped } = server;
  return { name, clients: clientsOf(server), digests, ...(loose ? { loose } : {}), skipped };
}

/** Whether the verdict changes anything. */
export function isImported(verdict: Verdict): verdict is Extract<Verdict, { name: string }> {
  return verdict.kind === "new" || verdict.kind === "renamed" || verdict.kind === "completed";
}

function clientsOf({ findings }: FoundServer): string[] {
  return [...new Set(findings.map((finding) => finding.client))];
}
