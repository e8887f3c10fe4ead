// Makes docs/terminal.svg: real commands against a real daemon, as an animated picture of a terminal. `npm run terminal-picture`
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { run } from "./run.mjs";
import { animatedTerminal } from "./terminal-picture/animated-terminal.mjs";

const OUT = "docs/terminal.svg";
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What is typed. `show` leaves out lines that say nothing here; nothing is added to them. */
const SCENES = [
  {
    type: "toolkeep server add fs -- npx -y @modelcontextprotocol/server-filesystem docs",
    show: (lines) => [...lines.slice(0, 4), "  …"],
  },
  { type: "toolkeep toolbox create reading mcp_fs_read_text_file mcp_fs_list_directory" },
  { type: "toolkeep agent create ann --toolbox reading" },
  { type: `toolkeep rule add 'mcp:fs:*' deny --pattern '{"path": "**/secret*"}' --final` },
  { type: "toolkeep call mcp_fs_read_text_file path=plan.md --agent ann" },
  { type: "toolkeep call mcp_fs_read_text_file path=secret.txt --agent ann" },
  {
    type: "toolkeep audit list --limit 2",
    show: (lines) => lines.slice(0, 3).map((line) => beginning(line, 94)),
  },
];

chdir(ROOT);
run(process.execPath, ["scripts/build.mjs"]);
const folder = await mkdtemp(join(tmpdir(), "toolkeep-picture-"));
try {
  await writeFile(OUT, animatedTerminal(await play(folder), { title: "toolkeep" }));
  console.log(`wrote ${OUT}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Types every scene at a daemon of its own; resolves with what the terminal showed. */
async function play(folder) {
  await mkdir(join(folder, "docs"), { recursive: true });
  await writeFile(join(folder, "docs/plan.md"), "# Plan\n\nShip on Friday.\n");
  await writeFile(join(folder, "docs/secret.txt"), "hunter2\n");
  const env = await environment(folder);
  const daemon = spawn(process.execPath, [join(ROOT, "bin/toolkeep"), "serve"], {
    cwd: folder,
    env,
    stdio: "ignore",
  });
  try {
    await isReady(env);
    const scenes = [];
    for (const { type, show = (lines) => lines } of SCENES) {
      const output = await typed(type, { cwd: folder, env });
      const lines = output.replaceAll(`${folder}/`, "").trimEnd().split("\n");
      scenes.push({ command: type, lines: show(lines) });
    }
    return scenes;
  } finally {
    daemon.kill("SIGTERM");
    await new Promise((resolve) => daemon.once("exit", resolve));
  }
}

/** `toolkeep` is this tree's, and `npx -y PACKAGE` starts the package that is installed here, without the network. */
async function environment(folder) {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const script = (name, text) => writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  await script("toolkeep", `exec "${process.execPath}" "${join(ROOT, "bin/toolkeep")}" "$@"`);
  await script(
    "npx",
    `shift; package="$1"; shift; exec "${process.execPath}" "${join(ROOT, "node_modules")}/$package/dist/index.js" "$@"`,
  );
  return {
    ...{
      PATH: [bin, process.env.PATH].join(delimiter),
      HOME: folder,
      TOOLKEEP_HOME: join(folder, ".toolkeep"),
    },
    ...{ TOOLKEEP_PORT: String(await freePort()), FORCE_COLOR: "1", COLUMNS: "92", TERM: "xterm-256color" },
  };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isReady({ TOOLKEEP_PORT }) {
  for (let tries = 0; tries < 300; tries++) {
    const isUp = await fetch(`http://127.0.0.1:${TOOLKEEP_PORT}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the daemon did not start within 30 s");
}

/** What a command prints, whether it succeeds or not: a denied call ends with an error, and is meant to. */
async function typed(command, options) {
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", command], options).catch(
    (error) => error,
  );
  return `${stdout}${stderr}`;
}

/** As many characters as can be seen; codes of colours are none. */
function beginning(line, most) {
  const parts = line.split(new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`));
  let left = most;
  return parts
    .map((part, at) => {
      if (at % 2 === 1) return part;
      const shown = part.slice(0, left);
      left -= shown.length;
      return shown;
    })
    .join("");
}
