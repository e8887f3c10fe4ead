import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MODEL } from "../../src/machine/text/meaning/minilm/minilm.ts";
import { testMinilm } from "../support/minilm.ts";
import { toolkeepHereJson } from "../support/run-command.ts";
import { homeWithStore } from "../support/store-template.ts";
import { serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

const model = testMinilm();

/** Shares no word, stem or synonym with the tool that is meant. */
const QUERY = JSON.stringify({ query: "hire a helper" });
const LIMIT_MS = 60_000;

it.skipIf(!model)(
  "a daemon finds a tool by what it means, once it has read what there is",
  async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    await using _daemon = await serve(options);
    const found = async (): Promise<string[]> => {
      const { structured } = await toolkeepHereJson(options, "call", "tool_search", QUERY);
      return structured.matches.map(({ id }: { id: string }) => id);
    };
    expect(await found()).not.toContain("create_agent");
    const kept = join(home.path, "models", `${MODEL}.sha256`);
    await waitUntil("the model is built", () => existsSync(kept), LIMIT_MS);
    await waitUntil("the tool is found", async () => (await found()).includes("create_agent"), LIMIT_MS);
    const { structured } = await toolkeepHereJson(options, "call", "get_setup_health", "{}");
    const { detail } = structured.checks.find(({ name }: { name: string }) => name === "tool search");
    expect(detail).toMatch(/^by words and meaning; [1-9]\d* tools indexed, \d+ waiting$/);
  },
  3 * LIMIT_MS,
);
