import { lstatSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import { IGNORE_FILES, isIgnored, readIgnoreFile, rulesOf, TYPES } from "./scan-folder.ts";
import type { SourcePlan } from "./source-plan.ts";

/** The number of folders whose rules are cached. */
const MAX_FOLDERS = 5_000;

/** Tells whether a scan could notice a change below a source. Most changes in a large folder are irrelevant. */
export class SourceFilter {
  readonly #plan: SourcePlan;
  readonly #own: IgnoreRules;
  readonly #rules = new BoundedMap<string, readonly IgnoreRules[]>(MAX_FOLDERS);

  constructor(plan: SourcePlan) {
    this.#plan = plan;
    this.#own = rulesOf(plan);
  }

  /** `path` is absolute. Reads the disk if the name alone is not enough. */
  concerns(path: string, change: "create" | "update" | "delete"): boolean {
    const { root, gitignore, hidden, excluded } = this.#plan;
    const names = relative(root, path).split(sep);
    const last = names.pop()!;
    if (last === "") return true;
    if (last === ".." || names[0] === "..") return false;
    const rules = [this.#own];
    let folder = "";
    for (const name of names) {
      if (gitignore) rules.push(...this.#rulesIn(folder));
      if (isHidden(name, hidden) || isIgnored(rules, folder + name, true)) return false;
      folder += `${name}/`;
      if (excluded.includes(join(root, folder.slice(0, -1)))) return false;
    }
    if (IGNORE_FILES.includes(last)) {
      this.#rules.delete(folder);
      return gitignore;
    }
    if (gitignore) rules.push(...this.#rulesIn(folder));
    if (isHidden(last, hidden) || excluded.includes(path)) return false;
    const key = folder + last;
    if (TYPES[this.#plan.kind](last)) return !isIgnored(rules, key, false);
    return isMaybeFolder(path, change) && !isIgnored(rules, key, true);
  }

  #rulesIn(folder: string): readonly IgnoreRules[] {
    return this.#rules.getOrMake(folder, () =>
      IGNORE_FILES.flatMap((name) => {
        try {
          return readIgnoreFile(this.#plan.root, folder, name);
        } catch {
          return [];
        }
      }),
    );
  }
}

function isHidden(name: string, areSeen: boolean): boolean {
  return name.startsWith(".") && !areSeen;
}

/** A moved folder appears or disappears as a whole. A deleted path has only its name; files that are not read usually have an extension, folders do not. */
function isMaybeFolder(path: string, change: "create" | "update" | "delete"): boolean {
  if (change === "update") return false;
  if (change === "delete") return extname(path) === "";
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
