import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);

/**
 * A throw-away server on 127.0.0.1. It ends, and its folder goes, also when this process is killed: a shell holds
 * the other end of a pipe and stops the server when the pipe closes.
 */
export async function startPostgres(bindir) {
  const user = await unprivilegedUser();
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-postgres-"));
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const port = await freePort();

  const initdb = ["-D", data, "-U", "toolkeep", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await run(join(bindir, "initdb"), initdb, { ...user, cwd: folder });

  const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "fsync=off"];
  const server = [
    join(bindir, "postgres"),
    "-D",
    data,
    "-p",
    `${port}`,
    ...settings.flatMap((s) => ["-c", s]),
  ];
  const keeper = spawn("sh", ["-c", KEEPER, "sh", folder, ...server], {
    ...user,
    cwd: folder,
    // Its own session: Ctrl-C must not end the shell before it has ended the server.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(keeper, "exit");
  keeper.unref();

  const url = `postgres://toolkeep@127.0.0.1:${port}/postgres`;
  const stop = async () => {
    // Whoever waits for its end must not end before.
    keeper.ref();
    keeper.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilItAnswers(url, ended);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

const KEEPER = `folder=$1; shift
"$@" </dev/null & server=$!
cat >/dev/null
kill -INT $server; wait $server
cd /; rm -rf "$folder"`;

/** PostgreSQL refuses to run as root. */
async function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const [uid, gid] = await Promise.all(
        ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, name])).stdout)),
      );
      return { uid, gid };
    } catch {
      // no such user here
    }
  }
  throw new Error("PostgreSQL refuses to run as root, and there is neither a postgres nor a nobody user.");
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function untilItAnswers(url, ended) {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const deadline = Date.now() + 60_000;
  while (!over && Date.now() < deadline) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(over ? "PostgreSQL ended while it started." : "PostgreSQL did not answer within a minute.");
}
