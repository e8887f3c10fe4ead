import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RuleRecord } from "../../../src/call/rules/contract.ts";
import { CONVERSATION_RULE_MS, RuleBook } from "../../../src/call/rules/rule-book.ts";
import { Decider } from "../../../src/call/rules/watchdog.ts";
import { randomId } from "../../../src/lib/id.ts";
import { agent } from "../../machine/db/records.ts";
import { accessTables } from "../../support/access-tables.ts";
import { ruleDeps } from "../../support/rule-deps.ts";
import { tempStore } from "../../support/temp-store.ts";
import { testCaller, testTool } from "../../support/tools.ts";
import { trustStores } from "../../support/trust-stores.ts";

const tool = testTool({ name: "it" });
const ada = testCaller({ agentId: "agt_ada", agentName: "ada" });
const bob = testCaller({ agentId: "agt_bob", agentName: "bob", parentId: "agt_ada" });
const by = { createdBy: "operator" };

let temp: Awaited<ReturnType<typeof tempStore>>;
let now = 1_000;
let book: RuleBook;
let decider: Decider;

beforeAll(async () => {
  temp = await tempStore();
  for (const name of ["ada", "bob"]) await accessTables(temp.store).agents.create(agent(name));
});
afterAll(() => temp[Symbol.asyncDispose]());

const openBook = () =>
  RuleBook.open({
    store: trustStores(temp.store).rules,
    parentOf: (id) => (id === "agt_bob" ? "agt_ada" : null),
    clock: () => now,
    newId: randomId,
  });

beforeEach(async () => {
  for (const { id } of await trustStores(temp.store).rules.list())
    await trustStores(temp.store).rules.delete(id);
  now = 1_000;
  book = await openBook();
  decider = new Decider({ ...ruleDeps(temp.store), labelsOf: () => new Set(), book });
});

describe("stored rules", () => {
  it("count at once, for whom they are, and are there after a restart", async () => {
    await book.add({ permission: "it", action: "ask", ...by });
    await book.add({ permission: "it", action: "deny", agentId: "agt_ada", note: "not she", ...by });
    expect(decider.decide(tool, testCaller()).action).toBe("ask");
    expect(decider.decide(tool, ada).action).toBe("deny");
    expect(decider.isHidden(tool, ada)).toBe(true);
    expect(decider.isHidden(tool, testCaller())).toBe(false);
    expect((await openBook()).list()).toEqual(book.list());
  });

  it("are named by their id in what is decided", async () => {
    const { id } = await book.add({ permission: "it", action: "allow", ...by });
    expect(decider.decide(tool, ada)).toEqual({
      action: "allow",
      rule: `user (${id}): it → allow`,
      ruleId: id,
    });
  });

  it("that tighten hold for sub-agents too, those that loosen do not", async () => {
    await book.add({ permission: "it", action: "ask", ...by });
    const loose = await book.add({ permission: "it", action: "allow", agentId: "agt_ada", ...by });
    expect(decider.decide(tool, ada).action).toBe("allow");
    expect(decider.decide(tool, bob).action).toBe("ask");
    await book.replace(loose.id, { permission: "it", action: "deny" });
    expect(decider.decide(tool, bob).action).toBe("deny");
  });

  it("of a conversation are over after a day, and hold in no other", async () => {
    await book.add({ permission: "it", action: "deny", ...by });
    const whose = { agentId: "agt_ada", conversation: ada.conversation };
    const { expiresAt } = await book.add({ permission: "it", action: "allow", ...whose, ...by });
    expect(expiresAt).toBe(now + CONVERSATION_RULE_MS);
    expect(decider.decide(tool, ada).action).toBe("allow");
    expect(decider.decide(tool, { ...ada, conversation: "other" }).action).toBe("deny");
    expect(decider.decide(tool, { ...bob, conversation: ada.conversation }).action).toBe("deny");
    now += CONVERSATION_RULE_MS;
    expect(decider.decide(tool, ada).action).toBe("deny");
    expect(book.list()).toHaveLength(1);
    await expect(trustStores(temp.store).rules.prune(now + 1, 10)).resolves.toBe(1);
  });

  it("that expire notify listeners, even where nobody calls anything", async () => {
    await book.add({ permission: "it", action: "deny", expiresAt: now + 60_000, ...by });
    await book.add({ permission: "it", action: "ask", expiresAt: now + 120_000, ...by });
    const told = new Promise<boolean>((resolve) => book.onChange(() => resolve(decider.isHidden(tool, ada))));
    now += 60_000;
    // The timer uses the real clock: whoever asks first removes expired rules.
    expect(decider.isHidden(tool, ada)).toBe(false);
    await expect(told).resolves.toBe(false);
    book.close();
  });

  it("that expire are announced by their own timer", async () => {
    const open = {
      store: trustStores(temp.store).rules,
      parentOf: () => null,
      clock: Date.now,
      newId: randomId,
    };
    const real = await RuleBook.open(open);
    const over = new Promise<void>((resolve) => {
      real.onChange(() => real.shared.length === 0 && resolve());
    });
    await real.add({ permission: "it", action: "deny", expiresAt: Date.now() + 50, ...by });
    await over;
    real.close();
  });

  it("are not changed by trying others out", async () => {
    let isSandboxed = false;
    const settings = { rules: [], defaultRules: true, trust: { allowHosts: [] } };
    const deps = { ...ruleDeps(temp.store), settings, labelsOf: () => new Set<string>(), book };
    let changed = () => {};
    const onShellSandbox = (listener: () => void) => {
      changed = listener;
    };
    const own = new Decider({ ...deps, isShellSandboxed: () => isSandboxed, onShellSandbox });
    const shell = testTool({ name: "run_shell", capabilities: ["shell"] });
    expect(own.decide(shell, ada).action).toBe("ask");
    isSandboxed = true;
    changed();
    own.suppose({});
    expect(own.decide(shell, ada).action).toBe("allow");
  });

  it("that are replaced keep their id and whose they are; removed ones are gone", async () => {
    const { id } = await book.add({
      permission: "it",
      action: "deny",
      pattern: "a",
      agentId: "agt_ada",
      ...by,
    });
    const replaced = await book.replace(id, { permission: "it", action: "ask", note: "rather" });
    expect(replaced).toMatchObject({ id, agentId: "agt_ada", pattern: null, action: "ask", note: "rather" });
    await book.remove(id);
    expect(decider.decide(tool, ada).action).toBe("allow");
    await expect(book.remove(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("are not more than there is room for", async () => {
    const record = (index: number): RuleRecord => ({
      id: `rul_${index}`,
      ...{ agentId: "agt_ada", conversation: "c", permission: "it", pattern: null, action: "ask" as const },
      ...{
        final: false,
        after: null,
        note: "",
        createdBy: "operator",
        createdAt: 1,
        expiresAt: null,
        questionId: null,
      },
    });
    for (let index = 0; index < 100; index++) await trustStores(temp.store).rules.create(record(index));
    await book.reload();
    const more = { permission: "it", action: "ask", ...by } as const;
    await expect(book.add({ ...more, agentId: "agt_ada", conversation: "c" })).rejects.toMatchObject({
      code: "TOO_MANY",
    });
    await expect(book.add({ ...more, agentId: "agt_ada" })).resolves.toMatchObject({ conversation: null });
    await expect(book.add({ ...more, conversation: "c" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});
