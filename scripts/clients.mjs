// `npm run test:clients [-- NAME …]`: real MCP clients against a daemon of this tree. Each completes a tool call through
// `/mcp` for a fake model on loopback: the model asks, the client calls, and what the server answered must come back to the
// model. The clients are large, so they are installed when first needed, into $TOOLKEEP_CLIENTS_DIR (or a folder beside
// the system's temporary files). $TOOLKEEP_CLIENT_CHECK: only checks with these words in their title.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ASKED_TOOL, sdkChecks } from "./clients/approvals.mjs";
import { claudeCodeChecks } from "./clients/claude-code.mjs";
import { codexChecks } from "./clients/codex.mjs";
import { firstLine } from "./clients/command.mjs";
import { LONG_ORIGINAL, SPARE } from "./clients/conversation.mjs";
import { startFakeModel } from "./clients/fake-model.mjs";
import { aiSdkChecks, langchainChecks } from "./clients/frameworks.mjs";
import { geminiChecks } from "./clients/gemini.mjs";
import { inspectorChecks } from "./clients/inspector.mjs";
import { opencodeChecks } from "./clients/opencode.mjs";
import { restartable } from "./clients/restart.mjs";
import { packagedServer, startLocalDaemon } from "./local-daemon.mjs";
import { run } from "./run.mjs";

const SERVERS = {
  everything: packagedServer("everything", "stdio"),
  asking: ownServer("../test/support/servers/asking.mjs"),
  newer: ownServer("../test/support/servers/asking-modern.mjs"),
  long: ownServer("./clients/long-name-server.mjs", LONG_ORIGINAL),
  [SPARE]: ownServer("../test/support/servers/asking.mjs"),
};

const CLIENTS = {
  inspector: inspectorChecks,
  "claude-code": claudeCodeChecks,
  codex: codexChecks,
  gemini: geminiChecks,
  opencode: opencodeChecks,
  "ai-sdk": aiSdkChecks,
  langchain: langchainChecks,
  sdk: sdkChecks,
};

await main(process.argv.slice(2));

async function main(names) {
  const unknown = names.filter((name) => !(name in CLIENTS));
  if (unknown.length > 0) {
    console.error(`No client is named ${unknown.join(", ")}; there are: ${Object.keys(CLIENTS).join(", ")}.`);
    process.exit(2);
  }
  run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
  const daemon = restartable(
    await startLocalDaemon({
      servers: SERVERS,
      grants: ["mcp:*"],
      // The scripted models call tools that their clients must have in their lists.
      settings: { deferred_loading: false, rules: [{ permission: ASKED_TOOL, action: "ask" }] },
    }),
  );
  const home = await mkdtemp(join(tmpdir(), "toolkeep-client-home-"));
  const model = await startFakeModel();
  const counts = { passed: 0, failed: 0, leftOut: 0 };
  try {
    for (const name of names.length > 0 ? names : Object.keys(CLIENTS))
      await check(name, { daemon, model, home }, counts);
  } finally {
    await model.close();
    await daemon.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
  const leftOut = counts.leftOut === 0 ? "" : `, ${counts.leftOut} clients left out`;
  console.log(`${counts.passed} passed, ${counts.failed} failed${leftOut}`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

async function check(name, stage, counts) {
  let checks;
  try {
    checks = await CLIENTS[name](stage);
  } catch (error) {
    counts.leftOut += 1;
    console.log(`- ${name}: left out, it could not be installed or does not run here:\n  ${reason(error)}`);
    return;
  }
  const wanted = process.env.TOOLKEEP_CLIENT_CHECK ?? "";
  for (const [what, attempt] of Object.entries(checks).filter(([title]) => title.includes(wanted))) {
    const problem = await attempt().catch((error) => firstLine(error));
    counts[problem ? "failed" : "passed"] += 1;
    console.log(problem ? `✗ ${name}: ${what}\n  ${problem}` : `✓ ${name}: ${what}`);
  }
}

/** What failed, and the first that the program which failed had to say about it. */
function reason(error) {
  return String(error?.message ?? error)
    .trim()
    .split("\n")
    .slice(0, 4)
    .join("\n  ");
}

/** A server of ours, by its path from here. */
function ownServer(file, ...args) {
  return { command: process.execPath, args: [fileURLToPath(new URL(file, import.meta.url)), ...args] };
}
