// Rewrites the generated tables in docs/: everything between `<!-- generated: NAME -->` and `<!-- end -->`.
import { readFileSync, writeFileSync } from "node:fs";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";

chdir(fileURLToPath(new URL("..", import.meta.url)));
await import("./build.mjs");
const { ERRORS } = await import("../dist/errors.js");
const { renderSettingKeys } = await import("../dist/config/setting-keys.js");

const TABLES = {
  "docs/errors.md": { errors: errorTable() },
  "docs/settings.md": { settings: renderSettingKeys() },
};

for (const [path, tables] of Object.entries(TABLES)) {
  let page = readFileSync(path, "utf8");
  for (const [name, table] of Object.entries(tables)) {
    page = page.replace(
      new RegExp(`(<!-- generated: ${name} -->\n)[^]*?(\n<!-- end -->)`),
      (_, start, end) => start + table + end,
    );
  }
  writeFileSync(path, page);
}

function errorTable() {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, exit, remedy }]) => `| \`${code}\` | ${status} | ${exit} | ${remedy} |`,
  );
  return ["| code | HTTP | exit | what to do |", "|---|---|---|---|", ...rows].join("\n");
}
