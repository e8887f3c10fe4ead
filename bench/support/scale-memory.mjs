// What a catalogue takes in a process of its own: node --expose-gc scale-memory.mjs FILE, prints its figures as JSON.
import { drawnMeanings } from "./drawn-meanings.mjs";
import { agentWith, largeCatalogue } from "./large-catalogue.mjs";

const MEGABYTE = 2 ** 20;

const empty = rssMb();
const { catalog, newRanking } = await largeCatalogue(process.argv[2]);
const tools = catalog.visible(agentWith(["mcp:*"]));
const withTools = rssMb();
const ranking = newRanking();
await ranking.search("anything", tools, 10);
const withIndex = rssMb();
const meanings = drawnMeanings();
for (const tool of tools) meanings.take(tool.name, () => tool.description);
await meanings.catchUp();
const withVectors = rssMb();
// Asked once more, so that nothing of it could be let go before.
await ranking.search("anything", tools, 10);
console.log(
  JSON.stringify({
    toolsMb: withTools - empty,
    indexMb: withIndex - withTools,
    totalMb: withIndex - empty,
    vectorsMb: withVectors - withIndex,
  }),
);

/** Of the whole process, after whatever nobody needs any more was let go. */
function rssMb() {
  for (let round = 0; round < 3; round++) globalThis.gc();
  return process.memoryUsage.rss() / MEGABYTE;
}
