import { DONE, defineRoute, done, type Route } from "../../contract/define-route.ts";
import type { Clock } from "../../lib/clock.ts";
import { newTrust, trustList, trustQuery } from "./contract.ts";
import type { TrustedFiles } from "./tables.ts";

export interface TrustRouteDeps {
  readonly trust: TrustedFiles;
  /** Reads the settings again with the files that are trusted now. */
  readonly reloadSettings: () => Promise<void>;
  readonly clock: Clock;
}

export function trustRoutes({ trust, reloadSettings, clock }: TrustRouteDeps): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/trust",
      summary: "Lists the project files that are trusted",
      answer: trustList,
      handle: async () => ({ trusted: await trust.list() }),
    }),
    defineRoute({
      method: "POST",
      path: "/trust",
      summary: "Trusts a project file as it is",
      body: newTrust,
      answer: done,
      async handle({ body: { path, sha256 } }) {
        await trust.put(path, sha256, clock());
        await reloadSettings();
        return DONE;
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/trust",
      summary: "Trusts a project file no longer",
      query: trustQuery,
      answer: done,
      async handle({ query: { path } }) {
        await trust.delete(path);
        await reloadSettings();
        return DONE;
      },
    }),
  ];
}
