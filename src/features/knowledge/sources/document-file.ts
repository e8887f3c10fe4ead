import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { SourceRecord } from "../contract.ts";

/** The paths by which rules may know the file that a document was read from. */
export interface DocumentFile {
  /** As whoever added the source would write it. */
  readonly named: readonly string[];
  /** Where it really lies, and where else it may. */
  readonly also: readonly string[];
}

type Read = { readonly key: string; readonly uri: string };

/** Undefined: it came from no file; what a plugin reads was decided when its tool was called. */
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
  // A bookmark has an address of its own, and its file is somewhere on the way to its key.
  return root === undefined ? undefined : { named: [join(root, key)], also: wayTo(root, key) };
}

/** The path below the source as it was given, which may be a symbolic link; a key may go on behind the file. */
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
