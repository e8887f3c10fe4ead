import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package. Its `package.json` is above this file, whether it runs as source, compiled or in the bundle. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** This program as a file that Node can be given. */
export function ownBin(): string {
  return join(packageRoot(), "bin", "toolkeep");
}

/** Where `npm run build` puts the dashboard. */
export function dashboardFolder(): string {
  return join(packageRoot(), "dist", "dashboard");
}

export function packageVersion(): string {
  const file = join(packageRoot(), "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
