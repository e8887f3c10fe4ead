import { createHash } from "node:crypto";
import { Consents, type IssuedTokens } from "../../src/call/identity/consents.ts";
import type { Hub } from "../../src/hub.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { randomId } from "../../src/lib/id.ts";

export const CLIENT = { id: "https://client.example/id.json", name: "A client" };

/** What `CLIENT` gets for a person's yes, without any page. */
export async function issuedTokens(hub: Hub, agent: string, resource = "/mcp"): Promise<IssuedTokens> {
  const consents = new Consents({
    store: hub.store,
    identity: hub.identity,
    events: hub.events,
    clock: systemClock,
    newId: randomId,
    lifetimes: () => ({ accessMs: 60_000, refreshMs: 86_400_000 }),
  });
  const verifier = "v".repeat(43);
  const redirectUri = "https://client.example/back";
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const scopes = ["mcp"] as const;
  const code = await consents.create({ client: CLIENT, agent, scopes, resource, redirectUri, challenge });
  const tokens = await consents.redeem(code, { clientId: CLIENT.id, redirectUri, verifier });
  if (!tokens.ok) throw new Error(tokens.error.message);
  return tokens.value;
}
