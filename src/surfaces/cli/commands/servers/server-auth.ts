import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import type { ServerAnswer, ServerSignIn, ServerSignInAnswer, SignInStart } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import { launchBrowser } from "../../browser.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { findHome } from "../../home.ts";
import { confirmUnlessYes } from "../../input/destructive.ts";
import type { Group, Run } from "../../shell.ts";

interface AuthOptions {
  readonly paste?: string;
  readonly browser: boolean;
  readonly wait: boolean;
  readonly yes?: boolean;
  readonly signOut?: boolean;
}

const POLL_MS = 1_000;
/** How long a server may take to reconnect after a sign-in. */
const RECONNECT_MS = 60_000;

export function serverAuthCommand(server: Group): void {
  server
    .leaf(
      "auth <name>",
      "Sign in to a server",
      authServer,
      "docs",
      "docs --paste 'http://127.0.0.1:19850/oauth/callback?code=…&state=…'",
      "docs --sign-out",
    )
    .option("--paste <address>", "Finish a sign-in with the address where the browser ended")
    .option("--no-browser", "Print the link without opening a browser")
    .option("--no-wait", "Print the link and exit")
    .option("--sign-out", "Sign out and delete the stored tokens")
    .option("--yes", "With --sign-out: skip the confirmation");
}

async function authServer(run: Run, name: string, options: AuthOptions): Promise<number | undefined> {
  if (options.signOut) return await signOut(run, name, options);
  if (options.paste !== undefined) return reportSignIn(run, await completeSignIn(run, name, options.paste));

  const before = await run.get<ServerSignInAnswer>(getAuthPath(name));
  const start = await run.progress(
    `looking up how to sign in to ${name}`,
    run.send<SignInStart>("POST", getAuthPath(name)),
  );
  if (start.url === null) return reportSignIn(run, await waitForReconnect(run, name));
  if (!options.wait) return printLink(run, name, start);

  const { terminal } = run;
  terminal.err("Open this link in a browser within ten minutes and approve access there:\n");
  if (run.json) terminal.err(`${start.url}\n`);
  else terminal.out(`${start.url}\n`);
  if (options.browser) launchBrowser(start.url, terminal.env);
  return reportSignIn(run, await waitForSignIn(run, before));
}

function printLink(run: Run, name: string, start: SignInStart): undefined {
  run.print(start, `${start.url}\n`);
  if (run.json) return;
  run.terminal.err(
    `Open the link in a browser within ten minutes and approve access there. If the browser ends at a page it cannot reach: toolkeep server auth ${name} --paste ADDRESS\n`,
  );
}

async function signOut(run: Run, name: string, options: AuthOptions): Promise<undefined> {
  await confirmUnlessYes(run, options, `Sign out of ${name}?`);
  const answer = await run.progress(
    `signing out of ${name}`,
    run.send<ServerSignIn>("DELETE", getAuthPath(name)),
  );
  run.print(answer, `Signed out of ${name}. Sign in again: toolkeep server auth ${name}\n`);
}

/** Resolves when the browser returns to the daemon, or the person pastes the address where it ended. */
async function waitForSignIn(run: Run, before: ServerSignInAnswer): Promise<ServerSignInAnswer> {
  const { name } = before.server;
  const hasDaemon = await hasDaemonRunning(run);
  const { interactive, err } = run.terminal;
  if (!interactive) {
    if (!hasDaemon) {
      const how = `toolkeep server auth ${name} --paste ADDRESS`;
      throw new ToolkeepError(
        "DAEMON_UNREACHABLE",
        `no daemon is running that the browser could return to; copy the address where the browser ends and run ${how}`,
      );
    }
    return await run.progress(
      `waiting for you to sign in to ${name}`,
      waitForBrowser(run, before, run.terminal.signal),
    );
  }
  if (!hasDaemon) err("No daemon is running, so the browser will end at a page it cannot reach.\n");
  const finished = new AbortController();
  const signal = AbortSignal.any([finished.signal, run.terminal.signal]);
  try {
    const attempts = [
      askForAddress(run, name, signal),
      ...(hasDaemon ? [waitForBrowser(run, before, signal)] : []),
    ];
    return await Promise.race(attempts);
  } finally {
    finished.abort();
  }
}

async function hasDaemonRunning({ terminal }: Run): Promise<boolean> {
  if (readRemoteDaemon(terminal.env)) return true;
  return (await findDaemon(await findHome(terminal), terminal.signal)) !== undefined;
}

async function waitForBrowser(
  run: Run,
  { server: { name }, signIn: before }: ServerSignInAnswer,
  signal: AbortSignal,
): Promise<ServerSignInAnswer> {
  for (;;) {
    await sleep(POLL_MS, undefined, { signal });
    const { signIn } = await run.send<ServerSignInAnswer>("GET", getAuthPath(name), undefined, signal);
    if (signIn.signedInAt !== before.signedInAt) return await waitForReconnect(run, name);
    if (signIn.pendingUntil !== null) continue;
    throw notSignedInError(name, signIn.failure ?? "nobody signed in within ten minutes");
  }
}

async function askForAddress(run: Run, name: string, signal: AbortSignal): Promise<ServerSignInAnswer> {
  const { isCancel, text } = await import("@clack/prompts");
  const message = "If the browser ends at a page it cannot reach, paste its address here";
  // Standard output is for the command's answer and may be a file.
  const address = await text({ message, output: process.stderr, signal });
  run.terminal.signal.throwIfAborted();
  // The browser has returned to the daemon, so the other wait settles the sign-in.
  if (signal.aborted) return await new Promise<never>(() => {});
  if (isCancel(address)) throw new ToolkeepError("CANCELLED", `you did not sign in to ${name}`);
  return await completeSignIn(run, name, address);
}

async function completeSignIn(run: Run, name: string, url: string): Promise<ServerSignInAnswer> {
  try {
    return await run.progress(
      "finishing the sign-in",
      run.send<ServerSignInAnswer>("POST", `${getAuthPath(name)}/complete`, { url, wait: true }),
    );
  } catch (error) {
    // The error names the server if it found the sign-in and the sign-in failed.
    const hasFailed = error instanceof ToolkeepError && typeof error.details?.server === "string";
    throw hasFailed ? notSignedInError(name, error.message) : error;
  }
}

function notSignedInError(name: string, reason: string): ToolkeepError {
  return new ToolkeepError("FORBIDDEN", reason, { remedy: `Try again: toolkeep server auth ${name}` });
}

/** Resolves when the server has reconnected or failed to. */
async function waitForReconnect(run: Run, name: string): Promise<ServerSignInAnswer> {
  const deadline = performance.now() + RECONNECT_MS;
  for (;;) {
    const answer = await run.get<ServerSignInAnswer>(getAuthPath(name));
    const isConnecting = ["idle", "connecting"].includes(answer.server.state);
    if (!isConnecting || performance.now() > deadline) return answer;
    await sleep(POLL_MS / 4, undefined, { signal: run.terminal.signal });
  }
}

async function reportSignIn(run: Run, answer: ServerSignInAnswer): Promise<number> {
  const { name, state, lastError } = answer.server;
  if (state !== "ready") {
    const why = lastError === null ? "" : `: ${oneLine(lastError)}`;
    run.print(answer, `Signed in to ${name}, but it is ${state.replace("_", " ")}${why}\n`);
    return 1;
  }
  const { tools } = await run.get<ServerAnswer>(path`/api/servers/${name}`);
  run.print(answer, `Signed in to ${name}; it has ${counted(tools.length, "tool")}.\n`);
  return 0;
}

function getAuthPath(name: string): string {
  return `${path`/api/servers/${name}`}/auth`;
}
