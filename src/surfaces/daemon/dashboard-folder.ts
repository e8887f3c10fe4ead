import { fileURLToPath } from "node:url";

/** Where `npm run build` puts the dashboard, whether this file runs as source, compiled or in the bundle. */
export function dashboardFolder(): string {
  return fileURLToPath(new URL("../../../dist/dashboard", import.meta.url));
}
