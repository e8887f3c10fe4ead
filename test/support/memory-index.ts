import type { KnowledgeWriter, NewEntity } from "../../src/features/knowledge/index/index-record.ts";
import { compareKeys } from "../../src/features/knowledge/sources/compare-keys.ts";

/** The index of one source in memory, for tests of what writes to it. */
export class MemoryIndex implements KnowledgeWriter {
  readonly entities = new Map<string, NewEntity>();
  readonly written: string[] = [];

  async known(_sourceId: string, after: string | null, limit: number) {
    return [...this.entities.values()]
      .sort((one, other) => compareKeys(one.key, other.key))
      .filter(({ key }) => after === null || compareKeys(key, after) > 0)
      .slice(0, limit);
  }

  async write(entities: readonly NewEntity[]) {
    for (const entity of entities) {
      this.entities.set(entity.key, entity);
      this.written.push(entity.key);
    }
  }

  async touch(_sourceId: string, states: Parameters<KnowledgeWriter["touch"]>[1]) {
    for (const state of states) this.entities.set(state.key, { ...this.entities.get(state.key)!, ...state });
  }

  async bury(_sourceId: string, keys: readonly string[]) {
    for (const key of keys) this.entities.delete(key);
  }

  async forget() {
    this.entities.clear();
  }
}
