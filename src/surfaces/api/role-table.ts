import type { DescribedRoute } from "./openapi.ts";
import { isReading, roleFor } from "./route-role.ts";

/** The routes whose role is not what their method says, for docs/api.md. */
export function renderRoleTable(routes: readonly DescribedRoute[]): string {
  const rows = routes
    .filter(({ url, schema }) => url.startsWith("/api/") && schema.role !== undefined)
    .filter(({ method, schema }) => schema.role !== (isReading(method) ? "viewer" : "admin"))
    .map(({ method, url, schema }) => `| ${roleFor(method, schema)} | \`${method} ${url}\` |`)
    .sort();
  return ["| role | route |", "|---|---|", ...rows].join("\n");
}
