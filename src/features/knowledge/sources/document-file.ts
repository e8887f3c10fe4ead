import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { SourceRecord } from "../contract.ts";

/** The paths by which rules may know the file that a document was read from. */
export interface DocumentFile {
  /** The path as the person who added the source would write it. */
  readonly named: readonly string[];
  /** Its real path, and other paths to it. */
  readonly also: readonly string[];
}

type Read = { readonly key: string; readonly uri: string };

/** Undefined if it came from no file. Rules for plugins were applied when their tools were called. */
export function documentFile(
  { kind, config }: Pick<SourceRecord, "kind" | "config">,
  { key, uri }: Read,
): DocumentFile | undefined {
  if (kind.startsWith("plugin:")) return undefined;
  const root =
    typeof config.path === "string" ? resolve(config.path.replace(/^~(?=\/|$)/, homedir())) : undefined;
  if (isAbsolute(uri)) {
    const written = root === undefined ? undefined : writtenPath(root, key, uri);
    return written === undefined || written === uri
      ? { named: [uri], also: [] }
      : { named: [written], also: [uri] };
  }
  // A bookmark has an address as its URI; its file is a prefix of its key.
  return root === undefined ? undefined : { named: [join(root, key)], also: wayTo(root, key) };
}

/** The path below the configured root, which may be a symbolic link. A key may continue behind the file. */
function writtenPath(root: string, key: string, uri: string): string | undefined {
  const steps = key.split("/").filter((step) => step !== "");
  for (let count = steps.length; count > 0; count--) {
    const inside = steps.slice(0, count).join("/");
    if (!uri.endsWith(`/${inside}`)) continue;
    return inside === basename(root) && basename(dirname(uri)) !== inside
      ? join(dirname(root), inside)
      : join(root, inside);
  }
  return undefined;
}

function wayTo(root: string, key: string): readonly string[] {
  const steps = key.split("/").filter((step) => step !== "");
  return [root, ...steps.slice(0, -1).map((_, at) => join(root, ...steps.slice(0, at + 1)))].slice(0, 64);
}
