import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../support/temp-home.ts";
import { type Era, type TestGateway, testClient, testGateway } from "../../support/test-gateway.ts";

const FILES = { older: "asking.mjs", newer: "asking-modern.mjs" } as const;

/** The client was asked and has not answered; `answer` lets it, and `ended` is how its call ends for it. */
interface Asked {
  readonly ended: Promise<string>;
  answer(): void;
}

async function asked(
  gateway: TestGateway,
  era: Era,
  call: { name: string; arguments: object },
): Promise<Asked> {
  const client = testClient(era, undefined, { capabilities: { elicitation: { form: {} } } });
  const requestInit = { headers: { authorization: `Bearer ${await gateway.token("asker")}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }));
  let answer = () => {};
  const question = new Promise<void>((isAsked) => {
    client.setRequestHandler("elicitation/create", async () => {
      isAsked();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { action: "accept", content: { answer: "sunny" } };
    });
  });
  const ended = client
    .callTool({ ...call, arguments: { ...call.arguments } })
    .then(JSON.stringify, String)
    .finally(() => client.close());
  await question;
  return { ended, answer: () => answer() };
}

describe("a call that asked its client something before the daemon was restarted", () => {
  it.each([
    ["legacy", "older", /the session ended before this was answered; it may have run/, "asked"],
    ["legacy", "newer", /the session ended before this was answered; it may have run/, "asked"],
    ["modern", "older", /Make the call again without requestState.*"isError":true/, "asked"],
    // Its server gave away what it needs to go on, so nothing is lost.
    ["modern", "newer", /sunny/, "asked answered"],
  ] as const)("ends for its client, and runs once: %s client, %s server", async (era, name, said, ran) => {
    await using folder = await tempHome();
    const home = folder.path;
    const args = [join(import.meta.dirname, "../../support/servers", FILES[name])];
    const servers = { [name]: { command: process.execPath, args, trusted: true } };
    const first = await testGateway({
      home,
      servers,
      toolboxes: { all_of_it: ["mcp:*"] },
      agents: { asker: ["all_of_it"] },
    });
    await first.hub.upstream.test(name);
    const receipts = join(home, "receipts");
    const call = await asked(first, era, {
      name: `mcp_${name}_ask`,
      arguments: { kind: "elicitation", about: "the weather", receipts },
    });
    await first[Symbol.asyncDispose]();
    await using _second = await testGateway({ home, servers, port: Number(new URL(first.url).port) });
    call.answer();
    expect(await call.ended).toMatch(said);
    expect((await readFile(receipts, "utf8")).split("\n").join(" ").trim()).toBe(ran);
  });
});
