import type { FeatureParts } from "../../contract/feature.ts";
import type { Database } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { Plugins, type PluginsDeps } from "./plugins.ts";
import { pluginRoutes } from "./routes.ts";
import { plugins as table } from "./tables.ts";

export interface PluginNeeds extends Omit<PluginsDeps, "records" | "limits"> {
  readonly database: Database;
}

export const parts: FeatureParts<PluginNeeds, Plugins> = {
  tables: [table],
  async open({ database, ...needs }) {
    const plugins = await Plugins.open({ ...needs, records: new Records(database, table) });
    return {
      domain: plugins,
      sources: [plugins],
      routes: pluginRoutes(plugins),
      reload: () => plugins.reload(),
      close: () => plugins.close(),
    };
  },
};
