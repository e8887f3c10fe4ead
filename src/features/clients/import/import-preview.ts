import type { ImportCandidate, ImportPreviewServer, ImportVerdict } from "../contract.ts";
import type { DiscoveredServer } from "./discovered-server.ts";

export function toPreview(server: DiscoveredServer, verdict: ImportVerdict): ImportPreviewServer {
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

export function toCandidate(server: DiscoveredServer): ImportCandidate {
  const { name, digests, loose, skipped } = server;
  return { name, clients: listClients(server), digests, ...(loose ? { loose } : {}), skipped };
}

/** Whether the import changes anything. */
export function isImported(verdict: ImportVerdict): verdict is Extract<ImportVerdict, { name: string }> {
  return verdict.kind === "new" || verdict.kind === "renamed" || verdict.kind === "completed";
}

function listClients({ locations }: DiscoveredServer): string[] {
  return [...new Set(locations.map((finding) => finding.client))];
}
