import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAULTY } from "../faults/fresh-upstream.ts";
import { remoteServer } from "../support/remote-server.ts";
import { type Exchange, legacyHttp, said as saying } from "../support/servers/legacy-http.ts";
import { said, type TestUpstream, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

// One of each kind; `test/faults/` has them all.
describe("a server that misbehaves", () => {
  let up: TestUpstream;
  beforeAll(async () => {
    up = await testUpstream({ backoffMs: [1] });
    await up.upstream.add("faulty", { ...FAULTY, maxConcurrency: 1 });
    await up.upstream.settled();
  });
  afterAll(() => up[Symbol.asyncDispose]());

  const say = (raw: string) => up.call("mcp_faulty_say", { raw: Buffer.from(raw).toString("base64") });
  const isWell = async () => {
    const result = await up.call("mcp_faulty_echo", { x: 1 });
    return result.kind === "output" && said(result) === '{"x":1}';
  };

  test("and prints what is no message, floods or answers nothing is heard all the same", async () => {
    const answer = { jsonrpc: "2.0", id: "ID", result: saying("right") };
    const right = JSON.stringify(answer).replace('"ID"', "ID");
    for (const before of ["no JSON", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":99999,"result":{}}', "[]"])
      expect(said(await say(`${before}\n${right}`))).toBe("right");
    const flood = await up.call("mcp_faulty_flood", { kind: "questions to a person", times: 200 });
    expect(said(flood)).toBe("flooded 200 times");
  });

  test("and does not answer a call has room for the next once that is given up", async () => {
    const stop = new AbortController();
    const hanging = up.call("mcp_faulty_hang", {}, { signal: stop.signal, caller: { agentId: "agt_ann" } });
    const waiting = Array.from({ length: 3 }, () => up.call("mcp_faulty_echo", {}));
    stop.abort();
    expect(await hanging).toMatchObject({ kind: "failed" });
    for (const result of await Promise.all(waiting)) expect(result).toMatchObject({ kind: "output" });
  });

  test("and sends a message that is too long, or dies, ends its call with the reason and is started again", async () => {
    expect(await up.call("mcp_faulty_line", { bytes: 5 * 1024 * 1024 })).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("it sent a message of more than 4194304 bytes"),
    });
    await waitUntil("it is well again", isWell);
    expect(await up.call("mcp_faulty_die", { moment: "before the answer" })).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("exit code 7"),
    });
    await waitUntil("it is well once more", isWell);
  });

  test.each([
    ["safe", "plain", 1],
    ["safe", "reads", 2],
    ["once", "plain", 2],
    ["never", "reads", 1],
  ] as const)(
    "and loses a call gets it again only where that is allowed: %s, %s",
    async (retry, tool, times) => {
      let received = 0;
      const answer = ({ response }: Exchange) => {
        received += 1;
        if (received > 1) return saying("done");
        response.destroy();
      };
      const tools = [{ name: "plain" }, { name: "reads", annotations: { readOnlyHint: true } }];
      await using remote = await remoteServer(legacyHttp(tools, { "tools/call": answer }));
      await up.upstream.add(`${retry} ${tool}`, { url: remote.url, retry, trusted: true });
      await up.upstream.settled();
      const { kind } = await up.call(`mcp_${retry}_${tool}_${tool}`);
      expect([kind, received]).toEqual([times === 1 ? "unavailable" : "output", times]);
      await up.upstream.remove(`${retry} ${tool}`);
    },
  );
});
