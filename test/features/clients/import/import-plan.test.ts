import { describe, expect, it } from "vitest";
import type { ImportCandidate } from "../../../../src/features/clients/contract.ts";
import { planImport, type RegisteredServer } from "../../../../src/features/clients/import/import-plan.ts";
import type { Reach } from "../../../../src/features/clients/reach.ts";
import { buildLooseIdentity } from "../../../../src/features/clients/references.ts";
import { checkServerConfig } from "../../../../src/machine/config/sections/server-config.ts";

const candidate = (name: string, digest = name, more: Partial<ImportCandidate> = {}): ImportCandidate => ({
  name,
  clients: ["cursor"],
  digests: [digest],
  ...more,
});
const registered = (
  name: string,
  digest = name,
  source: RegisteredServer["source"] = "stored",
): RegisteredServer => ({
  name,
  digest,
  reach: { transport: "stdio", command: name, args: [], env: {}, cwd: null, url: null, headers: {} },
  enabled: true,
  source,
});

describe("the plan of an import", () => {
  it("registers what is new under its name", () => {
    expect(planImport([candidate("a"), candidate("b")], [registered("c")])).toEqual([
      { kind: "new", name: "a" },
      { kind: "new", name: "b" },
    ]);
  });

  it("leaves what is registered already, under whichever name and from whichever source", () => {
    expect(
      planImport(
        [candidate("a", "one"), candidate("b", "two")],
        [registered("x", "one"), registered("y", "two", "user")],
      ),
    ).toEqual([
      { kind: "same", name: "x" },
      { kind: "same", name: "y" },
    ]);
  });

  it("gives another name where the name is taken, also by another candidate", () => {
    const plan = planImport(
      [
        candidate("github", "1"),
        candidate("github", "2"),
        candidate("github", "3", { clients: ["codex", "vscode"] }),
        candidate("fs", "4"),
      ],
      [registered("github", "0")],
    );
    expect(plan).toEqual([
      { kind: "renamed", name: "github-cursor", why: "taken" },
      { kind: "renamed", name: "github-cursor-2", why: "taken" },
      { kind: "renamed", name: "github-codex", why: "taken" },
      { kind: "new", name: "fs" },
    ]);
  });

  it.each([
    ["scope\tserver", "scope-server"],
    ["naïve\n☃ name", "na-ve- name"],
    ["", "server"],
    ["///", "server"],
    ["x".repeat(200), "x".repeat(64)],
    [" spaced ", "spaced"],
  ])("makes a name allowed: %j", (name, expected) => {
    expect(planImport([candidate(name)], [])).toEqual([
      { kind: "renamed", name: expected, why: "not allowed" },
    ]);
  });

  it.each(["@scope/server", "naïve ☃ name", "天気"])("leaves a name that is allowed: %j", (name) => {
    expect(planImport([candidate(name)], [])).toEqual([{ kind: "new", name }]);
  });

  it("never makes a name that is not allowed, however long the taken one is", () => {
    const name = "y".repeat(64);
    const taken = [registered(name, "0"), registered(`${"y".repeat(45)}-claude-desktop`, "1")];
    const [verdict] = planImport([candidate(name, "2", { clients: ["claude-desktop"] })], taken);
    const given = verdict && "name" in verdict ? verdict.name : "";
    expect(checkServerConfig(given, { command: "x" }, "stored").ok).toBe(true);
    expect(taken.map((one) => one.name)).not.toContain(given);
  });

  it("completes what was registered while its variables were missing, unless a file declares it", () => {
    const found = candidate("a", "whole", { digests: ["whole", "as written"] });
    expect(planImport([found], [registered("a", "as written")])).toEqual([{ kind: "completed", name: "a" }]);
    expect(planImport([found], [registered("a", "as written", "user")])).toEqual([
      { kind: "renamed", name: "a-cursor", why: "taken" },
    ]);
    expect(planImport([found], [registered("b", "whole"), registered("a", "as written")])).toEqual([
      { kind: "same", name: "b" },
    ]);
  });

  describe("knows a server again by its name and what no value changes", () => {
    const reach = (env: Record<string, string>, args = ["-x"]): Reach => ({
      transport: "stdio",
      command: "a",
      args,
      env,
      cwd: null,
      url: null,
      headers: {},
    });
    const loose = (env: Record<string, string>, missing: readonly string[] = [], args?: string[]) =>
      buildLooseIdentity(reach(env, args), { parts: ["env.K"], missingIn: missing }, ["HANDED"]);
    const found = (name: string, by: ReturnType<typeof loose>) =>
      candidate(name, "found", { clients: ["codex"], loose: by });
    const there = (name: string, env: Record<string, string>, more: Partial<RegisteredServer> = {}) => ({
      ...registered(name, "other"),
      reach: reach(env),
      ...more,
    });

    it("when what a reference stands for has changed, or a variable that is handed on is gone", () => {
      const was = there("a", { K: "old", L: "l", HANDED: "h" });
      expect(planImport([found("a", loose({ K: "new", L: "l" }))], [was])).toEqual([
        { kind: "same", name: "a" },
      ]);
      expect(planImport([found("a", loose({ L: "l" }, ["env.K"]))], [was])).toEqual([
        { kind: "same", name: "a" },
      ]);
    });

    it("also under the name it got because its own was taken", () => {
      for (const name of ["a-codex", "a-codex-2"])
        expect(planImport([found("a", loose({ K: "new" }))], [there(name, { K: "old" })])).toEqual([
          { kind: "same", name },
        ]);
    });

    it("but not under another name, with other arguments or with other keys", () => {
      const one = found("a", loose({ K: "new" }));
      expect(planImport([one], [there("b", { K: "old" })])).toEqual([{ kind: "new", name: "a" }]);
      const taken = [{ kind: "renamed", name: "a-codex", why: "taken" }];
      expect(planImport([one], [there("a", { K: "old", M: "m" })])).toEqual(taken);
      expect(planImport([found("a", loose({ K: "new" }, [], ["-y"]))], [there("a", { K: "old" })])).toEqual(
        taken,
      );
    });

    it("and says so where written values differ, or a value is still missing", () => {
      const edited = there("a", { K: "k", L: "edited" });
      expect(planImport([found("a", loose({ K: "k", L: "l" }))], [edited])).toEqual([
        { kind: "same", name: "a", otherValues: true },
      ]);
      const lacking = there("a", {}, { enabled: false });
      expect(planImport([found("a", loose({}, ["env.K"]))], [lacking])).toEqual([
        { kind: "same", name: "a", lacks: ["env.K"] },
      ]);
      expect(planImport([found("a", loose({ K: "k" }))], [lacking])).toEqual([
        { kind: "completed", name: "a" },
      ]);
      expect(planImport([found("a", loose({ K: "k" }))], [{ ...lacking, source: "user" }])).toEqual([
        { kind: "same", name: "a" },
      ]);
    });
  });

  it("passes on why something is skipped, whatever else could be said", () => {
    expect(planImport([candidate("a", "a", { skipped: "no reason" })], [registered("a")])).toEqual([
      { kind: "skipped", reason: "no reason" },
    ]);
  });
});
