import type { Entry } from "../../machine/files/walk.ts";

/** Counts the files and folders that rules hide from a walk. */
export class HiddenEntries {
  #files = 0;
  #folders = 0;

  add({ kind }: Pick<Entry, "kind">): void {
    if (kind === "folder") this.#folders++;
    else this.#files++;
  }

  /** Notes for the end of an answer; empty if nothing was hidden. */
  notes(): readonly string[] {
    const counts = [formatCount(this.#files, "file"), formatCount(this.#folders, "folder")].filter(
      (text) => text !== "",
    );
    return counts.length === 0 ? [] : [`${counts.join(" and ")} left out by rules`];
  }
}

function formatCount(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;
}
