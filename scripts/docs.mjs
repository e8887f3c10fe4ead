// Rewrites the generated tables in docs/: everything between `<!-- generated: NAME -->` and `<!-- end -->`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";

chdir(fileURLToPath(new URL("..", import.meta.url)));
await import("./build.mjs");
const { ERRORS } = await import("../dist/contract/errors.js");
const { renderSettingKeys } = await import("../dist/machine/config/setting-keys.js");

const { tools, roles } = await hubTables();
const TABLES = {
  "docs/errors.md": { errors: errorTable() },
  "docs/settings.md": { settings: renderSettingKeys() },
  "docs/api.md": { roles },
  "docs/native-tools.md": { tools: tools.present, "planned-tools": tools.planned },
};

for (const [path, tables] of Object.entries(TABLES)) {
  let page = readFileSync(path, "utf8");
  for (const [name, table] of Object.entries(tables)) {
    page = page.replace(
      new RegExp(`(<!-- generated: ${name} -->\n)[^]*?(<!-- end -->)`),
      (_, start, end) => `${start}${table}\n${end}`,
    );
  }
  writeFileSync(path, page);
}

/** As a hub has them. */
async function hubTables() {
  const { createHub } = await import("../dist/index.js");
  const { renderToolTables } = await import("../dist/call/catalog/tool-table.js");
  const home = mkdtempSync(join(tmpdir(), "toolkeep-docs-"));
  const hub = await createHub({ home, env: {} });
  try {
    return {
      tools: renderToolTables(
        hub.catalog.all(),
        hub.catalog.toolboxes.list().filter((toolbox) => toolbox.builtin),
      ),
      roles: await roleTable(hub),
    };
  } finally {
    await hub.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function roleTable(hub) {
  const { default: fastify } = await import("fastify");
  const { mountApi } = await import("../dist/surfaces/mount-api.js");
  const { collectRoutes } = await import("../dist/surfaces/api/openapi.js");
  const { renderRoleTable } = await import("../dist/surfaces/api/role-table.js");
  const app = fastify();
  const routes = collectRoutes(app);
  await mountApi(app, hub, { clock: Date.now, adminToken: "", env: {}, log: console, url: () => "" });
  await app.close();
  return renderRoleTable(routes);
}

function errorTable() {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, exit, remedy }]) => `| \`${code}\` | ${status} | ${exit} | ${remedy} |`,
  );
  return ["| code | HTTP | exit | what to do |", "|---|---|---|---|", ...rows].join("\n");
}
