import pg from "pg";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/lib/clock.ts";
import { openStore } from "../../../../src/machine/db/open.ts";
import { ChangeFollower } from "../../../../src/machine/db/postgres/follow.ts";
import { PostgresSession } from "../../../../src/machine/db/postgres/session.ts";
import type { ChangeKind, MovedQuestion } from "../../../../src/machine/db/sharing.ts";
import type { Store } from "../../../../src/machine/db/store.ts";
import { openServerTables } from "../../../../src/servers/tables/server-tables.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { interruptible } from "../../../support/interruptible.ts";
import { inDeep } from "../../../support/length.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { readySchema } from "../../../support/ready-schema.ts";
import { stopwatch } from "../../../support/stopwatch.ts";
import { trustStores } from "../../../support/trust-stores.ts";
import { waitUntil } from "../../../support/wait-until.ts";
import { pin } from "../contract/pins.ts";
import { agent, NOW, question, secretRecord, server, token, toolbox } from "../records.ts";

/** Far less than the ten seconds after which it would be found by looking. */
const AT_ONCE_MS = 2_000;

describe.runIf(hasPostgres())("a process that follows another on the same database", () => {
  test("is told at once what the other changed, and of which kind it was", async () => {
    await using schema = await readySchema();
    await using here = await following(schema.url);
    await using there = await opened(schema.url);
    const changes: [ChangeKind, () => Promise<unknown>][] = [
      ["agents", () => accessTables(there.store).agents.create(agent("ada"))],
      ["toolboxes", () => accessTables(there.store).toolboxes.create(toolbox("looking"))],
      ["servers", () => openServerTables(there.store.database).servers.create(server("fs"))],
      ["server_lists", () => openServerTables(there.store.database).servers.replaceTools("srv_fs", [])],
      [
        "server_lists",
        () =>
          openServerTables(there.store.database).toolNames.add([
            { serverId: "s", originalName: "o", name: "n" },
          ]),
      ],
      ["server_lists", () => openServerTables(there.store.database).pins.change("srv_fs", [pin("add")], [])],
      ["server_lists", () => openServerTables(there.store.database).pins.deleteAll("srv_fs")],
      ["secrets", () => trustStores(there.store).secrets.put(secretRecord("k"))],
      ["tokens", () => accessTables(there.store).tokens.create(token("tok_a"))],
    ];
    for (const [kind, change] of changes) {
      here.told.length = 0;
      await change();
      const took = stopwatch();
      await waitUntil(`${kind} were announced`, () => here.told.length > 0);
      expect(here.told).toEqual([[kind]]);
      expect(took()).toBeLessThan(AT_ONCE_MS);
    }
  });

  test("is told in which conversations tools were found, unless there are too many to say", async () => {
    await using schema = await readySchema();
    await using here = await following(schema.url);
    await using there = await opened(schema.url);
    await accessTables(there.store).agents.create(agent("ada"));
    const found = (conversation: string) => ({
      ...{ agentId: "agt_ada", conversation, tool: "t", tokenId: null, usedAt: NOW },
    });
    const puts = [[found("a")], [found("a"), found("b")], [found("x".repeat(3_000))]];
    for (const [index, put] of puts.entries()) {
      await accessTables(there.store).activations.put(put);
      await waitUntil("it was told", () => here.told.length === index + 2);
    }
    expect(here.about).toEqual([[], [["activations", "agt_ada a"]], [], []]);
  });

  test("is told of a change only when it has been made whole", async () => {
    await using schema = await readySchema();
    await using here = await following(schema.url);
    await using there = await opened(schema.url);
    await accessTables(there.store).agents.create(agent("ada"));
    await waitUntil("it was told", () => here.told.length === 1);
    await expect(accessTables(there.store).agents.create(agent("ada"))).rejects.toMatchObject({
      code: "NAME_TAKEN",
    });
    await accessTables(there.store).agents.create(agent("bob"));
    await waitUntil("it was told again", () => here.told.length === 2);
    // A revision raised and taken back would have looked like a change that was missed.
    expect(here.told).toEqual([["agents"], ["agents"]]);
  });

  test("is not told what it changed itself, also when both change at once", async () => {
    await using schema = await readySchema();
    await using here = await following(schema.url);
    await using there = await opened(schema.url);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => accessTables(here.store).agents.create(agent(`a${index}`))),
    );
    await accessTables(there.store).toolboxes.create(toolbox("last"));
    await waitUntil("it was told", () => here.told.length > 0);
    expect(here.told).toEqual([["toolboxes"]]);
  });

  test("is told of every question that is asked, answered and used elsewhere, without a new revision", async () => {
    await using schema = await readySchema();
    await using here = await following(schema.url);
    await using there = await opened(schema.url);
    const revision = await there.store.revision();
    await trustStores(here.store).questions.create(question("own"));
    await trustStores(there.store).questions.create(question("q1"));
    await trustStores(there.store).questions.move("q1", "pending", {
      state: "answered",
      answer: "yes",
      answeredAt: NOW,
    });
    await trustStores(there.store).questions.move("q1", "pending", { state: "dismissed" });
    await trustStores(there.store).questions.move("q1", "answered", { state: "used" });
    await waitUntil("it was told of the last move", () => here.questions.length >= 3);
    expect(here.questions).toEqual([
      { id: "q1", state: "pending" },
      { id: "q1", state: "answered" },
      { id: "q1", state: "used" },
    ]);
    expect(await there.store.revision()).toBe(revision);
    expect(here.told).toEqual([]);
  });

  test("does not hear of another schema of the same database", async () => {
    await using schema = await readySchema();
    await using other = await readySchema();
    await using here = await following(schema.url);
    await using elsewhere = await opened(other.url);
    await using there = await opened(schema.url);
    await accessTables(elsewhere.store).agents.create(agent("ada"));
    await accessTables(there.store).toolboxes.create(toolbox("here"));
    await waitUntil("it was told", () => here.told.length > 0);
    expect(here.told).toEqual([["toolboxes"]]);
  });

  test("is told what was changed between its revision and its first listening", async () => {
    await using schema = await readySchema();
    await using there = await opened(schema.url);
    const since = await there.store.revision();
    await accessTables(there.store).agents.create(agent("ada"));
    await using here = await following(schema.url, schema.url, since);
    await waitUntil("it was told", () => here.told.length > 0);
    expect(here.told).toEqual([["everything"]]);
  });

  test("reads everything again when a notification was missed, and ignores what is no notification of ours", async () => {
    await using schema = await readySchema();
    await using here = await following(schema.url);
    await using there = await opened(schema.url);
    await using client = await connected(schema.url);
    const channel = "'toolkeep_' || md5(current_schema())";
    for (const payload of ["", "no json", "[1]", '{"by":7}', '{"by":"x","question":{"id":1}}']) {
      await client.query(`select pg_notify(${channel}, $1)`, [payload]);
    }
    // As by a process whose notification got lost.
    await client.query("update revision set value = value + 1");
    await accessTables(there.store).toolboxes.create(toolbox("next"));
    await waitUntil("it was told", () => here.told.length > 0);
    expect(here.told).toEqual([["everything"]]);
    expect(here.questions).toEqual([]);
  });

  test("finds changes by looking while its connection is down, says so once, and listens again", async () => {
    await using schema = await readySchema();
    await using line = await interruptible(schema.url);
    await using here = await following(schema.url, line.url);
    await using there = await opened(schema.url);
    await line.interrupt();
    await waitUntil("the loss is noticed", () => here.problems.length > 0);
    await accessTables(there.store).agents.create(agent("ada"));
    await line.resume();
    await waitUntil("it was told", () => here.told.length > 0);
    expect(here.told[0]).toEqual(["everything"]);

    await waitUntil("it hears again", async () => {
      here.told.length = 0;
      await accessTables(there.store).agents.update("agt_ada", { description: String(performance.now()) });
      const asked = performance.now();
      await waitUntil("it was told", () => here.told.length > 0);
      return here.told[0]?.[0] === "agents" && performance.now() - asked < AT_ONCE_MS;
    });
    expect(here.problems).toHaveLength(1);
  });

  test("reloads again, and everything, when a reload failed; and never twice at once", async () => {
    await using schema = await readySchema();
    await using there = await opened(schema.url);
    await using here = await opened(schema.url);
    const kinds: ChangeKind[][] = [];
    let running = 0;
    let most = 0;
    const following = here.store.follow(await here.store.revision(), {
      async reload(due) {
        kinds.push([...due]);
        most = Math.max(most, ++running);
        await there.store.revision();
        running--;
        if (kinds.length === 1) throw new Error("the store did not answer");
      },
      question: () => {},
      onProblem: () => {},
    });
    await following.listening;
    for (const name of ["a", "b", "c", "d"]) await accessTables(there.store).agents.create(agent(name));
    await waitUntil("it reloaded again", () => kinds.some((due) => due.includes("everything")));
    expect(kinds[0]).toEqual(["agents"]);
    expect(most).toBe(1);
    await following.close();
    const { length } = kinds;
    await accessTables(there.store).agents.create(agent("late"));
    await there.store.revision();
    expect(kinds).toHaveLength(length);
  });

  inDeep("finds changes within a second or two where nothing that is told gets through", async () => {
    await using schema = await readySchema();
    await using there = await opened(schema.url);
    const session = new PostgresSession(schema.url);
    // As a pooler that gives every statement another connection.
    const deaf = {
      problem: undefined,
      connection: async (signal: AbortSignal) => ({
        ...(await session.connection(signal)),
        onNotification() {},
      }),
    };
    const told: ChangeKind[][] = [];
    const following = new ChangeFollower(
      await there.store.revision(),
      { reload: async (kinds) => void told.push([...kinds]), question: () => {}, onProblem: () => {} },
      { session: deaf, self: "me", readRevision: () => there.store.revision() },
    );
    await following.listening;
    await accessTables(there.store).agents.create(agent("ada"));
    await waitUntil("it was told", () => told.length > 0, 5_000);
    expect(told).toEqual([["everything"]]);
    await following.close();
    await session.close();
  });

  inDeep(
    "has no problem while its first connection takes long, and tells of one and of its end once",
    async () => {
      await using schema = await readySchema();
      await using there = await opened(schema.url);
      const session = new PostgresSession(schema.url);
      const told: unknown[] = [];
      let looks = 0;
      const slow = {
        problem: undefined as unknown,
        async connection(signal: AbortSignal) {
          await waitUntil("it looked twice without a problem and twice with one", () => looks >= 4, 10_000);
          return session.connection(signal);
        },
      };
      const following = new ChangeFollower(
        await there.store.revision(),
        {
          reload: async () => {},
          question: () => {},
          onProblem: (cause) => told.push(cause),
          onRecovered: () => told.push("recovered"),
        },
        {
          session: slow,
          self: "me",
          async readRevision() {
            looks++;
            if (looks === 2) {
              expect(told).toEqual([]);
              slow.problem = "refused";
            }
            return there.store.revision();
          },
        },
      );
      await following.listening;
      await following.close();
      await session.close();
      expect(told).toEqual(["refused", "recovered"]);
    },
    20_000,
  );

  test("closes at once, also while it tries to connect", async () => {
    await using schema = await readySchema();
    await using line = await interruptible(schema.url);
    const store = await openStore({ home: "", databaseUrl: line.url, clock: systemClock });
    const since = await store.revision();
    await line.interrupt();
    const following = store.follow(since, {
      reload: async () => {},
      question: () => {},
      onProblem: () => {},
    });
    const took = stopwatch();
    await following.close();
    await store.close();
    expect(took()).toBeLessThan(2_000);
  });
});

interface Opened extends AsyncDisposable {
  readonly store: Store;
}

async function opened(url: string): Promise<Opened> {
  const store = await openStore({ home: "", databaseUrl: url, clock: systemClock });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

interface Follows extends Opened {
  readonly told: ChangeKind[][];
  /** What of each kind, as far as that was said. */
  readonly about: string[][][];
  readonly questions: MovedQuestion[];
  readonly problems: unknown[];
}

/** Listening already. `line` is how it reaches the database. */
async function following(url: string, line = url, since?: number): Promise<Follows> {
  const { store } = await opened(line);
  const told: ChangeKind[][] = [];
  const about: string[][][] = [];
  const questions: MovedQuestion[] = [];
  const problems: unknown[] = [];
  const following = store.follow(since ?? (await store.revision()), {
    reload: async (kinds, which = new Map()) => {
      told.push([...kinds]);
      about.push([...which].map(([kind, keys]) => [kind, ...keys]));
    },
    question: (moved) => questions.push(moved),
    onProblem: (cause) => problems.push(cause),
  });
  await following.listening;
  return {
    store,
    told,
    about,
    questions,
    problems,
    async [Symbol.asyncDispose]() {
      await following.close();
      await store.close();
    },
  };
}

async function connected(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
