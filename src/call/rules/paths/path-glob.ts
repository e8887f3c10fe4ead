import { posix } from "node:path";
import { wildcard } from "../../../lib/text/wildcard.ts";
import type { PathText, ResolvedPath } from "./path-readings.ts";

const NO_FOLDERS: readonly string[] = [];

type Part = "**" | ((text: string) => boolean);

/**
 * Compiles a glob into a function that tells whether a path matches. `*` stays within one folder, `**` spans any number
 * of them. A glob that does not begin with `/`, `~/` or `**` is relative to the workspace.
 */
export function pathGlob(glob: string, userHome: string): (path: ResolvedPath) => boolean {
  if (glob === "*" || glob === "**") return () => true;
  const { parts: written, isAnywhere } = normalizePathGlob(glob, userHome);
  const parts = written.map((part): Part => (part === "**" ? part : wildcard(part)));
  return ({ absolute, inside }) => {
    const path = isAnywhere ? absolute : inside;
    return path !== undefined && fits(parts, path);
  };
}

/**
 * The folders of a glob in the form in which they are compared; `isAnywhere`: from the root instead of the workspace.
 */
export function normalizePathGlob(
  glob: string,
  userHome: string,
): { readonly parts: readonly string[]; readonly isAnywhere: boolean } {
  const all = glob === "*" ? "**" : glob;
  const whole = /^~(\/|$)/.test(all) ? userHome + all.slice(1) : all;
  const folder = whole.endsWith("/") ? `${whole}**` : whole;
  const normal = posix.normalize(folder);
  const isAnywhere = normal.startsWith("/") || normal.startsWith("**") || /^[A-Za-z]:\//.test(normal);
  return { parts: normal.split("/"), isAnywhere };
}

/**
 * Whenever what follows the last `**` does not match, that `**` takes one more folder, so each position is tried once.
 */
function fits(parts: readonly Part[], { pieces }: PathText): boolean {
  const first = pieces[0].parts;
  const second = pieces[1]?.parts ?? NO_FOLDERS;
  const count = first.length + second.length;
  let part = 0;
  let folder = 0;
  let star = -1;
  let from = 0;
  while (folder < count) {
    const current = parts[part];
    if (current === "**") {
      star = part++;
      from = folder;
    } else if (current?.(folder < first.length ? first[folder]! : second[folder - first.length]!)) {
      part++;
      folder++;
    } else if (star >= 0) {
      part = star + 1;
      folder = ++from;
    } else {
      return false;
    }
  }
  while (part < parts.length && parts[part] === "**") part++;
  return part === parts.length;
}
