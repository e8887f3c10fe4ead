import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cookieOf, enter, HOST } from "../../../../support/browser.ts";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

describe("toolkeep person", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await testApi();
  });
  afterAll(() => api[Symbol.asyncDispose]());
  const person = (...args: string[]) => typed(api, ["person", ...args]);

  it("adds somebody, whom a link lets in, and signs them out", async () => {
    const added = await person("add", "eve", "--role", "operator");
    expect(added.out).toContain("Next: toolkeep person link eve");
    expect((await person("sessions", "eve")).out).toBe("eve is not signed in anywhere.\n");
    const { out, err } = await person("link", "eve");
    expect(err).toContain("Anybody who opens this link is signed in as eve");
    const cookie = cookieOf(await enter(api.app, out.trim()));
    const asks = () => api.app.inject({ url: "/api/session", headers: { host: HOST, cookie } });
    expect((await asks()).json()).toMatchObject({ name: "eve", role: "operator" });
    expect((await person("list")).out).toMatch(
      /eve +operator +active +1 +.*\n *owner +admin +owner +0 +never/,
    );

    const session = /ses_\w+/.exec((await person("sessions", "eve")).out)?.[0];
    expect((await person("sign-out", "eve", session!, "--yes")).out).toBe(
      `Ended session ${session} of eve.\n`,
    );
    expect((await asks()).statusCode).toBe(401);
    expect((await person("sign-out", "eve", "--yes")).out).toBe("Ended 0 sessions of eve.\n");
  });

  it("changes what somebody may do, and removes them", async () => {
    expect((await person("edit", "eve", "--role", "viewer", "--rename", "eva")).out).toBe(
      "Changed eva: viewer.\n",
    );
    expect((await person("edit", "eva", "--disable")).out).toContain("sign-in blocked");
    const refused = await person("link", "eva");
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("eva --enable")]);
    expect((await person("edit", "eva", "--enable")).code).toBe(0);
    expect((await person("remove", "eva", "--yes")).code).toBe(0);
    expect((await person("remove", "eva", "--yes")).code).toBe(3);
  });

  it.each([
    ["a role that there is not", ["add", "zoe", "--role", "root"], 2, "the role must be one of"],
    ["a change of nothing", ["edit", "owner"], 2, "nothing to change; give"],
    [
      "both ways at once",
      ["edit", "owner", "--enable", "--disable"],
      2,
      "--enable and --disable are opposites",
    ],
    ["an owner without rights", ["edit", "owner", "--role", "viewer"], 2, "is always an admin"],
    ["a home without its owner", ["remove", "owner", "--yes"], 2, "cannot be removed"],
  ])("refuses %s", async (_what, args, code, message) => {
    const refused = await person(...(args as string[]));
    expect([refused.code, refused.err]).toEqual([code, expect.stringContaining(message as string)]);
  });

  it("token create gives an admin token a role, which its list shows", async () => {
    await typed(api, ["token", "create", "--admin", "--role", "viewer", "--label", "prometheus"]);
    expect((await typed(api, ["token", "list"])).out).toMatch(/\(viewer\) .*prometheus/);
    await api.hub.identity.createAgent("main");
    const refused = await typed(api, ["token", "create", "--agent", "main", "--role", "viewer"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("accepts no role")]);
  });
});
