import { describe, expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

describe("toolkeep agent", () => {
  it("grants single tools and revokes them", async () => {
    await using api = await testApi({ agents: { worker: [] } });
    await typed(api, ["agent", "edit", "worker", "--grant", "create_toolbox", "--grant", "mcp:fs:*"]);
    expect(api.hub.identity.agent("worker").grants).toEqual(["create_toolbox", "mcp:fs:*"]);
    const shown = await typed(api, ["agent", "show", "worker"]);
    expect(shown.out).toMatch(/create_toolbox +grant +active/);
    expect(shown.out).toContain("Matches no tools yet: mcp:fs:*");
    await typed(api, ["agent", "edit", "worker", "--revoke", "create_toolbox"]);
    expect((await typed(api, ["agent", "show", "worker"])).out).not.toMatch(/create_toolbox +grant/);
  });

  it("says how many tools are listed and how many are found by search, and takes seats and gives them back", async () => {
    await using api = await testApi({ agents: { worker: [] }, settings: { deferred_loading: "auto" } });
    const edit = async (...args: string[]) => (await typed(api, ["agent", "edit", "worker", ...args])).out;
    const show = async () => (await typed(api, ["agent", "show", "worker"])).out;
    const count = (text: string) => /(\d+) listed, (\d+) found by search/.exec(text)!.slice(1).map(Number);
    const [floor, none] = count(await edit("--grant", "web_search"));
    expect(none).toBe(0);
    const [listed, found] = count(await edit("--toolbox", "all"));
    expect([listed, found! > 20]).toEqual([floor, true]);
    expect(count(await show())).toEqual([listed, found]);
    await edit("--local-model", "--coordinator");
    expect(api.hub.identity.agent("worker")).toMatchObject({ localModel: true, coordinator: true });
    expect(await show()).toMatch(/local model: +yes\ncoordinator: +yes/);
    await edit("--no-local-model", "--no-coordinator");
    expect(api.hub.identity.agent("worker")).toMatchObject({ localModel: false, coordinator: false });
  });

  it("pins tools and names the model, shows both and takes them back", async () => {
    await using api = await testApi({ agents: { worker: [] } });
    const edited = await typed(api, [
      "agent",
      "edit",
      "worker",
      "--pin",
      "think",
      "--pin",
      "nosuch",
      "--model",
      "gpt-5",
    ]);
    expect(edited.out).toContain("Unknown tools (kept in case they appear): pin nosuch");
    expect(api.hub.identity.agent("worker")).toMatchObject({ pins: ["think", "nosuch"], model: "gpt-5" });
    expect((await typed(api, ["agent", "show", "worker"])).out).toMatch(
      /pins: +think, nosuch\nmodel: +gpt-5\n/,
    );
    await typed(api, ["agent", "edit", "worker", "--unpin", "nosuch", "--clear", "model"]);
    expect(api.hub.identity.agent("worker")).toMatchObject({ pins: ["think"], model: null });
    await typed(api, ["agent", "edit", "worker", "--clear", "pins"]);
    expect(api.hub.identity.agent("worker").pins).toEqual([]);
  });

  it("shows what is not available yet of what an agent was given", async () => {
    await using api = await testApi({ agents: { mailer: ["email"], bare: [] } });
    expect((await typed(api, ["agent", "show", "mailer"])).out).toContain(
      "Not available yet: download_email_attachment, list_email_accounts, list_emails, read_email, search_emails, send_email\n",
    );
    expect((await typed(api, ["agent", "show", "bare"])).out).not.toContain("Not available yet");
  });

  it("creates a scout: read-only tools, of the toolbox scout where nothing else is said, and nobody below it", async () => {
    await using api = await testApi({ agents: { lead: ["all"] } });
    await typed(api, ["agent", "create", "looker", "--parent", "lead", "--scout"]);
    const { body } = await api.request("GET", "/api/agents/looker/tools");
    const tools = body.tools as { name: string; flags: { readOnly: boolean }; availability: string }[];
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["grep", "list_directory", "read_file", "think"]),
    );
    expect(tools.filter(({ flags, availability }) => !flags.readOnly || availability === "main")).toEqual([]);
    expect((await typed(api, ["agent", "show", "looker"])).out).toMatch(/context: +scout\n/);
    const below = await typed(api, ["agent", "create", "deeper", "--parent", "looker"]);
    expect([below.code, below.err]).toEqual([2, expect.stringContaining("a scout has no sub-agents")]);
    const orphan = await typed(api, ["agent", "create", "lost", "--scout"]);
    expect([orphan.code, orphan.err]).toEqual([
      2,
      expect.stringContaining("a scout works for another agent"),
    ]);
  });

  it("gives a scout nothing that writes, whatever it is granted", async () => {
    await using api = await testApi({ agents: { lead: [] } });
    const more = ["--toolbox", "all", "--toolbox", "configurator", "--grant", "write_file"];
    await typed(api, ["agent", "create", "looker", "--parent", "lead", "--scout", ...more]);
    for (const name of ["write_file", "run_shell", "create_toolbox", "report_to_parent"]) {
      const call = await typed(api, ["call", name, "{}", "--agent", "looker"]);
      expect([name, call.code, call.err]).toEqual([name, 4, expect.stringContaining("not granted")]);
    }
    expect((await typed(api, ["call", "list_directory", "--agent", "looker"])).code).toBe(0);
  });
});

describe("a grant that the agent's context keeps from it", () => {
  it("is reported where it is given and wherever the agent is shown", async () => {
    await using api = await testApi({ agents: { lead: [] } });
    const note = "No effect (not available to a sub-agent, or denied by a rule): create_toolbox\n";
    const given = [
      "--grant",
      "create_toolbox",
      "--grant",
      "recall",
      "--grant",
      "nosuch",
      "--grant",
      "mcp:x:*",
    ];
    const made = await typed(api, ["agent", "create", "helper", "--parent", "lead", ...given]);
    expect(made.out).toContain(note);
    expect((await typed(api, ["agent", "edit", "helper", "--grant", "grep"])).out).toContain(note);
    expect((await typed(api, ["agent", "show", "helper"])).out).toContain(note);
    const lead = await typed(api, ["agent", "edit", "lead", "--grant", "create_toolbox"]);
    expect(lead.out).not.toContain("No effect");
  });
});

describe("toolkeep question", () => {
  it("answers a wish for tools, each with grant or refuse", async () => {
    await using api = await testApi({ agents: { asker: [] } });
    const ask = [
      "call",
      "request_tool_access",
      '{"tools":["list_toolboxes","create_toolbox"],"reason":"to tidy"}',
    ];
    await typed(api, [...ask, "--agent", "asker"]);
    const listed = await typed(api, ["question", "list"], { columns: 40 });
    expect(listed.out).toMatch(
      /asker, access, pending, .+\n {2}May asker have the tool list_toolboxes\? It says: "to tidy"\n/,
    );
    expect(listed.out).toMatch(/Answer: toolkeep question answer qst_\w+ grant \| refuse\n/);
    const [first, second] = await api.hub.questions.list({ state: "pending" });
    expect((await typed(api, ["question", "answer", first!.id, "yes"])).err).toContain(
      'one of "grant", "refuse"',
    );
    expect((await typed(api, ["question", "answer", first!.id, "grant"])).code).toBe(0);
    expect(
      (await api.request("POST", `/api/questions/${second!.id}/answer`, { answer: "refuse" })).status,
    ).toBe(200);
    expect(api.hub.identity.agent("asker").grants).toEqual(["list_toolboxes"]);
  });

  it("shows of an approval the arguments, all of them however narrow the terminal is", async () => {
    const rules = [{ permission: "run_shell", action: "ask" }] as const;
    await using api = await testApi({ agents: { asker: ["all"] }, rules });
    const command = `rm -r ${"folder ".repeat(40)}everything`;
    await typed(api, ["call", "run_shell", `command=${command}`, "--agent", "asker"]);
    const { out } = await typed(api, ["question", "list"], { columns: 40 });
    expect(out).toContain(command);
    expect(out).toMatch(/answer qst_\w+ once \| conversation \| always \| reject\n/);
  });
});

describe("toolkeep notification", () => {
  it("shows all of each, however narrow the terminal is, and how to put one away", async () => {
    await using api = await testApi({ agents: { teller: [] } });
    await typed(api, ["call", "notify", "title=Done", `body=${"word ".repeat(40)}`, "--agent", "teller"]);
    const { out } = await typed(api, ["notification", "list"], { columns: 40 });
    expect(out).toContain(`Done: ${"word ".repeat(40).trim()}`);
    expect(out).toContain("toolkeep notification dismiss ID");
  });
});
