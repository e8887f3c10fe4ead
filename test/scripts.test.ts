import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { expect, test } from "vitest";

/** Nothing type-checks these, and programs that tests write as text: a name that is gone from `src/` would only show when they run. */
const SCRIPTS = ["bench", "scripts", "test"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.mjs$|\.test\.ts$/.test(file))
    .map((file) => join(folder, file)),
);

test("what scripts import by name is exported where they say", () => {
  const missing = SCRIPTS.flatMap((file) =>
    importsOf(file).flatMap(({ from, names }) => {
      const source = sourceOf(join(dirname(file), from));
      if (!existsSync(source)) return [`${file}: ${source} does not exist`];
      const exported = exportsOf(source);
      return names
        .filter((name) => !exported.has(name))
        .map((name) => `${file}: ${source} exports no ${name}`);
    }),
  );
  expect(missing).toEqual([]);
});

test("a script that imports something else is found", () => {
  expect(exportsOf("src/lib/lines.ts").size).toBeGreaterThan(0);
  expect(exportsOf("src/lib/lines.ts")).not.toContain("noSuchName");
  const imports = SCRIPTS.flatMap(importsOf);
  expect(imports.some(({ from }) => from.includes("/dist/"))).toBe(true);
  expect(imports.some(({ names }) => names.includes("SourceSync"))).toBe(true);
});

interface Import {
  readonly from: string;
  readonly names: readonly string[];
}

/** The imports of other files here: those written as statements, and those that a script makes while it runs. */
function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".ts"))
    return [...text.matchAll(/import \{([^}]*)\} from \$\{built\("([^"]+)"\)\}/g)].map(([all, names, path]) =>
      toImport([all, names, relative(dirname(file), `dist/${path}`)]),
    );
  const statements = text.matchAll(/^import (?:\{([^}]*)\} from )?"(\.[^"]+)";$/gms);
  const calls = text.matchAll(/(?:const \{([^}]*)\} = )?await import\("(\.[^"]+)"\)/g);
  return [...statements, ...calls].map(toImport);
}

function toImport([, names = "", from]: readonly (string | undefined)[]): Import {
  const exported = names.split(",").map((name) => name.split(/ as |:/)[0]!.trim());
  return { from: from!, names: exported.filter((name) => name !== "") };
}

/** What is in `dist/` is made of `src/`. */
function sourceOf(path: string): string {
  return normalize(path).replace(/^dist\/(.*)\.js$/, "src/$1.ts");
}

function exportsOf(file: string): ReadonlySet<string> {
  const lang = file.endsWith(".ts") ? "ts" : "js";
  const program = parseAst(readFileSync(file, "utf8"), { lang }) as unknown as {
    readonly body: readonly Node[];
  };
  return new Set(program.body.flatMap(namesOf));
}

interface Node {
  readonly type: string;
  readonly declaration?: {
    readonly id?: { readonly name: string };
    readonly declarations?: readonly { readonly id: { readonly name: string } }[];
  } | null;
  readonly specifiers?: readonly { readonly exported: { readonly name: string } }[];
}

function namesOf({ type, declaration, specifiers = [] }: Node): string[] {
  if (type !== "ExportNamedDeclaration") return type === "ExportDefaultDeclaration" ? ["default"] : [];
  const declared = declaration?.declarations ?? (declaration?.id ? [{ id: declaration.id }] : []);
  return [...declared.map(({ id }) => id.name), ...specifiers.map(({ exported }) => exported.name)];
}
