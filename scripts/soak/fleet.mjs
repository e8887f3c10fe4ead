import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countOf, linesOf } from "./ledger.mjs";

const SCRIPT = fileURLToPath(new URL("server.mjs", import.meta.url));
const BAD = ["dies", "hangs", "floods", "garbage", "huge"];
const HEALTHY_LOCAL = 12;
const HEALTHY_REMOTE = 3;
/** The time limit of calls to bad servers, so that the soak does not hang with one of them. */
const BAD_TIMEOUT_MS = 300;

/** Twenty servers, registered with the hub: fifteen healthy, three of them over HTTP, and five that misbehave. */
export class Fleet {
  #hub;
  #folder;
  #env;
  #remotes = [];
  healthy = [];
  bad = [];

  constructor(hub, folder, env) {
    this.#hub = hub;
    this.#folder = folder;
    this.#env = env;
  }

  async start() {
    for (let n = 0; n < HEALTHY_LOCAL; n++) await this.#addLocal(`healthy_${n}`, "healthy", this.healthy);
    for (let n = 0; n < HEALTHY_REMOTE; n++) await this.#addRemote(`remote_${n}`);
    for (const behaviour of BAD) await this.#addLocal(behaviour, behaviour, this.bad);
    await this.#hub.upstream.settled();
    for (const { name } of this.healthy) {
      const { state, toolCount, lastError } = this.#hub.upstream.server(name);
      if (toolCount === 0) throw new Error(`the healthy server ${name} is ${state}: ${lastError}`);
    }
  }

  /** With the five, or without. */
  async use({ bad }) {
    for (const { name } of this.bad) await this.#hub.upstream.update(name, { enabled: bad });
    await this.#hub.upstream.settled();
  }

  /** How often each nonce was received, by whichever server. */
  async received() {
    const files = [...this.healthy, ...this.bad].map(({ file }) => linesOf(file));
    return countOf((await Promise.all(files)).flat());
  }

  async stop() {
    for (const child of this.#remotes) {
      if (child.exitCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  }

  async #addLocal(name, behaviour, list) {
    const file = join(this.#folder, name);
    const args = [SCRIPT, behaviour, file];
    const limit = list === this.bad ? { timeoutMs: BAD_TIMEOUT_MS } : {};
    await this.#hub.upstream.add(name, { command: process.execPath, args, ...limit });
    list.push({ name, file, tool: `mcp_${name}_echo` });
  }

  async #addRemote(name) {
    const file = join(this.#folder, name);
    const child = spawn(process.execPath, [SCRIPT, "healthy", file, "http"], {
      env: this.#env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#remotes.push(child);
    const [port] = await once(child.stdout, "data");
    await this.#hub.upstream.add(name, {
      url: `http://127.0.0.1:${Number(port)}/mcp`,
    });
    this.healthy.push({ name, file, tool: `mcp_${name}_echo` });
  }
}

/** Processes that carry the variable, whatever became of their parents; only where the system has /proc. */
export async function processesWith(variable) {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")),
  );
  return pids.filter((_, index) => environments[index].split("\0").includes(variable));
}
