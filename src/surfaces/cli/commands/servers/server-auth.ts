import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import type { ServerAnswer, ServerSignIn, ServerSignInAnswer, SignInStart } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import { launchBrowser } from "../../browser.ts";
import { remoteDaemon } from "../../client/remote.ts";
import { homeHere } from "../../home.ts";
import { mustConfirm } from "../../input/destructive.ts";
import type { Group, Run } from "../../shell.ts";

interface AuthOptions {
  readonly paste?: string;
  readonly browser: boolean;
  readonly wait: boolean;
  readonly yes?: boolean;
  readonly signOut?: boolean;
}

const LOOK_EVERY_MS = 1_000;
/** How long a server may take to be there again after a sign-in. */
const RECONNECT_MS = 60_000;

export function serverAuthCommand(server: Group): void {
  server
    .leaf(
      "auth <name>",
      "sign in to a server that wants to know who you are",
      authServer,
      "docs",
      "docs --paste 'http://127.0.0.1:19850/oauth/callback?code=…&state=…'",
      "docs --sign-out",
    )
    .option("--paste <address>", "end a sign-in with the address that the browser ended at")
    .option("--no-browser", "only print the link, to be opened anywhere")
    .option("--no-wait", "print the link and end")
    .option("--sign-out", "forget what signing in left behind")
    .option("--yes", "with --sign-out: do not ask");
}

async function authServer(run: Run, name: string, options: AuthOptions): Promise<number | undefined> {
  if (options.signOut) return await signOut(run, name, options);
  if (options.paste !== undefined) return report(run, await complete(run, name, options.paste));

  const before = await run.get<ServerSignInAnswer>(authPath(name));
  const start = await run.progress(
    `looking up how to sign in to ${name}`,
    run.send<SignInStart>("POST", authPath(name)),
  );
  if (start.url === null) return report(run, await reconnected(run, name));
  if (!options.wait) return printLink(run, name, start);

  const { terminal } = run;
  terminal.err("Open this link in a browser within ten minutes and say yes there:\n");
  if (run.json) terminal.err(`${start.url}\n`);
  else terminal.out(`${start.url}\n`);
  if (options.browser) launchBrowser(start.url, terminal.env);
  return report(run, await signedIn(run, before));
}

function printLink(run: Run, name: string, start: SignInStart): undefined {
  run.print(start, `${start.url}\n`);
  if (run.json) return;
  run.terminal.err(
    `Open it in a browser within ten minutes and say yes there. Should the browser end at a page that cannot be reached, then: toolkeep server auth ${name} --paste ADDRESS\n`,
  );
}

async function signOut(run: Run, name: string, options: AuthOptions): Promise<undefined> {
  await mustConfirm(run, options, `Sign out of ${name}?`);
  const answer = await run.progress(
    `signing out of ${name}`,
    run.send<ServerSignIn>("DELETE", authPath(name)),
  );
  run.print(answer, `Signed out of ${name}. To sign in again: toolkeep server auth ${name}\n`);
}

/** Resolves when the browser came back to the daemon, or the person has brought the address it ended at. */
async function signedIn(run: Run, before: ServerSignInAnswer): Promise<ServerSignInAnswer> {
  const { name } = before.server;
  const hasDaemon = await isDaemonThere(run);
  const { interactive, err } = run.terminal;
  if (!interactive) {
    if (!hasDaemon) {
      const how = `toolkeep server auth ${name} --paste ADDRESS`;
      throw new ToolkeepError(
        "DAEMON_UNREACHABLE",
        `no daemon waits for the browser: when it has ended at an address that cannot be reached, run ${how}`,
      );
    }
    return await run.progress(
      `waiting for you to sign in to ${name}`,
      broughtBack(run, before, run.terminal.signal),
    );
  }
  if (!hasDaemon) err("No daemon waits for the browser: it will end at an address that cannot be reached.\n");
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, run.terminal.signal]);
  try {
    const ways = [pasted(run, name, signal), ...(hasDaemon ? [broughtBack(run, before, signal)] : [])];
    return await Promise.race(ways);
  } finally {
    over.abort();
  }
}

async function isDaemonThere({ terminal }: Run): Promise<boolean> {
  if (remoteDaemon(terminal.env)) return true;
  return (await findDaemon(await homeHere(terminal), terminal.signal)) !== undefined;
}

async function broughtBack(
  run: Run,
  { server: { name }, signIn: before }: ServerSignInAnswer,
  signal: AbortSignal,
): Promise<ServerSignInAnswer> {
  for (;;) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    const { signIn } = await run.send<ServerSignInAnswer>("GET", authPath(name), undefined, signal);
    if (signIn.signedInAt !== before.signedInAt) return await reconnected(run, name);
    if (signIn.pendingUntil !== null) continue;
    throw notSignedIn(name, signIn.failure ?? "nobody signed in within ten minutes");
  }
}

async function pasted(run: Run, name: string, signal: AbortSignal): Promise<ServerSignInAnswer> {
  const { isCancel, text } = await import("@clack/prompts");
  const message = "Should the browser end at a page that cannot be reached, paste its address here";
  // Standard output is for the answer and may be a file.
  const address = await text({ message, output: process.stderr, signal });
  run.terminal.signal.throwIfAborted();
  // The browser came back to the daemon meanwhile, so that this no longer counts.
  if (signal.aborted) return await new Promise<never>(() => {});
  if (isCancel(address)) throw new ToolkeepError("CANCELLED", `you did not sign in to ${name}`);
  return await complete(run, name, address);
}

async function complete(run: Run, name: string, url: string): Promise<ServerSignInAnswer> {
  try {
    return await run.progress(
      "ending the sign-in",
      run.send<ServerSignInAnswer>("POST", `${authPath(name)}/complete`, { url, wait: true }),
    );
  } catch (error) {
    // The answer names the server where the sign-in was found and came to nothing.
    const isOver = error instanceof ToolkeepError && typeof error.details?.server === "string";
    throw isOver ? notSignedIn(name, error.message) : error;
  }
}

function notSignedIn(name: string, reason: string): ToolkeepError {
  return new ToolkeepError("FORBIDDEN", reason, { remedy: `Try again: toolkeep server auth ${name}` });
}

/** The server once it has been connected to anew, or could not be. */
async function reconnected(run: Run, name: string): Promise<ServerSignInAnswer> {
  const deadline = performance.now() + RECONNECT_MS;
  for (;;) {
    const answer = await run.get<ServerSignInAnswer>(authPath(name));
    const isUnderWay = ["idle", "connecting"].includes(answer.server.state);
    if (!isUnderWay || performance.now() > deadline) return answer;
    await sleep(LOOK_EVERY_MS / 4, undefined, { signal: run.terminal.signal });
  }
}

async function report(run: Run, answer: ServerSignInAnswer): Promise<number> {
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

function authPath(name: string): string {
  return `${path`/api/servers/${name}`}/auth`;
}
