import { describe, expect, it } from "vitest";
import type { TestLine } from "../../../../../src/surfaces/api/contract.ts";
import { mcpOverHttp, remoteServer } from "../../../../support/remote-server.ts";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../../../support/test-api.ts";
import { fixture } from "../../../../support/upstream.ts";

describe("a test that is streamed", () => {
  it("tells each step of a program as it begins, then the report", async () => {
    await using api = await testApi();
    const lines = await tested(api, "/api/mcp/servers/test?stream=true", fixture("echoes"));
    expect(lines.map((line) => ("step" in line ? line.step : line.report))).toMatchObject([
      "resolve",
      "handshake",
      "list",
      { ok: true, tool_count: 1, tools: ["echo"] },
    ]);
  });

  it("tells of an address when it has let us in", async () => {
    await using remote = await remoteServer(mcpOverHttp("stateless"));
    await using api = await testApi({ settings: { net: { allow_hosts: ["127.0.0.1"] } } });
    const lines = await tested(api, "/api/mcp/servers/test?stream=true", { url: remote.url });
    expect(steps(lines)).toEqual(["resolve", "authenticate", "handshake", "list"]);
    const at = lines.flatMap((line) => ("step" in line ? [line.at_ms] : []));
    expect(at).toEqual([...at].sort((a, b) => a - b));
  });

  it("stops at the step that fails", async () => {
    await using refusing = await remoteServer((_request, response) => response.writeHead(401).end());
    await using api = await testApi({ settings: { net: { allow_hosts: ["127.0.0.1"] } } });
    await api.request("POST", "/api/servers", { name: "closed", url: refusing.url, wait: true });
    const lines = await tested(api, "/api/servers/closed/test?stream=true");
    expect(steps(lines).at(-1)).toBe("authenticate");
    expect(lines.at(-1)).toMatchObject({ report: { ok: false } });
  });

  it("answers what is wrong before the first step as everywhere else", async () => {
    await using api = await testApi();
    expect(await api.request("POST", "/api/servers/none/test?stream=true")).toMatchObject({
      status: 404,
      body: { error: { code: "NOT_FOUND" } },
    });
    expect(await api.request("POST", "/api/mcp/servers/test?stream=true", { command: "" })).toMatchObject({
      status: 400,
    });
  });
});

async function tested(api: TestApi, url: string, payload: object = {}): Promise<TestLine[]> {
  const answer = await api.app.inject({
    method: "POST",
    url,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    payload,
  });
  expect(answer.headers["content-type"]).toContain("application/x-ndjson");
  return answer.body
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TestLine);
}

function steps(lines: readonly TestLine[]): string[] {
  return lines.flatMap((line) => ("step" in line ? [line.step] : []));
}
