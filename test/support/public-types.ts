import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  API,
  type Checker,
  type Project,
  SignatureKind,
  SymbolFlags,
  type Symbol as TsSymbol,
  type Type,
  TypeFlags,
} from "typescript/unstable/sync";

const ROOT = join(import.meta.dirname, "../..");

/** What the package exports, as the compiler sees it, whichever files it comes from. */
export interface PublicTypes extends Disposable {
  /** By the names in `exports` of `package.json`: `.`, `./tool` … */
  readonly entries: readonly string[];
  /** The file of an entry, to import. */
  sourceOf(entry: string): string;
  /** The exports that are types, each with the names of its properties: `ToolFlags { readOnly concurrencySafe destructive }`. */
  typesOf(entry: string): ReadonlyMap<string, string>;
  /** The properties of an exported type with the types of theirs, as text. */
  membersOf(entry: string, name: string): ReadonlyMap<string, string>;
}

export function openPublicTypes(): PublicTypes {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    exports: Record<string, { types: string } | string>;
  };
  const sources = new Map(
    Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === "string" ? [] : [[entry, sourceFor(target.types)] as const],
    ),
  );
  const api = new API({ cwd: ROOT });
  const project = api.updateSnapshot({ openProject: join(ROOT, "tsconfig.build.json") }).getProjects()[0]!;
  const { checker } = project;
  const sourceOf = (entry: string) => sources.get(entry)!;
  const exportsOf = (entry: string) =>
    new Map(exportedBy(project, sourceOf(entry)).map((symbol) => [symbol.name, symbol]));
  return {
    entries: [...sources.keys()],
    sourceOf,
    typesOf: (entry) =>
      new Map(
        [...exportsOf(entry)].flatMap(([name, symbol]) => {
          const target = targetOf(symbol, checker);
          return target.flags & SymbolFlags.Type
            ? [[name, shapeOf(checker.getDeclaredTypeOfSymbol(target), checker)] as const]
            : [];
        }),
      ),
    membersOf(entry, name) {
      const type = checker.getDeclaredTypeOfSymbol(targetOf(exportsOf(entry).get(name)!, checker));
      return new Map(
        checker
          .getPropertiesOfType(type)
          .map((property) => [property.name, payloadOf(checker.getTypeOfSymbol(property)!, checker)]),
      );
    },
    [Symbol.dispose]: () => api.close(),
  };
}

/** `./dist/features/plugins/authoring.d.ts` is made of `src/features/plugins/authoring.ts`. */
function sourceFor(types: string): string {
  return join(ROOT, types.replace(/^\.\/dist\//, "src/").replace(/\.d\.ts$/, ".ts"));
}

function exportedBy({ program, checker }: Project, path: string): readonly TsSymbol[] {
  const file = program.getSourceFile(path);
  const symbol = file && checker.getSymbolAtLocation(file);
  if (!symbol) throw new Error(`${path}: package.json exports it, and it is no module of src`);
  return checker.getExportsOfModule(symbol);
}

function targetOf(symbol: TsSymbol, checker: Checker): TsSymbol {
  return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Names only: the types behind them have names that are nobody's business, and the API's are in its own document. */
function shapeOf(type: Type, checker: Checker): string {
  if (type.isUnionType())
    return [...new Set(type.getTypes().map((each) => shapeOf(each, checker)))].sort().join(" | ");
  if (!type.isObjectType() && !type.isIntersectionType()) return checker.typeToString(type);
  if (checker.isArrayLikeType(type)) return "array";
  const properties = checker
    .getPropertiesOfType(type)
    .map(nameOf)
    .filter((name) => !/^(?:#|__)/.test(name));
  const isCallable = checker.getSignaturesOfType(type, SignatureKind.Call).length > 0;
  const isOpen = checker.getIndexInfosOfType(type).length > 0;
  const parts = [...properties.sort(), ...(isOpen ? ["[key]"] : []), ...(isCallable ? ["()"] : [])];
  return parts.length === 0 ? "{}" : `{ ${parts.join(" ")} }`;
}

function payloadOf(type: Type, checker: Checker): string {
  return checker
    .getPropertiesOfType(type)
    .map((property) => `${nameOf(property)}: ${plainType(checker.getTypeOfSymbol(property)!, checker)}`)
    .sort()
    .join(", ");
}

/** Optional goes without saying `undefined`. */
function plainType(type: Type, checker: Checker): string {
  if (!type.isUnionType()) return checker.typeToString(type);
  const members = type.getTypes().filter(({ flags }) => !(flags & TypeFlags.Undefined));
  const texts = members.map((each) => checker.typeToString(each)).sort();
  return texts.join(" | ").replace("false | true", "boolean");
}

function nameOf({ name, flags }: TsSymbol): string {
  return flags & SymbolFlags.Optional ? `${name}?` : name;
}
