import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../support/temp-home.ts";
import { serve } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

/** The daemon may write a file into a folder that is being emptied. */
const WHILE_WRITTEN = { recursive: true, maxRetries: 20, retryDelay: 50 };

/** What people and programs do to a home that a daemon uses. */
const LOSSES: Record<string, (home: string) => Promise<unknown>> = {
  "is deleted": (home) => rm(home, WHILE_WRITTEN),
  "is moved": (home) => rename(home, `${home}-moved`),
  "is deleted and made again": async (home) => {
    await rm(home, WHILE_WRITTEN);
    await mkdir(home);
  },
  "is replaced by a copy": async (home) => {
    await rename(home, `${home}-moved`);
    await mkdir(home);
    // Not the whole folder: the daemon replaces files in it meanwhile.
    await cp(join(`${home}-moved`, "toolkeep.db"), join(home, "toolkeep.db"));
  },
  "loses its database": (home) => unlink(join(home, "toolkeep.db")),
};

describe("a daemon whose home", { timeout: 120_000 }, () => {
  it.each(Object.keys(LOSSES))("%s acknowledges no write and stops loudly", async (loss) => {
    await using folder = await tempHome();
    const home = join(folder.path, "home");
    await mkdir(home);
    await using daemon = await serve({ home, cwd: folder.path });
    const admin = await adminOf(home);
    const create = (name: string) =>
      fetch(`${daemon.url}/api/agents`, {
        method: "POST",
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      }).then(
        async (response) => [response.status, await response.json()] as const,
        () => "gone" as const,
      );
    expect((await create("before"))[0]).toBe(201);
    const ended = once(daemon.child, "close");

    await LOSSES[loss]!(home);
    const late = await create("late");
    if (late !== "gone") expect(late).toMatchObject([503, { error: { code: "STORE_UNAVAILABLE" } }]);

    const [code, signal] = await ended;
    expect([code, signal]).toEqual([5, null]);
    expect(daemon.stdout() + daemon.stderr()).toMatch(/was deleted, moved or replaced/);
  });
});

async function adminOf(home: string): Promise<string> {
  await waitUntil("the daemon has said where it is", () => existsSync(join(home, "daemon.json")));
  return JSON.parse(await readFile(join(home, "daemon.json"), "utf8")).token;
}
