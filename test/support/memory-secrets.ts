import type { SecretRecord } from "../../src/call/vault/contract.ts";
import type { SecretTable } from "../../src/call/vault/tables.ts";

/** Secrets that are kept nowhere. */
export function memorySecrets(): Pick<SecretTable, keyof SecretTable> {
  const records = new Map<string, SecretRecord>();
  return {
    list: async () => [...records.values()],
    put: async (record) => void records.set(record.name, record),
    async replace(name, change, was) {
      const record = records.get(name);
      const isSame = record !== undefined && Buffer.compare(record.sealed, was) === 0;
      if (isSame) records.set(name, { ...record, ...change });
      return isSame;
    },
    delete: async (name) => void records.delete(name),
  };
}
