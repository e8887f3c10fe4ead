import { messageOf } from "../../contract/errors.ts";
import type { FeatureParts } from "../../contract/feature.ts";
import type { Log } from "../../lib/log.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Database } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { Custom, type CustomDeps } from "./custom.ts";
import { type CustomRouteDeps, customToolRoutes } from "./routes.ts";
import { customTools } from "./tables.ts";

export interface CustomNeeds
  extends Omit<CustomDeps, "records" | "sandboxMode" | "onProblem">,
    Omit<CustomRouteDeps, "custom"> {
  readonly database: Database;
  readonly settings: () => Settings;
  readonly log: Log;
}

export const parts: FeatureParts<CustomNeeds, Custom> = {
  tables: [customTools],
  async open({ database, settings, log, ...needs }) {
    const custom = await Custom.open({
      ...needs,
      records: new Records(database, customTools),
      sandboxMode: () => settings().shell.sandbox,
      onProblem: (error) =>
        log.warn({ cause: messageOf(error) }, "custom tools: the folders cannot be scanned"),
    });
    return {
      domain: custom,
      sources: [custom],
      routes: customToolRoutes({ ...needs, custom }),
      usesOfSecrets: () =>
        custom
          .list()
          .map(({ slug, wants }) => ({ user: `custom tool ${slug}`, secrets: wants?.secrets ?? [] })),
      reload: () => custom.reload(),
      close: () => custom.close(),
    };
  },
};
