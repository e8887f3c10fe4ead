// `npm run conformance:authorization`: the official conformance suite against Toolkeep as an authorization server, with
// a person who says yes.
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openSuite } from "./conformance/suite.mjs";
import { startLocalDaemon } from "./local-daemon.mjs";
import { run } from "./run.mjs";

const POLL_MS = 100;

run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
const suite = await openSuite();
const daemon = await startLocalDaemon({ servers: {}, grants: ["think"] });
try {
  await main(new URL(daemon.url).origin, daemon.env.TOOLKEEP_HOME);
} finally {
  await daemon.stop();
}

async function main(url, home) {
  const port = await freePort();
  const output = await suite(
    [
      ...["authorization", "--url", url, "--resource", `${url}/mcp`],
      ...["--client-id", await registered(url, home), "--port", String(port)],
    ],
    {
      onText: once(
        (text) => askedIn(text) !== undefined,
        (text) => consent(url, home, askedIn(text)),
      ),
    },
  );
  const scenarios = [...output.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)];
  for (const [line] of scenarios) console.log(line);
  const failed = scenarios.filter(([, mark]) => mark === "✗").length;
  if (scenarios.length === 0) console.log(output.trim().slice(-2000));
  console.log(`${scenarios.length - failed} passed, ${failed} failed`);
  process.exitCode = scenarios.length > 0 && failed === 0 ? 0 : 1;
}

/** The suite brings no document of its own, so registering is turned on, which the running daemon takes over. */
async function registered(url, home) {
  const settings = { log_level: "error", oauth_server: { dynamic_registration: true } };
  await writeFile(join(home, "config.json"), JSON.stringify(settings));
  const metadata = `${url}/.well-known/oauth-authorization-server`;
  while (!(await (await fetch(metadata)).json()).registration_endpoint) await delay(POLL_MS);
  const response = await fetch(`${url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "conformance", redirect_uris: ["http://127.0.0.1/callback"] }),
  });
  return (await response.json()).client_id;
}

/** The address that the suite wants opened, once it listens for what comes back. */
function askedIn(text) {
  return text.includes("Callback server started")
    ? /^http\S+\/oauth\/authorize\?\S+$/m.exec(text)?.[0]
    : undefined;
}

/** A person who has signed in opens the address and says yes. */
async function consent(url, home, address) {
  const { token } = JSON.parse(await readFile(join(home, "daemon.json"), "utf8"));
  const link = await fetch(`${url}/api/login-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const login = await fetch(`${url}/login`, {
    method: "POST",
    headers: { origin: url },
    body: new URL((await link.json()).url).searchParams,
    redirect: "manual",
  });
  const cookie = login.headers.get("set-cookie").split(";")[0];
  const form = formIn(await (await fetch(address, { headers: { cookie } })).text());
  form.set("decision", "allow");
  const headers = { cookie, origin: url };
  await fetch(`${url}/oauth/authorize`, { method: "POST", headers, body: form });
}

/** What is filled in or ticked; nothing in this form needs more than `&amp;` undone. */
function formIn(html) {
  const form = new URLSearchParams();
  for (const [tag] of html.matchAll(/<input [^>]*>/g)) {
    const value = (name) => (new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "").replaceAll("&amp;", "&");
    if (value("type") === "hidden" || / checked\b/.test(tag)) form.append(value("name"), value("value"));
  }
  return form;
}

function once(isDue, work) {
  let isDone = false;
  return (text) => {
    if (isDone || !isDue(text)) return;
    isDone = true;
    work(text).catch((error) => console.error(error));
  };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
