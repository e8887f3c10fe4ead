import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";

export interface DashboardFile {
  readonly content: Buffer;
  readonly type: string;
  /** The value of `Content-Encoding`; absent: not compressed. */
  readonly encoding?: "br" | "gzip";
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;
/** Their names hold a hash of what is in them. No path, so that none leads elsewhere. */
const ASSET = /^[\w-][\w.-]*\.(?:js|css|svg)$/;

/** The files that `scripts/build-dashboard.mjs` wrote into `folder`: the page and its assets, compressed in advance. */
export class DashboardFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `up` leads from the address it is shown at to where the dashboard is mounted: "./" or "../". Undefined: not built. */
  async page(up: string): Promise<string | undefined> {
    const html = await readIfThere(join(this.#folder, "index.html"));
    return html?.toString("utf8").replaceAll('="./', `="${up}`);
  }

  /** `accepted`: the `Accept-Encoding` of the browser. */
  async asset(name: string, accepted: string): Promise<DashboardFile | undefined> {
    if (!ASSET.test(name)) return undefined;
    const file = join(this.#folder, "assets", name);
    const type = TYPES[extname(name)]!;
    for (const [encoding, suffix] of ENCODINGS) {
      if (!accepts(accepted, encoding)) continue;
      const packed = await readIfThere(file + suffix);
      if (packed) return { content: packed, type, encoding };
    }
    const content = await readIfThere(file);
    return content && { content, type };
  }
}

function accepts(header: string, encoding: string): boolean {
  return header.split(",").some((part) => {
    const [name, ...parameters] = part.trim().split(/\s*;\s*/);
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
