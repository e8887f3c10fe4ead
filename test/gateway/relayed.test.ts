import { expect, it } from "vitest";
import { RELAY_HEADER } from "../../src/gateway/protocol.ts";
import { ERAS, type Era, testGateway } from "../support/test-gateway.ts";

const WRITING = ["memory_put", "inbox_put", "sync", "sync_run"];

for (const era of Object.keys(ERAS) as Era[])
  it(`a client over stdio writes where stdio.allow_writes is true, and only there (${era})`, async () => {
    for (const isAllowed of [false, true]) {
      await using gateway = await testGateway({
        agents: { main: ["knowledge"] },
        settings: { stdio: { allow_writes: isAllowed } },
      });
      const client = await gateway.client("main", era, { headers: { [RELAY_HEADER]: "1" } });
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain("search");
      expect(names.filter((name) => WRITING.includes(name)).sort()).toEqual(
        isAllowed ? [...WRITING].sort() : [],
      );
      const put = { name: "memory_put", arguments: { key: "door", content: "It is green." } };
      const said = await client.callTool(put);
      expect(said.isError ?? false).toBe(!isAllowed);
      const got = await client.callTool({ name: "memory_get", arguments: { key: "door" } });
      expect(JSON.stringify(got).includes("It is green.")).toBe(isAllowed);
    }
  });
