import { describe, expect, it } from "vitest";
import {
  buildNodeFlags,
  detectEnforcement,
  listUnenforced,
} from "../../../src/features/plugins/enforcement.ts";
import {
  describeAdded,
  describePermissions,
  NO_PERMISSIONS,
  readPermissions,
} from "../../../src/features/plugins/permissions.ts";

describe("declared permissions", () => {
  it("that are missing give nothing", () => {
    expect(readPermissions(undefined)).toEqual({ ok: true, value: NO_PERMISSIONS });
    expect(describePermissions(NO_PERMISSIONS)).toEqual([]);
  });

  it.each([
    [{ everything: true }, 'unknown key "everything"'],
    [{ __proto__: null, toString: 1 }, 'unknown key "toString"'],
    [[], "expected an object"],
    [{ network: "all" }, "permissions.network"],
    [{ network: ["http://x"] }, "permissions.network"],
    [{ files: "all" }, "permissions.files"],
    [{ env: ["TOOLKEEP_KEY"] }, "TOOLKEEP_KEY is never passed"],
    [{ env: ["NODE_OPTIONS"] }, "NODE_OPTIONS is never passed"],
    [{ env: ["LD_PRELOAD"] }, "LD_PRELOAD is never passed"],
    [{ env: ["DATABASE_URL"] }, "DATABASE_URL is never passed"],
    [{ secrets: [".." + "/x"] }, "permissions.secrets"],
    [{ secrets: Array.from({ length: 51 }, (_, index) => `S${index}`) }, "at most 50"],
    [{ childProcesses: "yes" }, "permissions.childProcesses"],
  ])("of %j are refused", (declared, message) => {
    expect(readPermissions(declared)).toEqual({ ok: false, error: expect.stringContaining(message) });
  });

  it("are said in words, and what is new among them too", () => {
    const agreed = { ...NO_PERMISSIONS, network: ["a.example"], files: "read" as const };
    expect(describeAdded(agreed, agreed)).toEqual([]);
    expect(describeAdded(agreed, { ...agreed, files: "write", childProcesses: true })).toEqual([
      "change the files in the calling agent's workspace",
      "start other programs, which can do everything your user can",
    ]);
    expect(describeAdded({ ...agreed, network: true }, agreed)).toEqual([]);
    expect(describeAdded(agreed, { ...agreed, network: true })).toEqual(["reach any host on the network"]);
  });
});

describe("what Node holds a plugin to", () => {
  const NODE_20 = detectEnforcement(new Set(["--experimental-permission"]));
  const NODE_25 = detectEnforcement(new Set(["--permission", "--allow-net"]));
  const NONE = detectEnforcement(new Set());
  const reach = { permissions: NO_PERMISSIONS, folder: "/p", workspace: null };

  it("is reading its own folder where it declared nothing", () => {
    expect(buildNodeFlags(reach, NODE_20)).toEqual(["--experimental-permission", "--allow-fs-read=/p"]);
    expect(buildNodeFlags(reach, NODE_25)).toEqual(["--permission", "--allow-fs-read=/p"]);
  });

  it("follows from what it declared", () => {
    const all = { ...NO_PERMISSIONS, files: "write" as const, network: true, childProcesses: true };
    expect(buildNodeFlags({ ...reach, permissions: all, workspace: "/w" }, NODE_25)).toEqual([
      "--permission",
      "--allow-fs-read=/p",
      "--allow-fs-read=/w",
      "--allow-fs-write=/w",
      "--allow-child-process",
      "--allow-net",
    ]);
    const reads = { ...NO_PERMISSIONS, files: "read" as const };
    expect(buildNodeFlags({ ...reach, permissions: reads, workspace: "/w" }, NODE_25).join()).not.toContain(
      "write",
    );
  });

  it("is nothing where there is no permission model, and that is said", () => {
    expect(buildNodeFlags(reach, NONE)).toEqual([]);
    expect(listUnenforced(NO_PERMISSIONS, NONE)).toEqual([expect.stringContaining("no permission model")]);
  });

  it("leaves out the network before Node 25, and lists of hosts always, and that is said", () => {
    expect(listUnenforced(NO_PERMISSIONS, NODE_20)).toEqual([expect.stringContaining("the network")]);
    expect(listUnenforced(NO_PERMISSIONS, NODE_25)).toEqual([]);
    const hosts = { ...NO_PERMISSIONS, network: ["a.example"] };
    expect(listUnenforced(hosts, NODE_25)).toEqual([expect.stringContaining("the list of hosts")]);
    const programs = { ...NO_PERMISSIONS, childProcesses: true };
    expect(listUnenforced(programs, NODE_25)).toEqual([expect.stringContaining("files and network")]);
  });
});
