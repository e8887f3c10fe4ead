import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { applyChanges, readUserSettings, writeChanges } from "../../../../features/admin/change-settings.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { SettingChanges, SettingList, SettingsChanged } from "../../contract.ts";
import { exactly } from "../../schema.ts";
import { refusalOf, settingList } from "../../setting-views.ts";

const changes = {
  type: "object",
  minProperties: 1,
  maxProperties: 100,
  additionalProperties: { type: ["string", "number", "boolean", "null"], maxLength: 1_000 },
};

/** The settings one by one, for people who look at them and change some. */
export function settingRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
  app.get(
    "/settings",
    {
      schema: {
        summary: "Lists the settings in force, where each comes from, and which can be changed here",
        response: gives("SettingList"),
      },
    },
    (): SettingList => settingList(hub.loaded),
  );

  app.patch<{ Body: SettingChanges }>(
    "/settings",
    {
      schema: {
        summary: "Changes settings in the user's file, of which a copy is kept; counts at once",
        body: exactly({ changes }, ["changes"]),
        response: gives("SettingsChanged"),
      },
    },
    async ({ body }): Promise<SettingsChanged> => {
      for (const [key, value] of Object.entries(body.changes)) {
        const refusal = refusalOf(key, value, hub.loaded);
        if (refusal !== undefined) throw new ToolkeepError("BAD_REQUEST", refusal);
      }
      const file = orThrow(await readUserSettings(hub.settings.home));
      const text = orThrow(applyChanges(file, body.changes));
      const written = orThrow(await writeChanges(file, text, options.clock));
      await options.reloadSettings();
      return { ...written, ...settingList(hub.loaded) };
    },
  );
}

function orThrow<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string },
): T {
  if (result.ok) return result.value;
  throw new ToolkeepError("BAD_REQUEST", `Nothing was changed: ${result.error}`);
}
