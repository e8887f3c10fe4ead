import type { IndexMirror, MirroredEntity } from "./index-mirror.ts";
import type { Query } from "./query.ts";

/** The entities that match the filters of a query, by number; undefined: all. */
export function allowedEntities(
  query: Query,
  mirror: IndexMirror,
  sourceNames: ReadonlyMap<number, string>,
): Uint8Array | undefined {
  const tests = testsOf(query, sourceNames);
  if (tests.length === 0) return undefined;
  const allowed = new Uint8Array(mirror.entityEnd);
  for (const [no, entity] of mirror.entities()) if (tests.every((test) => test(entity))) allowed[no] = 1;
  return allowed;
}

type Test = (entity: MirroredEntity) => boolean;

function testsOf(query: Query, sourceNames: ReadonlyMap<number, string>): Test[] {
  const { sources, types, tags, notSources, notTypes, notTags, before, after } = query;
  const tests: Test[] = [];
  const nameOf = (no: number) => sourceNames.get(no)?.toLowerCase() ?? "";
  if (sources.length > 0) tests.push(({ sourceNo }) => sources.includes(nameOf(sourceNo)));
  if (notSources.length > 0) tests.push(({ sourceNo }) => !notSources.includes(nameOf(sourceNo)));
  if (types.length > 0) tests.push(({ type }) => types.includes(type));
  if (notTypes.length > 0) tests.push(({ type }) => !notTypes.includes(type));
  if (tags.length > 0) tests.push((entity) => tags.every((tag) => hasTag(entity, tag)));
  if (notTags.length > 0) tests.push((entity) => !notTags.some((tag) => hasTag(entity, tag)));
  if (before !== undefined) tests.push(({ documentAt }) => documentAt < before);
  if (after !== undefined) tests.push(({ documentAt }) => documentAt >= after);
  return tests;
}

/** `tag:work` also matches the nested tag `work/travel`. */
function hasTag({ tags }: MirroredEntity, tag: string): boolean {
  return tags.some((own) => own === tag || own.startsWith(`${tag}/`));
}
