import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import type { ProjectTables } from "./tables.ts";

export interface ProjectDeps {
  readonly tables: ProjectTables;
  readonly agents: {
    /** Throws NOT_FOUND for a name that no agent has. */
    id(name: string): string;
    name(id: string): string;
  };
  /** Known secrets taken out. */
  readonly redact: (text: string) => string;
  /** The texts that a query finds, by their positions, best first. */
  readonly rank: (query: string, texts: readonly RankedText[]) => Promise<readonly number[]>;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface RankedText {
  readonly title: string;
  readonly body: string;
}

/** Who does something: the id of an agent; null for a person. */
export type Author = string | null;
