import { expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

it("toolkeep secret sets, binds, shows and deletes secrets, and gives no value back", async () => {
  await using api = await testApi({ agents: { ada: ["ops"], bob: ["ops"] } });
  const run = async (...args: string[]) => {
    const { code, out, err } = await typed(api, ["secret", ...args], { read: async () => "canary-value\n" });
    expect(out + err).not.toContain("canary-value");
    return code === 0 ? out : err;
  };
  expect(await run("list")).toContain("No secrets yet.");
  expect(await run("set", "KEY", "--stdin")).toContain("No tool may use it");
  expect(await run("bind", "KEY", "--tool", "http_request", "--host", "api.example.com")).toMatch(
    /\{\{secret:KEY\}\}: http_request\n.*api\.example\.com\n.*Agents: all/,
  );
  expect(await run("bind", "KEY", "--agent", "ada")).toContain("Agents: ada");
  // A new value of a person keeps what they bound.
  expect(await run("set", "KEY", "--stdin", "--tool", "mcp:x:*")).toMatch(/mcp:x:\*\n.*api\.example\.com/);
  expect(await run("unbind", "KEY", "--agent", "ada", "--host", "api.example.com")).toMatch(/none\n.*none/);
  expect(await run("bind", "KEY", "--all-agents")).toContain("Agents: all");
  expect(await run("list")).toMatch(/KEY +value +a person .* mcp:x:\*/);
  expect(JSON.parse(await run("show", "KEY", "--json")).secret).toMatchObject({
    name: "KEY",
    source: "value",
  });
  expect(await run("set", "REF", "--from", "env:NOT_THERE")).toContain("REF  env,");
  expect(await run("set", "REF", "--from", "somewhere")).toContain(
    "env:NAME, file:/path or cmd:program args",
  );
  expect(await run("bind", "KEY", "--host", "https://x/")).toContain("is no host");
  expect(await run("bind", "KEY", "--agent", "zed")).toContain("zed");
  expect(await run("delete", "KEY", "--yes")).toBe("Deleted KEY.\n");
  expect(await run("show", "KEY")).toContain("there is no secret KEY");

  // What the person is shown is what the agent gets.
  const wish = { name: "ASKED", reason: "to post", tools: ["http_request"], hosts: ["api.example.com"] };
  const asked = api.call("prompt_secret", wish, "ada");
  let question: { id: string; prompt: string } | undefined;
  while (!question) [question] = (await api.request("GET", "/api/questions?state=pending")).body.questions;
  expect(question.prompt).toContain("ada may then use it with http_request, in calls to api.example.com.");
  await api.request("POST", `/api/questions/${question.id}/answer`, { answer: "canary-value" });
  expect((await asked).outcome).toBe("ok");
  expect(await run("show", "ASKED")).toMatch(/http_request\n.*api\.example\.com\n.*Agents: ada/);
  expect((await api.call("list_secrets", {}, "ada")).text).toContain("for http_request at api.example.com");
  expect((await api.call("list_secrets", {}, "bob")).text).toContain("not for your calls");
});
