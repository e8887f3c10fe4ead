import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { type TestPlugin, writePlugin } from "./plugin.ts";
import { tempHome } from "./temp-home.ts";

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
  /** The environment in which npm asks this registry and keeps its cache for itself. */
  readonly env: Readonly<Record<string, string>>;
  publish(plugin: TestPlugin & { readonly scripts?: Readonly<Record<string, string>> }): Promise<void>;
}

interface Published {
  readonly version: string;
  readonly manifest: Record<string, unknown>;
  readonly tarball: Buffer;
}

/** A registry on loopback, as far as `npm install` asks one. */
export async function npmRegistry(): Promise<NpmRegistry> {
  const folder = await tempHome();
  const packages = new Map<string, Published[]>();
  const server = http.createServer((request, response) => {
    const [name, file] = decodeURIComponent(request.url ?? "/")
      .slice(1)
      .split("/-/");
    const versions = packages.get(name ?? "");
    const found = versions?.find(({ version }) => file === `${version}.tgz`);
    if (!versions || (file && !found)) response.writeHead(404).end("{}");
    else if (found) response.end(found.tarball);
    else response.end(JSON.stringify(packument(name!, versions, url())));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url(),
    env: { npm_config_registry: url(), npm_config_cache: join(folder.path, "cache"), HOME: folder.path },
    async publish({ scripts, ...plugin }) {
      const { name = "toolkeep-plugin-sample", version = "1.0.0" } = plugin;
      const root = await writePlugin(join(folder.path, name, version, "package"), {
        name,
        version,
        ...plugin,
      });
      const manifest = { ...JSON.parse(await readFile(join(root, "package.json"), "utf8")), scripts };
      const before = packages.get(name) ?? [];
      packages.set(name, [...before, { version, manifest, tarball: await packed(join(root, "..")) }]);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function packed(folder: string): Promise<Buffer> {
  await promisify(execFile)("tar", ["-czf", "package.tgz", "package"], { cwd: folder });
  return readFile(join(folder, "package.tgz"));
}

function packument(name: string, versions: readonly Published[], url: string) {
  return {
    name,
    "dist-tags": { latest: versions.at(-1)!.version },
    versions: Object.fromEntries(
      versions.map(({ version, manifest, tarball }) => [
        version,
        {
          ...manifest,
          hasInstallScript: manifest.scripts !== undefined,
          dist: {
            tarball: `${url}/${name}/-/${version}.tgz`,
            integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
          },
        },
      ]),
    ),
  };
}
