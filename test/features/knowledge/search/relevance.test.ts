import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedText } from "../../../../src/features/knowledge/indexing/chunk-terms.ts";
import { knowledgeReader } from "../../../../src/features/knowledge/search/knowledge-reader.ts";
import { QueryMeanings } from "../../../../src/features/knowledge/search/query-meanings.ts";
import { Searcher } from "../../../../src/features/knowledge/search/searcher.ts";
import { silentLog } from "../../../../src/lib/log.ts";
import { measureLikenessFloor } from "../../../../src/machine/text/meaning/likeness-floor.ts";
import { LocalEmbedder } from "../../../../src/machine/text/meaning/minilm/local-embedder.ts";
import { Dice } from "../../../support/dice.ts";
import { MINILM_WORKER, testMinilm } from "../../../support/minilm.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { entity, NOW, sqliteIndex, type TestIndex } from "../index/indexes.ts";

const DOCUMENTS = {
  bread: "Recipe for sourdough bread: flour, water, salt, a starter, 24 hours.",
  brakes: "The car needs new brakes; the garage called on Monday.",
  cluster: "Kubernetes cluster upgrade: drain the nodes, upgrade, uncordon.",
  knee: "Appointment because of knee pain, physiotherapy twice a week.",
  meeting: "We agreed to ship the release on Friday and Ann writes the changelog.",
  passwords: "Use the vault for passwords and rotate them every 90 days.",
  portugal: "Holiday in Portugal: flights, a hotel in Lisbon, surfing lessons.",
  taxes: "Tax declaration: send the form before July, keep the receipts.",
};

describe.runIf(testMinilm())("a small index with the real encoder", () => {
  let t: TestIndex;
  let models: Awaited<ReturnType<typeof tempHome>>;
  let embedder: LocalEmbedder;
  let search: (query: string) => Promise<string[]>;

  beforeAll(async () => {
    t = await sqliteIndex();
    models = await tempHome();
    embedder = new LocalEmbedder({ folder: models.path, log: silentLog, worker: MINILM_WORKER });
    await t.writer.write(
      Object.entries(DOCUMENTS).map(([key, text]) => entity(key, [text])),
      NOW,
    );
    const chunks = await t.index.writer.withoutVector(embedder.model, 0, 100);
    const vectors = await embedder.embed(
      chunks.map(({ title, headings, text }) => embeddedText(title, headings, text)),
    );
    await t.index.writer.putVectors(
      embedder.model,
      chunks.map(({ no }, at) => ({ no, vector: new Uint8Array(vectors![at]!.buffer) })),
    );
    const reader = knowledgeReader({
      searcher: new Searcher(t.index.reader),
      sources: async () => [
        {
          ...{ id: "src_1", name: "notes", kind: "folder", config: {}, label: null, enabled: true },
          ...{ lastSync: null, createdAt: NOW, updatedAt: NOW },
        },
      ],
      meanings: new QueryMeanings({ embedder, isOn: () => true, waitMs: 60_000 }),
    });
    search = async (query) => {
      const page = await reader.search({ query, limit: 100, access: { labels: null } });
      expect(page.mode).toBe("hybrid");
      return page.results.map((found) => (found.kind === "entity" ? found.title : found.id));
    };
  });

  afterAll(async () => {
    await embedder?.close();
    await models?.[Symbol.asyncDispose]();
    await t?.[Symbol.asyncDispose]();
  });

  it("a word that matches nothing finds nothing, whatever it looks like", async () => {
    const dice = new Dice(19);
    const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    const word = () =>
      Array.from({ length: 4 + dice.below(10) }, () => letters[dice.below(letters.length)]).join("");
    const made = Array.from({ length: 40 }, word);
    for (const query of [...made, "xylophone", "giraffe", "chromodynamics", "qwertzuiop", "zzz yyy xxx"])
      expect([query, await search(query)]).toEqual([query, []]);
  });

  it("what means much the same is found without any of its words, and no more than that", async () => {
    expect(await search("credential rotation")).toEqual(["passwords"]);
    expect(await search("vacation")).toEqual(["portugal"]);
    expect(await search("loaf")).toEqual(["bread"]);
  });

  it("the floor of the encoder that comes with Toolkeep is the one that is measured", async () => {
    expect(await measureLikenessFloor(embedder)).toBeCloseTo(embedder.likenessFloor, 1);
  });
});
