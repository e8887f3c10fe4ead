import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ERAS, type Era, testGateway } from "../support/test-gateway.ts";

const telling = (era: Era) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, "../support/servers/telling.mjs"), era],
});

const gateway = await testGateway({
  servers: { legacy: telling("legacy"), modern: telling("modern") },
  toolboxes: { both: ["mcp:legacy:*", "mcp:modern:*"] },
  agents: { worker: ["both"] },
});
await Promise.all(["legacy", "modern"].map((name) => gateway.hub.upstream.test(name)));
afterAll(() => gateway[Symbol.asyncDispose]());

const PAIRS = (Object.keys(ERAS) as Era[]).flatMap((era) =>
  (Object.keys(ERAS) as Era[]).map((server) => ({ era, server })),
);

describe.each(PAIRS)(
  "what a client of the $era era gets of a server of the $server one",
  ({ era, server }) => {
    it("has a structured result that is a list, as far as its revision knows such", async () => {
      const client = await gateway.client("worker", era);
      const result = await client.callTool({ name: `mcp_${server}_numbers`, arguments: {} });
      expect(result.isError).toBeUndefined();
      expect(result.content).toEqual([{ type: "text", text: "[1,2]" }]);
      expect(result.structuredContent).toEqual(era === "modern" ? [1, 2] : undefined);
    });
  },
);
