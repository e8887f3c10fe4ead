import { messageOf } from "../../contract/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Following, MovedQuestion, StoreFollower } from "./sharing.ts";
import type { Store } from "./store.ts";

export interface FollowDeps {
  readonly store: Pick<Store, "follow">;
  readonly reload: StoreFollower["reload"];
  readonly heardOf: (moved: MovedQuestion) => Promise<void>;
  /** The revision that was read last. */
  readonly since: number;
  readonly log: Log;
}

/** Several daemons may share one PostgreSQL: what one changes, the others take over within a second. */
export function followStore({ store, reload, heardOf, since, log }: FollowDeps): Following {
  const onProblem = (cause: unknown) =>
    log.warn({ cause: messageOf(cause) }, "what other replicas change is noticed late for now");
  return store.follow(since, {
    reload,
    question: (moved) => void heardOf(moved).catch(onProblem),
    onProblem,
    onRecovered: () => log.info({}, "what other replicas change is noticed at once again"),
  });
}
