import { describe, expect, it } from "vitest";
import { taskStores } from "../../../../support/task-stores.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

describe("toolkeep task", () => {
  it("shows what was asked for, by whom, and what became of it", async () => {
    await using api = await testApi({ agents: { main: [] } });
    await api.hub.identity.createAgent("helper", { parent: "main" });
    await typed(api, ["task", "create", "look around", "--agent", "helper", "--instructions", "everywhere"]);
    const [task] = await taskStores(api.hub.store).tasks.list();
    const id = task!.id;

    expect((await typed(api, ["task", "list"])).out).toMatch(/helper +open +a person/);
    expect((await typed(api, ["task", "show", id])).out).toMatch(/instructions: +everywhere/);
    const cancelled = await typed(api, ["task", "cancel", id, "--reason", "found it"]);
    expect(cancelled.out).toBe(`Cancelled task ${id} of helper.\n`);
    expect((await typed(api, ["task", "show", id])).out).toMatch(/note: +found it/);
    expect(await typed(api, ["task", "cancel", id])).toMatchObject({
      code: 2,
      err: expect.stringContaining("only an unfinished task can be cancelled"),
    });
  });
});
