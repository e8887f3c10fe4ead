import type { ServerRecord } from "../machine/db/store.ts";
import type { Definition } from "./lifecycle/definition.ts";

/** Why a server cannot be reached, and since when that is known. */
export interface Failure {
  readonly message: string;
  readonly at: number | null;
}

/** The failure that the store keeps, so that a restart does not make a broken server look idle. */
export function failureIn({ lastError, failedAt }: ServerRecord): Failure | null {
  return lastError === null ? null : { message: lastError, at: failedAt };
}

/** What people are told: a definition that cannot be used comes before how the last attempt ended. */
export function shownFailure({ gate }: Definition, last: Failure | null): Failure | null {
  return gate.kind === "broken" ? { message: gate.reason, at: null } : last;
}
