import { TrustedFiles } from "../../features/trusted-files/tables.ts";
import { loadHomeSettings, openHomeStore } from "../../features.ts";
import type { Clock } from "../../lib/clock.ts";
import type { LoadedSettings } from "../../machine/config/load.ts";

export interface SettingsInput {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly clock: Clock;
}

/**
 * Loads the settings of this process before its hub is open. The store says which project files are trusted, and the
 * settings say where the store is. Therefore the first read leaves the project file out, and a second one follows once
 * the store was read. The caller holds the lock of the home.
 */
export async function loadTrustedSettings({ env, cwd, clock }: SettingsInput): Promise<LoadedSettings> {
  const untrusted = await loadHomeSettings({ env, cwd, isTrusted: () => false });
  if (!untrusted.files.some((file) => file.scope === "project")) return untrusted;

  const { home, databaseUrl } = untrusted.settings;
  const store = await openHomeStore({ home, databaseUrl, clock });
  try {
    const trust = new TrustedFiles(store.database);
    return await loadHomeSettings({ env, cwd, isTrusted: (path, sha256) => trust.has(path, sha256) });
  } finally {
    await store.close();
  }
}
