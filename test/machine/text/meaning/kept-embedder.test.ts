import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/lib/log.ts";
import { embeddingStore } from "../../../../src/machine/text/meaning/embeddings.ts";
import { KeptEmbedder } from "../../../../src/machine/text/meaning/kept-embedder.ts";
import { FakeEmbedder } from "../../../support/fake-embedder.ts";
import { tempStore } from "../../../support/temp-store.ts";

const DAY = 86_400_000;

describe("vectors that are kept", () => {
  it("are never made again: not for equal texts, not by another process, not after a restart", async () => {
    await using temp = await tempStore();
    const deps = { store: embeddingStore(temp.store.database), clock: () => 0, log: silentLog };
    const [first, second] = [new FakeEmbedder(["mail"]), new FakeEmbedder(["mail"])];
    const before = new KeptEmbedder({ ...deps, embedder: first });
    const vectors = await before.embed(["mail", "other", "mail"]);
    expect(first.asked).toEqual(["mail", "other"]);
    expect(vectors![2]).toEqual(vectors![0]);
    const after = new KeptEmbedder({ ...deps, embedder: second });
    expect(await after.embed(["other", "new", "mail"])).toEqual([
      vectors![1],
      (await second.embed(["new"]))![0],
      vectors![0],
    ]);
    expect(second.asked).toEqual(["new", "new"]);
  });

  it("are of their model only", async () => {
    await using temp = await tempStore();
    const deps = { store: embeddingStore(temp.store.database), clock: () => 0, log: silentLog };
    await new KeptEmbedder({ ...deps, embedder: new FakeEmbedder(["mail"]) }).embed(["mail"]);
    const other = Object.assign(new FakeEmbedder(["mail"]), { model: "another" });
    await new KeptEmbedder({ ...deps, embedder: other }).embed(["mail"]);
    expect(other.asked).toEqual(["mail"]);
  });

  it("are made again where nobody knows yet how many dimensions they have, and only those asked for first", async () => {
    await using temp = await tempStore();
    const deps = { store: embeddingStore(temp.store.database), clock: () => 0, log: silentLog };
    await new KeptEmbedder({ ...deps, embedder: new FakeEmbedder(["mail"]) }).embed(["mail", "other"]);
    const learning = Object.assign(new FakeEmbedder(["mail"]), { dimensions: 0 });
    const kept = new KeptEmbedder({ ...deps, embedder: learning });
    await kept.embed(["mail"]);
    Object.assign(learning, { dimensions: 32 });
    await kept.embed(["mail", "other"]);
    expect(learning.asked).toEqual(["mail"]);
  });

  it("stay as long as they are used", async () => {
    await using temp = await tempStore();
    let now = 0;
    const embedder = new FakeEmbedder(["mail"]);
    const kept = new KeptEmbedder({
      embedder,
      store: embeddingStore(temp.store.database),
      clock: () => now,
      log: silentLog,
    });
    await kept.embed(["mail", "other"]);
    now = 10 * DAY;
    await kept.embed(["mail"]);
    expect(await embeddingStore(temp.store.database).prune(5 * DAY, 10)).toBe(1);
    await kept.embed(["mail", "other"]);
    expect(embedder.asked).toEqual(["mail", "other", "other"]);
  });

  it("are not looked for where somebody waits", async () => {
    const never = () => Promise.reject(new Error("asked"));
    const store = { among: never, put: never, touch: never };
    const embedder = new FakeEmbedder(["mail"]);
    const kept = new KeptEmbedder({ embedder, store, clock: () => 0, log: silentLog });
    expect(await kept.embed(["mail"], { urgent: true })).toHaveLength(1);
  });

  it("are made all the same where the store fails, which is logged", async () => {
    const never = () => Promise.reject(new Error("the disk is full"));
    const logged: object[] = [];
    const kept = new KeptEmbedder({
      embedder: new FakeEmbedder(["mail"]),
      store: { among: never, put: never, touch: never },
      clock: () => 0,
      log: { ...silentLog, warn: (fields) => logged.push(fields) },
    });
    expect(await kept.embed(["mail"])).toHaveLength(1);
    expect(logged).toEqual([{ cause: "the disk is full" }, { cause: "the disk is full" }]);
  });

  it("are not there where the embedder is not", async () => {
    await using temp = await tempStore();
    const embedder = new FakeEmbedder(["mail"]);
    const deps = { store: embeddingStore(temp.store.database), clock: () => 0, log: silentLog };
    const kept = new KeptEmbedder({ embedder, ...deps });
    await kept.embed(["mail"]);
    await kept.close();
    expect(kept.state.kind).toBe("unavailable");
    expect(await kept.embed(["mail", "other"])).toBeUndefined();
  });
});
