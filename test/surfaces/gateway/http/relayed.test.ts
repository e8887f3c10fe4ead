import { expect, it } from "vitest";
import { RELAY_HEADER } from "../../../../src/surfaces/gateway/messages.ts";
import { ERAS, type Era, testGateway } from "../../../support/test-gateway.ts";

const WRITING = ["inbox_put", "memory_put", "run_shell", "sync", "sync_run", "write_file"];
const READING = ["memory_get", "read_file", "search", "sync_status"];

for (const era of Object.keys(ERAS) as Era[])
  it(`a client over stdio has the tools of one over HTTP, and only reads where stdio.writes is false (${era})`, async () => {
    for (const settings of [{}, { stdio: { writes: false } }, { stdio: { allow_writes: false } }]) {
      const isAllowed = !("stdio" in settings);
      await using gateway = await testGateway({
        agents: { main: ["knowledge", "code"] },
        settings: { ...settings, mcp: { deferred_loading: false } },
      });
      const overHttp = await gateway.client("main", era);
      const client = await gateway.client("main", era, { headers: { [RELAY_HEADER]: "1" } });
      const namesOf = async (one: typeof client) => (await one.listTools()).tools.map(({ name }) => name);
      const names = await namesOf(client);
      expect(names.filter((name) => READING.includes(name)).sort()).toEqual(READING);
      expect(names.filter((name) => WRITING.includes(name)).sort()).toEqual(isAllowed ? WRITING : []);
      if (isAllowed) expect(names).toEqual(await namesOf(overHttp));
      const put = { name: "memory_put", arguments: { key: "door", content: "It is green." } };
      const said = await client.callTool(put);
      expect(said.isError ?? false).toBe(!isAllowed);
      const got = await client.callTool({ name: "memory_get", arguments: { key: "door" } });
      expect(JSON.stringify(got).includes("It is green.")).toBe(isAllowed);
    }
  });
