import type { Entry } from "../../machine/files/walk.ts";

/** What of a walk was not shown because of rules. */
export class LeftOut {
  #files = 0;
  #folders = 0;

  add({ kind }: Pick<Entry, "kind">): void {
    if (kind === "folder") this.#folders++;
    else this.#files++;
  }

  /** For the end of an answer; nothing where nothing was left out. */
  notes(): readonly string[] {
    const counts = [counted(this.#files, "file"), counted(this.#folders, "folder")].filter(
      (text) => text !== "",
    );
    return counts.length === 0 ? [] : [`${counts.join(" and ")} left out by rules`];
  }
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}
