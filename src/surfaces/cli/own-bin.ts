import { fileURLToPath } from "node:url";

/** This program as a file that Node can be given, wherever it is installed. */
export function ownBin(): string {
  return fileURLToPath(new URL("../../../bin/toolkeep", import.meta.url));
}
