import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "./support/temp-home.ts";
import { waitUntil } from "./support/wait-until.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), "utf8"));

/** `dist` is built before the tests: packing does not build it again. */
function pack(...options: string[]): { filename: string; files: { path: string }[] } {
  const args = ["pack", "--json", "--ignore-scripts", "--loglevel=error", ...options];
  return JSON.parse(execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" }))[0];
}

describe("the packed tarball", { timeout: 120_000 }, () => {
  it("holds what runs and its docs, and no source maps, pictures, sources or tests", () => {
    const files = pack("--dry-run").files.map(({ path }) => path);
    for (const needed of [
      "bin/toolkeep",
      "dist/bundle/main.js",
      "dist/index.d.ts",
      "README.md",
      "docs/cli.md",
    ])
      expect(files).toContain(needed);
    expect(files).toContain("dist/dashboard/index.html");
    expect(
      files.filter((path) => /\.(?:map|png|jpe?g|gif)$|^(?:src|test|bench|scripts)\//.test(path)),
    ).toEqual([]);
  });

  it("starts a daemon from an empty folder", async () => {
    await using folder = await tempHome();
    const { filename } = pack("--pack-destination", folder.path);
    execFileSync("tar", ["-xzf", join(folder.path, filename), "-C", folder.path]);
    // The dependencies as they are installed here: fetching them is npm's work, not ours.
    await symlink(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
    const home = join(folder.path, "home");
    await mkdir(home, { mode: 0o700 });
    const bin = join(folder.path, "package/bin/toolkeep");
    const env = { PATH: process.env.PATH, HOME: folder.path, TOOLKEEP_HOME: home, TOOLKEEP_PORT: "0" };
    const version = execFileSync(process.execPath, [bin, "-v"], { env, cwd: home, encoding: "utf8" });
    expect(version.trim()).toBe(read("package.json").version);

    const child = spawn(process.execPath, [bin, "serve", "--json"], { env, cwd: home });
    const closed = once(child, "close");
    let out = "";
    child.stdout.on("data", (text) => {
      out += text;
    });
    child.stderr.resume();
    try {
      await waitUntil("the daemon is ready", () => out.includes("\n}\n") || child.exitCode !== null, 60_000);
      const { url } = JSON.parse(out);
      expect((await fetch(`${url}/health`)).status).toBe(200);
    } finally {
      child.kill("SIGTERM");
      await closed;
    }
    expect(child.exitCode).toBe(0);
  });
});

describe("what npm installs", () => {
  const { packages } = read("package-lock.json") as {
    packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
  };

  it("is locked for every platform, so that npm ci takes the lockfile as it is", () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([name, version]) => !isLocked(path, name, version))
        .map(([name, version]) => `${name}@${version} of ${path}`),
    );
    expect(missing).toEqual([]);
  });

  function isLocked(from: string, name: string, version: string): boolean {
    const folders = from.split(/(?=\/node_modules\/)/);
    const places = folders.map((_, index) => `${folders.slice(0, index + 1).join("")}/node_modules/${name}`);
    const isExact = /^\d+\.\d+\.\d+$/.test(version);
    return [`node_modules/${name}`, ...places].some((place) => {
      const found = packages[place.replace(/^\//, "")];
      return found !== undefined && (!isExact || found.version === version);
    });
  }

  it("fetches no libraries for CUDA: npm sees no install script of onnxruntime-node, and runs none", () => {
    expect(packages["node_modules/onnxruntime-node"]).not.toHaveProperty("hasInstallScript");
    expect(read("package.json").allowScripts["onnxruntime-node"]).toBe(false);
    expect(readFileSync(join(ROOT, "scripts/prepare.mjs"), "utf8")).toContain(
      'ONNXRUNTIME_NODE_INSTALL: "skip"',
    );
  });

  it("warns of no setting that npm does not know", () => {
    const keys = readFileSync(join(ROOT, ".npmrc"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(keys).toEqual(["save-exact"]);
  });
});
