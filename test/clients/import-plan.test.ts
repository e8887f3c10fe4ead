import { describe, expect, it } from "vitest";
import { type Candidate, planImport, type Registered } from "../../src/clients/import-plan.ts";
import { checkServerConfig } from "../../src/config/server-config.ts";

const candidate = (name: string, digest = name, more: Partial<Candidate> = {}): Candidate => ({
  name,
  clients: ["cursor"],
  digests: [digest],
  ...more,
});
const registered = (name: string, digest = name, source: Registered["source"] = "stored"): Registered => ({
  name,
  digest,
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
    ["@scope/server", "scope-server"],
    ["naïve ☃ name", "na-ve - name"],
    ["", "server"],
    ["///", "server"],
    ["x".repeat(200), "x".repeat(64)],
    [" spaced ", "spaced"],
  ])("makes a name allowed: %j", (name, expected) => {
    expect(planImport([candidate(name)], [])).toEqual([
      { kind: "renamed", name: expected, why: "not allowed" },
    ]);
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

  it("passes on why something is skipped, whatever else could be said", () => {
    expect(planImport([candidate("a", "a", { skipped: "no reason" })], [registered("a")])).toEqual([
      { kind: "skipped", reason: "no reason" },
    ]);
  });
});
