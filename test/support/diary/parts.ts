import { z } from "zod";
import { grantedTool, output } from "../../../src/contract/define-native-tool.ts";
import { defineRoute } from "../../../src/contract/define-route.ts";
import { defineSetting } from "../../../src/contract/define-setting.ts";
import type { FeatureParts } from "../../../src/contract/feature.ts";
import { ok, warning } from "../../../src/contract/health.ts";
import { entryAnswer, entryList, newEntry } from "./contract.ts";
import { Diary, type DiaryNeeds } from "./diary.ts";
import { entries, firstTables } from "./tables.ts";

const DOMAIN = { domain: "work", scope: "tools" } as const;

export const parts: FeatureParts<DiaryNeeds> = {
  tables: [entries],
  migrations: [firstTables],
  settings: {
    "diary.max_entries": defineSetting(z.int().min(1).max(500), {
      default: 100,
      project: "lower",
      description: "How many entries the diary takes.",
    }),
  },
  toolboxes: { research: ["read_diary", "write_diary"] },
  open(needs) {
    const diary = new Diary(needs);
    return {
      tools: [
        grantedTool({
          ...DOMAIN,
          name: "read_diary",
          title: "Read the diary",
          description: "Read the diary, oldest day first.",
          input: z.object({}),
          flags: { readOnly: true, concurrencySafe: true },
          run: async () => output(JSON.stringify(await diary.list())),
        }),
        grantedTool({
          ...DOMAIN,
          name: "write_diary",
          title: "Write into the diary",
          description: "Write an entry into the diary.",
          input: newEntry,
          run: async ({ day, text }) => output(`Wrote ${(await diary.add(day, text)).id}.`),
        }),
      ],
      routes: [
        defineRoute({
          method: "GET",
          path: "/diary",
          summary: "Lists the entries of the diary",
          answer: entryList,
          handle: async () => ({ entries: await diary.list() }),
        }),
        defineRoute({
          method: "POST",
          path: "/diary",
          role: "operator",
          summary: "Writes into the diary",
          body: newEntry,
          answer: entryAnswer,
          status: 201,
          handle: async ({ body }) => ({ entry: await diary.add(body.day, body.text) }),
        }),
      ],
      async health() {
        const count = (await diary.list()).length;
        if (count < diary.most) return [ok("diary", `${count} of ${diary.most} entries`)];
        return [warning("diary", "is full", "Raise diary.max_entries.")];
      },
    };
  },
};
