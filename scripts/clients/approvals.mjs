import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** What a rule of the stage asks about. */
export const ASKED_TOOL = "think";
const FORMS = { elicitation: { form: {} } };
const INFO = { name: "approvals", version: "1.0.0" };
const YES = { decision: "once" };
const NO = { decision: "reject", reason: "the person said so" };
let calls = 0;

/** The SDK's clients of both eras, of which a person approves and rejects calls; and one that cannot be asked. */
export async function sdkChecks({ daemon }) {
  const token = await tokenOf(daemon, "--interactive");
  const plain = await tokenOf(daemon);
  return {
    "2026-07-28 with elicitation: approved and completed": () => approved(modern(daemon, token, YES)),
    "2026-07-28 with elicitation: rejected, with the reason": () => rejected(modern(daemon, token, NO)),
    "2026-07-28 on a token that is not interactive: never asked": () => notAsked(modern(daemon, plain, YES)),
    "the SDK of 2025-11-25 with elicitation: approved and completed": () =>
      approved(older(daemon, token, YES)),
    "the SDK of 2025-11-25 with elicitation: rejected, with the reason": () =>
      rejected(older(daemon, token, NO)),
    "the SDK of 2025-11-25 without elicitation: told what to do, completed after a person's yes": () =>
      answeredElsewhere(older(daemon, token), daemon),
  };
}

async function tokenOf(daemon, ...flags) {
  const { stdout } = await daemon.toolkeep("token", "create", "--agent", "main", ...flags);
  return stdout.trim();
}

async function modern(daemon, token, content) {
  const client = new Client(INFO, {
    capabilities: FORMS,
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content }));
  await client.connect(new StreamableHTTPClientTransport(new URL(daemon.url), withToken(token)));
  return client;
}

/** The SDK before the current one comes with the servers that tests use. */
async function older(daemon, token, content) {
  const [{ Client: OldClient }, { StreamableHTTPClientTransport: OldTransport }, { ElicitRequestSchema }] =
    await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
  const client = new OldClient(INFO, { capabilities: content ? FORMS : {} });
  if (content) client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content }));
  await client.connect(new OldTransport(new URL(daemon.url), withToken(token)));
  return client;
}

function withToken(token) {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

async function approved(connecting) {
  const { outcome } = await callOnce(await connecting);
  return expected("ok", outcome);
}

async function rejected(connecting) {
  const { outcome, text } = await callOnce(await connecting);
  return expected("denied", outcome) ?? (text.includes(NO.reason) ? undefined : `no reason in ${text}`);
}

async function notAsked(connecting) {
  const { outcome } = await callOnce(await connecting);
  return expected("needs_approval", outcome);
}

async function answeredElsewhere(connecting, daemon) {
  const client = await connecting;
  const call = newCall();
  const asked = await outcomeOf(client, call);
  const [, id] = /toolkeep approval approve (qst_\w+)/.exec(asked.text) ?? [];
  if (id === undefined) return `no id in ${asked.text}`;
  await daemon.toolkeep("approval", "approve", id);
  const { outcome } = await outcomeOf(client, call);
  const again = await outcomeOf(client, call);
  await client.close();
  return expected("ok", outcome) ?? expected("needs_approval", again.outcome);
}

async function callOnce(client) {
  try {
    return await outcomeOf(client, newCall());
  } finally {
    await client.close();
  }
}

async function outcomeOf(client, call) {
  const { _meta, content } = await client.callTool(call);
  return { outcome: _meta?.["toolkeep/outcome"], text: content.map((part) => part.text).join("\n") };
}

/** Another one each time: what was rejected stays so for a while. */
function newCall() {
  calls += 1;
  return { name: ASKED_TOOL, arguments: { thought: `approval ${calls}` } };
}

function expected(wanted, came) {
  return came === wanted ? undefined : `expected the outcome ${wanted}, got ${came}`;
}
