import { describe, expect, it } from "vitest";
import { enforcementOf, heldTo, notHeld } from "../../../src/features/plugins/enforcement.ts";
import {
  addedWords,
  NO_PERMISSIONS,
  permissionWords,
  readPermissions,
} from "../../../src/features/plugins/permissions.ts";

describe("declared permissions", () => {
  it("that are missing give nothing", () => {
    expect(readPermissions(undefined)).toEqual({ ok: true, value: NO_PERMISSIONS });
    expect(permissionWords(NO_PERMISSIONS)).toEqual([]);
  });

  it.each([
    [{ everything: true }, 'unknown key "everything"'],
    [{ __proto__: null, toString: 1 }, 'unknown key "toString"'],
    [[], "expected an object"],
    [{ network: "all" }, "permissions.network"],
    [{ network: ["http://x"] }, "permissions.network"],
    [{ files: "all" }, "permissions.files"],
    [{ env: ["TOOLKEEP_KEY"] }, "TOOLKEEP_KEY is not given"],
    [{ env: ["NODE_OPTIONS"] }, "NODE_OPTIONS is not given"],
    [{ env: ["LD_PRELOAD"] }, "LD_PRELOAD is not given"],
    [{ env: ["DATABASE_URL"] }, "DATABASE_URL is not given"],
    [{ secrets: [".." + "/x"] }, "permissions.secrets"],
    [{ secrets: Array.from({ length: 51 }, (_, index) => `S${index}`) }, "at most 50"],
    [{ childProcesses: "yes" }, "permissions.childProcesses"],
  ])("of %j are refused", (declared, message) => {
    expect(readPermissions(declared)).toEqual({ ok: false, error: expect.stringContaining(message) });
  });

  it("are said in words, and what is new among them too", () => {
    const agreed = { ...NO_PERMISSIONS, network: ["a.example"], files: "read" as const };
    expect(addedWords(agreed, agreed)).toEqual([]);
    expect(addedWords(agreed, { ...agreed, files: "write", childProcesses: true })).toEqual([
      "change the files in the workspace of the agent that calls",
      "start other programs, which may do whatever your user may",
    ]);
    expect(addedWords({ ...agreed, network: true }, agreed)).toEqual([]);
    expect(addedWords(agreed, { ...agreed, network: true })).toEqual(["reach any host on the network"]);
  });
});

describe("what Node holds a plugin to", () => {
  const NODE_20 = enforcementOf(new Set(["--experimental-permission"]));
  const NODE_25 = enforcementOf(new Set(["--permission", "--allow-net"]));
  const NONE = enforcementOf(new Set());
  const reach = { permissions: NO_PERMISSIONS, folder: "/p", workspace: null };

  it("is reading its own folder where it declared nothing", () => {
    expect(heldTo(reach, NODE_20)).toEqual(["--experimental-permission", "--allow-fs-read=/p"]);
    expect(heldTo(reach, NODE_25)).toEqual(["--permission", "--allow-fs-read=/p"]);
  });

  it("follows from what it declared", () => {
    const all = { ...NO_PERMISSIONS, files: "write" as const, network: true, childProcesses: true };
    expect(heldTo({ ...reach, permissions: all, workspace: "/w" }, NODE_25)).toEqual([
      "--permission",
      "--allow-fs-read=/p",
      "--allow-fs-read=/w",
      "--allow-fs-write=/w",
      "--allow-child-process",
      "--allow-net",
    ]);
    const reads = { ...NO_PERMISSIONS, files: "read" as const };
    expect(heldTo({ ...reach, permissions: reads, workspace: "/w" }, NODE_25).join()).not.toContain("write");
  });

  it("is nothing where there is no permission model, and that is said", () => {
    expect(heldTo(reach, NONE)).toEqual([]);
    expect(notHeld(NO_PERMISSIONS, NONE)).toEqual([expect.stringContaining("no permission model")]);
  });

  it("leaves out the network before Node 25, and lists of hosts always, and that is said", () => {
    expect(notHeld(NO_PERMISSIONS, NODE_20)).toEqual([expect.stringContaining("the network")]);
    expect(notHeld(NO_PERMISSIONS, NODE_25)).toEqual([]);
    const hosts = { ...NO_PERMISSIONS, network: ["a.example"] };
    expect(notHeld(hosts, NODE_25)).toEqual([expect.stringContaining("the list of hosts")]);
    const programs = { ...NO_PERMISSIONS, childProcesses: true };
    expect(notHeld(programs, NODE_25)).toEqual([expect.stringContaining("files and network")]);
  });
});
