import { expect, it } from "vitest";
import { testMinilm } from "../support/minilm.ts";
import { tempHome } from "../support/temp-home.ts";
import { serve, toolkeepJson } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

const model = testMinilm();

/** Shares no word, stem or synonym with the tool that is meant. */
const QUERY = "hire a helper";

it.skipIf(!model)(
  "a daemon finds a tool by what it means, and knows it at once after a restart",
  async () => {
    await using home = await tempHome();
    const options = { home: home.path };
    const found = async (): Promise<string[]> => {
      const { structured } = await toolkeepJson(
        options,
        "call",
        "tool_search",
        JSON.stringify({ query: QUERY }),
      );
      return structured.matches.map(({ id }: { id: string }) => id);
    };
    const health = async (): Promise<string> => {
      const { structured } = await toolkeepJson(options, "call", "get_setup_health", "{}");
      return structured.checks.find(({ name }: { name: string }) => name === "tool search").detail;
    };
    const isRead = async () =>
      /^by words and meaning; [1-9]\d* tools were read, 0 wait$/.test(await health());
    {
      await using _daemon = await serve(options);
      expect(await found()).not.toContain("create_agent");
      await waitUntil("every tool is read", isRead);
      await waitUntil("the query is read in time", async () => (await found()).includes("create_agent"));
    }
    await using _daemon = await serve(options);
    await found();
    await waitUntil("every tool is read again", isRead);
  },
);
