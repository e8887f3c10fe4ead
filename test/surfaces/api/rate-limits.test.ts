import { describe, expect, it } from "vitest";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../support/test-api.ts";

const get = (api: TestApi, token: string) =>
  api.app.inject({ url: "/api/agents", headers: { authorization: `Bearer ${token}` } });

describe("rate limits of the API", () => {
  it("turn a token away with 429 and how long to wait, and no other", async () => {
    await using api = await testApi({ settings: { rate_limits: { requests_per_minute: 2 } } });
    const { token } = await api.hub.identity.createToken({});
    const { token: other } = await api.hub.identity.createToken({ requestsPerMinute: 4 });
    for (const status of [200, 200, 429]) expect((await get(api, token)).statusCode).toBe(status);
    const refused = await get(api, token);
    expect(refused.headers["retry-after"]).toMatch(/^([12]?\d|30)$/);
    expect(refused.json().error).toMatchObject({
      code: "RATE_LIMITED",
      remedy: expect.stringContaining("Retry-After"),
    });
    for (const status of [200, 200, 200, 200, 429]) expect((await get(api, other)).statusCode).toBe(status);
  });

  it("are not for the token of the process, by which the command line comes", async () => {
    await using api = await testApi({ settings: { rate_limits: { requests_per_minute: 1 } } });
    for (let count = 0; count < 5; count++) expect((await get(api, ADMIN_TOKEN)).statusCode).toBe(200);
  });

  it("turn away who guesses, and let in who knows", async () => {
    await using api = await testApi({ settings: { rate_limits: { failures_per_minute: 2 } } });
    const { token } = await api.hub.identity.createToken({});
    for (const status of [401, 401, 429]) expect((await get(api, "tk_sk_guess")).statusCode).toBe(status);
    expect((await get(api, token)).statusCode).toBe(200);
    expect((await api.app.inject({ url: "/api/agents" })).statusCode).toBe(401);
  });

  it("take effect when the settings change, without a restart", async () => {
    await using api = await testApi();
    const { token } = await api.hub.identity.createToken({});
    const { loaded } = api.hub;
    const rateLimits = { requestsPerMinute: 1, failuresPerMinute: 0 };
    await api.hub.apply({ ...loaded, settings: { ...loaded.settings, rateLimits } });
    for (const status of [200, 429]) expect((await get(api, token)).statusCode).toBe(status);
  });
});
