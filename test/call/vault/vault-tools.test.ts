import { describe, expect, test } from "vitest";
import { ok } from "../../../src/lib/result.ts";
import { callTables } from "../../support/call-tables.ts";
import { type TestHub, type TestHubSetup, testHub } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const CANARY = "canary-3f81aa07";

/** `ops` has the built-in toolbox of the same name, as has `rival`; `plain` has the floor. */
function vaultHub(setup: TestHubSetup = {}): Promise<TestHub> {
  return testHub({ agents: { ops: ["ops"], rival: ["ops"], plain: [] }, ...setup });
}

async function answer(it: TestHub, word: string): Promise<string> {
  const [question] = await it.hub.questions.list({ state: "pending" });
  await it.hub.questions.answer(question!.id, word);
  return question!.prompt;
}

describe("the tools of the vault", () => {
  test("are given by toolboxes only, and say what they do", async () => {
    await using it = await vaultHub();
    expect(await it.call("list_secrets", {}, "plain")).toMatchObject({ outcome: "not_granted" });
    const flags = (name: string) => it.hub.catalog.get(name)?.flags;
    expect(flags("list_secrets")).toEqual({ readOnly: true, concurrencySafe: true, destructive: false });
    expect(flags("redact_text")).toEqual({ readOnly: true, concurrencySafe: true, destructive: false });
    expect(flags("set_secret")).toEqual({ readOnly: false, concurrencySafe: false, destructive: true });
    expect(flags("delete_secret")).toEqual({ readOnly: false, concurrencySafe: false, destructive: true });
  });
});

describe("set_secret", () => {
  test("stores a value that nothing shows again, not even what was sent wrongly", async () => {
    await using it = await vaultHub();
    const shown = [
      await it.call("set_secret", { name: "DEPLOY_KEY", value: CANARY }, "ops"),
      await it.call("set_secret", { name: "DEPLOY_KEY", value: [CANARY] }, "ops"),
      await it.call("set_secret", { name: CANARY, value: "x" }, "ops"),
      await it.call("set_secret", CANARY, "ops"),
      await it.call("list_secrets", {}, "ops"),
    ];
    expect(shown.map(({ outcome }) => outcome)).toEqual([
      "ok",
      "invalid_arguments",
      "invalid_arguments",
      "invalid_arguments",
      "ok",
    ]);
    expect(JSON.stringify(shown)).not.toContain(CANARY);
    expect(shown[4]?.text).toMatch(/^DEPLOY_KEY \(set by ops, /);
    expect(await it.hub.vault.read("DEPLOY_KEY")).toEqual(ok(CANARY));
    await waitUntil(
      "all calls are in the audit",
      async () => (await callTables(it.hub.store).calls.list({ limit: 10 })).length === shown.length,
    );
    const rows = JSON.stringify(await it.hub.store.dump());
    expect(rows).toContain("DEPLOY_KEY");
    expect(rows).not.toContain(CANARY);
  });

  test("keeps the value out of the audit where the call is refused or given up before it begins", async () => {
    await using it = await vaultHub();
    const args = { name: "DEPLOY_KEY", value: CANARY };
    const given = { caller: it.caller("ops"), via: "library", arguments: args } as const;
    const ended = [
      await it.call("set_secret", args, "plain"),
      await it.call("set-secret", args, "plain"),
      await it.hub.callTool({ ...given, name: "set_secret", signal: AbortSignal.abort() }),
    ];
    expect(ended.map(({ outcome }) => outcome)).toEqual(["not_granted", "not_granted", "cancelled"]);
    await waitUntil(
      "all calls are in the audit",
      async () => (await callTables(it.hub.store).calls.list({ limit: 10 })).length === ended.length,
    );
    const rows = JSON.stringify(await it.hub.store.dump());
    expect(rows).toContain("DEPLOY_KEY");
    expect(rows).not.toContain(CANARY);
  });

  test("lets an agent replace what it set itself", async () => {
    await using it = await vaultHub();
    await it.call("set_secret", { name: "MINE", value: "first value" }, "ops");
    const second = await it.call("set_secret", { name: "MINE", value: "second value" }, "ops");
    expect(second).toMatchObject({ outcome: "ok", structured: { name: "MINE", replaced: true } });
    expect(await it.hub.vault.read("MINE")).toEqual(ok("second value"));
  });

  test("asks a person before it replaces what a person or another agent set, and takes their word once", async () => {
    await using it = await vaultHub();
    await it.hub.vault.put("THEIRS", "of a person");
    await it.call("set_secret", { name: "OPS", value: "of ops ops" }, "ops");
    const replace = (name: string) => it.call("set_secret", { name, value: CANARY }, "rival");

    expect((await replace("THEIRS")).outcome).toBe("needs_input");
    expect(await answer(it, "reject")).toContain("which a person set");
    expect((await replace("THEIRS")).outcome).toBe("failed");
    // What was rejected stays so for a while; another value is another question.
    expect((await replace("THEIRS")).outcome).toBe("failed");
    await it.hub.vault.put("THEIRS", "of a person again");
    expect((await replace("THEIRS")).outcome).toBe("needs_input");
    await answer(it, "once");
    expect((await replace("THEIRS")).outcome).toBe("ok");
    expect(await it.hub.vault.read("THEIRS")).toEqual(ok(CANARY));
    expect(it.hub.vault.list().find(({ name }) => name === "THEIRS")?.setBy).toBe(
      it.hub.identity.agent("rival").id,
    );

    expect((await replace("OPS")).outcome).toBe("needs_input");
    expect(await answer(it, "reject")).toContain("which ops set");
    expect(JSON.stringify(await it.hub.questions.list())).not.toContain(CANARY);
  });

  test("a yes for one value of a secret does not count after somebody changed it", async () => {
    await using it = await vaultHub();
    await it.hub.vault.put("THEIRS", "of a person");
    const replace = () => it.call("set_secret", { name: "THEIRS", value: "by the agent" }, "ops");
    await replace();
    await answer(it, "once");
    await waitUntil("the clock has moved", async () => {
      await it.hub.vault.put("THEIRS", "a newer one");
      const [secret] = it.hub.vault.list();
      return secret !== undefined && secret.updatedAt > secret.createdAt;
    });
    expect((await replace()).outcome).toBe("needs_input");
    expect(await it.hub.vault.read("THEIRS")).toEqual(ok("a newer one"));
  });

  test("refuses a value too short to be kept out of outputs, and more than a hundred of one agent", async () => {
    await using it = await vaultHub();
    expect((await it.call("set_secret", { name: "PIN", value: "12345" }, "ops")).outcome).toBe(
      "invalid_arguments",
    );
    const { id } = it.hub.identity.agent("ops");
    for (let index = 0; index < 100; index++)
      await it.hub.vault.put(`S${index}`, `value ${index}`, { setBy: id });
    expect(await it.call("set_secret", { name: "MORE", value: "one more value" }, "ops")).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringContaining("100 secrets already") },
    });
    expect((await it.call("set_secret", { name: "S1", value: "another value" }, "ops")).outcome).toBe("ok");
  });

  test("of the person at the command line asks nobody and is the person's", async () => {
    await using it = await vaultHub();
    await it.call("set_secret", { name: "OPS", value: "of ops ops" }, "ops");
    expect((await it.call("set_secret", { name: "OPS", value: "of a person" })).outcome).toBe("ok");
    expect(it.hub.vault.list()).toMatchObject([{ name: "OPS", setBy: null }]);
  });
});

describe("delete_secret", () => {
  test("deletes what the agent set, asks about the rest and says when there is none", async () => {
    await using it = await vaultHub();
    await it.hub.vault.put("THEIRS", "of a person");
    await it.call("set_secret", { name: "MINE", value: "of the agent" }, "ops");
    const remove = (name: string) => it.call("delete_secret", { name }, "ops");
    expect((await remove("MINE")).outcome).toBe("ok");
    expect((await remove("MINE")).error?.message).toContain("There is no secret MINE");
    expect((await remove("THEIRS")).outcome).toBe("needs_input");
    expect(it.hub.vault.names()).toEqual(["THEIRS"]);
    expect(await answer(it, "once")).toContain("delete the secret THEIRS");
    expect((await remove("THEIRS")).outcome).toBe("ok");
    expect(it.hub.vault.names()).toEqual([]);
  });
});

describe("list_secrets", () => {
  test("lists page by page, sorted", async () => {
    await using it = await vaultHub();
    expect((await it.call("list_secrets", {}, "ops")).text).toContain("The vault is empty");
    for (const name of ["C", "A", "B"]) await it.hub.vault.put(name, `value of ${name}`);
    const page = await it.call("list_secrets", { limit: 2 }, "ops");
    expect(page.structured).toMatchObject({ secrets: [{ name: "A" }, { name: "B" }], next_offset: 2 });
    expect((await it.call("list_secrets", { offset: 2 }, "ops")).structured).toMatchObject({
      secrets: [{ name: "C", set_by: "a person" }],
      total: 3,
    });
  });
});

describe("redact_text", () => {
  test("takes out what the vault knows and what looks like a credential, and records neither", async () => {
    await using it = await vaultHub();
    await it.hub.vault.put("KNOWN", CANARY);
    const unknown = `ghp_${"a1B2".repeat(9)}`;
    const text = `a ${CANARY} b ${unknown} c https://me:hunter22@x.example/ d`;
    const result = await it.call("redact_text", { text }, "ops");
    expect(result.text).toBe(
      "a [redacted] b [redacted github_token] c https://me:[redacted url_password]@x.example/ d",
    );
    expect(result.structured).toMatchObject({
      changed: true,
      known_secrets: true,
      credentials: { github_token: 1, url_password: 1 },
    });
    const untouched = await it.call("redact_text", { text: "nothing here" }, "ops");
    expect(untouched.structured).toMatchObject({ text: "nothing here", changed: false, credentials: {} });
    await waitUntil(
      "both calls are in the audit",
      async () => (await callTables(it.hub.store).calls.list({ limit: 10 })).length === 2,
    );
    const rows = JSON.stringify(await it.hub.store.dump());
    expect(rows).not.toContain(unknown);
    expect(rows).not.toContain("hunter22");
  });
});
