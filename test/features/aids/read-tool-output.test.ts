import { describe, expect, it } from "vitest";
import { OUTPUT_KEPT_MS } from "../../../src/call/executor/finish.ts";
import { callTables } from "../../support/call-tables.ts";
import { type TestNative, testNative, textOf } from "../../support/native.ts";

const CALLER = { agentId: "agt_test", conversation: "conv", labels: [] };

async function keep(t: TestNative, text: string, createdAt = Date.now()): Promise<string> {
  const id = `out_${createdAt}_${text.length}`;
  const bytes = Buffer.byteLength(text);
  await callTables(t.store).outputs.create({ id, ...CALLER, chars: text.length, bytes, createdAt }, text);
  return id;
}

describe("read_tool_output", () => {
  it("gives the whole in parts that add up, and says where to go on", async () => {
    await using t = await testNative();
    // Over several pieces of the store, with characters of one, two and four bytes.
    const whole = Array.from({ length: 12_000 }, (_, at) => `${at} é 😀\n`).join("");
    const id = await keep(t, whole);
    let [read, offset]: [string, number | undefined] = ["", 0];
    while (offset !== undefined) {
      const said = textOf(await t.call("read_tool_output", { id, offset }));
      const [, from, end, next] = /^\[out_\S+: characters (\d+) to (\d+) of \d+; (.+)\]\n/.exec(said) ?? [];
      expect(Number(from)).toBe(offset);
      read += said.slice(said.indexOf("]\n") + 2);
      offset = next === "end of output" ? undefined : Number(end);
      if (offset !== undefined) expect(next).toBe(`continue with offset=${offset}`);
    }
    expect(read === whole).toBe(true);
  });

  it("gives no more than was asked for, and parts no character", async () => {
    await using t = await testNative();
    const id = await keep(t, "ab😀cd");
    const part = async (offset: number, limit: number) =>
      textOf(await t.call("read_tool_output", { id, offset, limit })).split("\n")[1];
    expect(await part(0, 2)).toBe("ab");
    expect(await part(0, 3)).toBe("ab");
    expect(await part(3, 1)).toBe("😀");
    expect(await part(4, 10)).toBe("cd");
  });

  it("is for the agent whose call it was, and for people", async () => {
    await using t = await testNative();
    const id = await keep(t, "mine");
    const other = await t.call("read_tool_output", { id }, { caller: { agentId: "agt_other" } });
    const never = await t.call("read_tool_output", { id: "out_never" });
    expect(other.kind).toBe("failed");
    expect(textOf(other).replace(id, "")).toBe(textOf(never).replace("out_never", ""));
    const person = await t.call(
      "read_tool_output",
      { id },
      { caller: { operator: true, agentId: "operator" } },
    );
    expect(textOf(person)).toContain("mine");
  });

  it("knows nothing older than a day, whether or not it was removed already", async () => {
    await using t = await testNative();
    const id = await keep(t, "old", Date.now() - OUTPUT_KEPT_MS - 1_000);
    const result = await t.call("read_tool_output", { id });
    expect([result.kind, textOf(result)]).toEqual(["failed", expect.stringContaining("older than 24 hours")]);
  });

  it("refuses a place behind the end", async () => {
    await using t = await testNative();
    const id = await keep(t, "short");
    expect(textOf(await t.call("read_tool_output", { id, offset: 5 }))).toContain("Give an offset below 5.");
  });
});
