import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkServers } from "../../../../../src/features/admin/check-servers.ts";
import type { ServerView } from "../../../../../src/surfaces/api/contract.ts";
import { formatState, suggestNextStep } from "../../../../../src/surfaces/cli/print/server-text.ts";
import { inDeep } from "../../../../support/length.ts";
import { toolkeepHere } from "../../../../support/run-command.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";
import { fixture } from "../../../../support/upstream.ts";

const WELL = fixture("echoes");
const WELL_WORDS = [WELL.command!, ...WELL.args!];

describe("a server whose last start failed", () => {
  inDeep(
    "is failed in list, show and doctor, with the reason, for commands that open the store one after another",
    async () => {
      await using home = await tempHome();
      const options = { home: home.path };
      const broken = join(home.path, "broken.mjs");
      const added = await toolkeepHere(options, "server", "add", "fs", "--", process.execPath, broken);
      expect(added).toMatchObject({ code: 1, stdout: expect.stringContaining("does not work yet") });

      const list = await toolkeepHere(options, "server", "list");
      expect(list.stdout).toMatch(/^fs +failed/m);
      expect(list.stdout).toMatch(/^fs: failed \d+s ago: .*toolkeep server logs fs$/m);
      const show = await toolkeepHere(options, "server", "show", "fs");
      expect(show.stdout).toMatch(/^state: +failed/m);
      expect(show.stdout).toMatch(/^failed: +\d+s ago$/m);
      const doctor = await toolkeepHere(options, "doctor");
      expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^✗ server fs: /m) });
      expect(doctor.stdout).toContain("✓ settings: valid\n");
      expect(doctor.stdout).toMatch(/\n1 problem found\.\n$/);

      const again = await toolkeepHere(options, "server", "add", "fs", "--", ...WELL_WORDS);
      expect(again).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^Replaced server fs, which had never worked:\n {2}\S[\s\S]*Registered fs with 1 tool:/,
        ),
      });
      expect(await toolkeepHere(options, "doctor")).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`✓ server fs: ${process.execPath} found\n`),
      });
      expect((await toolkeepHere(options, "server", "list")).stdout).not.toContain("failed");
      const taken = await toolkeepHere(options, "server", "add", "fs", "--", ...WELL_WORDS);
      expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining("toolkeep server edit fs") });
    },
    120_000,
  );

  it("is what doctor exits non-zero for, whichever kind of server it is", async () => {
    const server = { name: "s", enabled: true, source: "stored", state: "unavailable", oauth: null };
    const wrong = { ...server, leftOut: [], lastError: "it answered with HTTP 500" };
    const checks = await checkServers(
      [
        { ...wrong, command: null, url: "https://x.example/mcp" },
        { ...wrong, command: process.execPath, url: null },
        { ...wrong, command: process.execPath, url: null, state: "connecting" },
        { ...wrong, command: process.execPath, url: null, enabled: false },
      ],
      process.env,
    );
    expect(checks.map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
  });
});

describe("what server list and show advise", () => {
  const ERRORS = [
    "the command x was not found on the daemon's PATH",
    "its folder /x does not exist",
    "its sandbox is required but unavailable",
    "the host x was not found",
    "its process ended (exit code 3)",
    "authentication failed: nobody has signed in; sign in with: toolkeep server auth s",
    null,
  ];
  const STATES = [
    "idle",
    "connecting",
    "ready",
    "unavailable",
    "needs_auth",
    "disabled",
    "pending_approval",
  ] as const;

  it("names no command that a server declared in a file refuses", async () => {
    await using api = await testApi({ servers: { s: { command: "toolkeep-test-no-such-program" } } });
    await api.hub.upstream.settled();
    for (const refused of ["edit", "remove"]) {
      const options = refused === "edit" ? ["--timeout", "3s"] : ["--yes"];
      const { err } = await typed(api, ["server", refused, "s", ...options]);
      expect(err, refused).toContain("change it there");
    }
    const view = api.hub.upstream.server("s");
    const cases = ERRORS.flatMap((lastError) =>
      STATES.flatMap((state) =>
        ([null, "client_credentials"] as const).map((grant) => ({ lastError, state, grant })),
      ),
    );
    for (const { lastError, state, grant } of cases)
      for (const source of ["user", "project", "stored"] as const) {
        const oauth = grant && { grant, clientId: null, clientMetadataUrl: null, scope: null };
        const server = {
          ...view,
          lastError,
          state,
          source,
          oauth: oauth && { ...oauth, hasSecret: true, hasPrivateKey: false },
        } as ServerView;
        const advice = suggestNextStep(server) ?? "";
        const label = `${state} ${source} ${lastError}: ${advice}`;
        if (source !== "stored") expect(advice, label).not.toMatch(/server (edit|remove)/);
        if (state === "unavailable") expect(advice, label).not.toBe("");
        if (state === "unavailable") expect(formatState(server)).toBe("failed");
      }
  });

  it("of a project's server that waits, says to approve it or to change the file", async () => {
    await using api = await testApi({ servers: { s: { command: "false" } } });
    const view: ServerView = {
      ...api.hub.upstream.server("s"),
      source: "project",
      state: "pending_approval",
    };
    expect(suggestNextStep(view)).toBe(
      "toolkeep server approve s, or remove it from the project settings file",
    );
  });
});
