import { expect, it } from "vitest";
import { testApi } from "../../support/test-api.ts";

it("an operator neither replaces nor deletes a secret that an admin set, by whichever way", async () => {
  await using api = await testApi();
  await api.request("PUT", "/api/secrets/PROD_KEY", { value: "a-value", tools: ["http_request"] });
  const { token } = (await api.request("POST", "/api/tokens", { role: "operator", label: "op" })).body;
  const call = async (name: string, args: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const payload = { name, arguments: { name: "PROD_KEY", ...args } };
    const { body } = await api.app.inject({ method: "POST", url: "/api/call", headers, payload });
    return JSON.parse(body);
  };
  for (const [name, args] of [
    ["set_secret", { value: "another-value" }],
    ["delete_secret", {}],
  ] as const) {
    const { outcome, error } = await call(name, args);
    expect([outcome, error.message]).toEqual(["failed", "Only an admin may do this."]);
  }
  expect(api.hub.vault.list().map((secret) => secret.name)).toEqual(["PROD_KEY"]);
});
