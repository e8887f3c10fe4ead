import { describe, expect, it } from "vitest";
import { accessTables } from "../../../../support/access-tables.ts";
import { CLIENT, issuedTokens } from "../../../../support/issued-token.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

describe("toolkeep token", () => {
  it("list names the client of a token that it got in the browser, and revoke ends it for good", async () => {
    await using api = await testApi({ agents: { main: [] } });
    await api.hub.identity.createToken({ agent: "main", label: "laptop" });
    const { accessToken } = await issuedTokens(api.hub, "main");
    const { out } = await typed(api, ["token", "list"]);
    expect(out).toMatch(/main +…[\w-]* .* never .*laptop/);
    expect(out).toMatch(/LAST USED +ADDRESS +LABEL/);
    expect(out).toMatch(/ \/mcp +A client/);
    expect(out).toMatch(/renews until 20\d\d-.*A client \(client\.example\)/);

    const { out: json } = await typed(api, ["token", "list", "--json"]);
    const token = JSON.parse(json).tokens.find(({ client }: { client: unknown }) => client !== null);
    expect(token).toMatchObject({ client: CLIENT, scopes: ["mcp"], resource: "/mcp" });
    expect((await typed(api, ["token", "revoke", token.id, "--yes"])).code).toBe(0);
    expect(api.hub.identity.authenticate(accessToken)).toBe("unknown");
    expect(await accessTables(api.hub.store).consents.list()).toEqual([]);
  });

  it("create sets a limit of requests for one token", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const limited = ["token", "create", "--agent", "main", "--requests-per-minute"];
    expect((await typed(api, [...limited, "600"])).code).toBe(0);
    expect(api.hub.identity.tokens()).toMatchObject([{ requestsPerMinute: 600 }]);
    const { out } = await typed(api, ["token", "list"]);
    expect(out).toMatch(/LAST USED +LIMIT +LABEL/);
    expect(out).toContain("600/min");
    const wrong = await typed(api, [...limited, "many"]);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain("whole number");
  });
});
