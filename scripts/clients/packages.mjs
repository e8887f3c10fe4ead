// The clients, each in the exact version that was tried. They are large, so they are installed when first needed.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export const CACHE = process.env.TOOLKEEP_CLIENTS_DIR ?? join(tmpdir(), "toolkeep-clients");
export const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
export const CLAUDE_CODE = "@anthropic-ai/claude-code@2.1.325";
export const CODEX = "@openai/codex@0.166.0";
export const GEMINI = "@google/gemini-cli@0.61.0";
export const OPENCODE = "opencode-ai@1.18.33";
export const NODE_22 = `node-${process.platform}-${process.arch}@22.23.3`;
export const AI_SDK = ["@ai-sdk/mcp@1.0.101", "ai@6.0.319", "@ai-sdk/openai-compatible@2.0.87"];
export const LANGCHAIN = [
  "@langchain/mcp-adapters@1.1.4",
  "@langchain/core@1.2.13",
  "@langchain/langgraph@1.4.18",
  // Named, since later ones of the same range want a package that not every registry has.
  "@langchain/langgraph-sdk@1.12.3",
  "@langchain/openai@1.5.8",
];

/** The folder into which packages that belong together are installed; its node_modules has all of them. */
export async function installedTogether(specs, cache) {
  const folder = join(cache, specs[0].replaceAll("/", "-"));
  const missing = specs.filter(
    (spec) => !existsSync(join(folder, "node_modules", spec.slice(0, spec.lastIndexOf("@")), "package.json")),
  );
  if (missing.length > 0) {
    console.log(`installing ${specs.join(", ")} into ${folder} …`);
    await mkdir(folder, { recursive: true });
    await promisify(execFile)(
      "npm",
      ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", ...specs],
      { cwd: folder, timeout: 600_000 },
    );
  }
  return folder;
}
