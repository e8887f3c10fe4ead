import { posix } from "node:path";
import { wildcard } from "../../../lib/text/wildcard.ts";
import type { KnownPath, PathText } from "./place-names.ts";

const NO_FOLDERS: readonly string[] = [];

type Part = "**" | ((text: string) => boolean);

/**
 * Compiled once: whether a path fits. `*` stays within one folder, `**` goes through any number of them. A glob that does
 * not begin with `/`, `~/` or `**` is about the workspace.
 */
export function pathGlob(glob: string, userHome: string): (path: KnownPath) => boolean {
  if (glob === "*" || glob === "**") return () => true;
  const { parts: written, isAnywhere } = normalPathGlob(glob, userHome);
  const parts = written.map((part): Part => (part === "**" ? part : wildcard(part)));
  return ({ absolute, inside }) => {
    const path = isAnywhere ? absolute : inside;
    return path !== undefined && fits(parts, path);
  };
}

/** Its folders as they are compared; `isAnywhere`: from the root on, in the place of from the workspace on. */
export function normalPathGlob(
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

/** The last `**` takes one more folder whenever what follows it does not fit: each is tried once from each place. */
function fits(parts: readonly Part[], { pieces }: PathText): boolean {
  const near = pieces[0].parts;
  const far = pieces[1]?.parts ?? NO_FOLDERS;
  const count = near.length + far.length;
  let part = 0;
  let folder = 0;
  let star = -1;
  let from = 0;
  while (folder < count) {
    const now = parts[part];
    if (now === "**") {
      star = part++;
      from = folder;
    } else if (now?.(folder < near.length ? near[folder]! : far[folder - near.length]!)) {
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
