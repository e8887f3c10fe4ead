import type { Dice } from "./dice.ts";
import type { FuzzMaterial, FuzzRequest } from "./fuzz-requests.ts";
import { ODD_HEADERS } from "./fuzz-words.ts";
import { nasty } from "./spoil.ts";

const FORM = "application/x-www-form-urlencoded";

/** A request at an OAuth endpoint, with some parameters missing, wrong, or there twice. */
export function oauthRequest(material: FuzzMaterial, dice: Dice): Omit<FuzzRequest, "kind" | "manner"> {
  const path = dice.one(["/oauth/authorize", "/oauth/token", "/oauth/revoke", "/oauth/register"]);
  const form = new URLSearchParams();
  for (const [name, choices] of Object.entries(valuesOf(material))) {
    const count = dice.weighted([
      [30, 1],
      [20, 0],
      [1, 2],
    ]);
    for (let n = 0; n < count; n++) form.append(name, dice.one(choices));
  }
  const headers: Record<string, string> = {
    "content-type": FORM,
    ...(dice.chance(0.3) && { cookie: "toolkeep_session=forged" }),
    ...(dice.chance(0.2) && Object.fromEntries([dice.one(ODD_HEADERS)])),
  };
  if (dice.chance(0.2)) return { method: "GET", path: `${path}?${form}`, headers, body: undefined };
  if (dice.chance(0.8)) return { method: "POST", path, headers, body: Buffer.from(String(form)) };
  const client = {
    redirect_uris: dice.one<unknown>([["http://127.0.0.1/cb"], ["x"], "x"]),
    client_name: nasty(dice),
  };
  const body = Buffer.from(JSON.stringify(client));
  return { method: "POST", path, headers: { ...headers, "content-type": "application/json" }, body };
}

function valuesOf({ token, victim }: FuzzMaterial): Record<string, readonly string[]> {
  return {
    client_id: [
      "http://127.0.0.1:1/x",
      "https://localhost/id",
      "https://x.invalid/id",
      "x",
      "https://[::1]/a",
    ],
    redirect_uri: [
      "http://127.0.0.1/cb",
      "javascript:alert(1)",
      "https://evil.example/",
      "http://[",
      "a\u0000b",
    ],
    response_type: ["code", "token", "code code"],
    code_challenge: ["a".repeat(43), "", "é".repeat(43)],
    code_challenge_method: ["S256", "plain"],
    scope: ["mcp files", "admin", "__proto__", "x ".repeat(2_000)],
    state: ["s", "<script>", "x".repeat(5_000), "\r\nx: y"],
    resource: ["http://127.0.0.1/mcp", "https://evil.example/mcp", "http://[", "urn:x"],
    grant_type: ["authorization_code", "authorization_code", "refresh_token", "password", "constructor"],
    code: ["x", victim.session, "c".repeat(2_000)],
    refresh_token: ["x", victim.state, token],
    code_verifier: ["v".repeat(43), "v", "v".repeat(129)],
    token: [token.slice(0, -2), "x", victim.session],
    seal: ["a".repeat(43), "é"],
    agent: ["victim", "__proto__"],
    allowed: ["mcp", "admin"],
    decision: ["allow"],
  };
}
