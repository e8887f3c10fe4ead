/** The features, in the order in which they are opened. To add one, add its folder to `features/` and a line here. */

import { access } from "./call/access/feature.ts";
import { audit } from "./call/audit/feature.ts";
import { toolboxes } from "./call/catalog/toolboxes/feature.ts";
import { conversation } from "./call/conversation/feature.ts";
import { calls } from "./call/executor/feature.ts";
import { identity } from "./call/identity/feature.ts";
import { questions } from "./call/questions/feature.ts";
import { rules } from "./call/rules/feature.ts";
import { tools } from "./call/tools/feature.ts";
import { vault } from "./call/vault/feature.ts";
import type { Feature } from "./contract/feature.ts";
import { aids } from "./features/aids/feature.ts";
import { clients } from "./features/clients/feature.ts";
import { customTools } from "./features/custom-tools/feature.ts";
import { knowledge } from "./features/knowledge/feature.ts";
import {
  type FeatureNeeds,
  type LoadedFeature,
  loadFeatures,
  settingsOfFeatures,
  storePartsOf,
} from "./features/open-features.ts";
import { attachments } from "./features/people/feature.ts";
import { plugins } from "./features/plugins/feature.ts";
import { projects } from "./features/projects/feature.ts";
import { trustedFiles } from "./features/trusted-files/feature.ts";
import type { LoadedSettings, LoadOptions } from "./machine/config/load.ts";
import type { StoreOptions } from "./machine/db/open.ts";
import type { Store } from "./machine/db/store.ts";
import { embeddings } from "./machine/text/meaning/feature.ts";
import { servers } from "./servers/feature.ts";
import { tasks } from "./work/tasks/feature.ts";

export const FEATURES: readonly Feature<FeatureNeeds>[] = [
  questions,
  vault,
  rules,
  identity,
  toolboxes,
  conversation,
  access,
  audit,
  calls,
  tools,
  servers,
  tasks,
  projects,
  customTools,
  attachments,
  plugins,
  embeddings,
  knowledge,
  aids,
  clients,
  trustedFiles,
];

/** The command line loads this file at every start. The functions below load the rest on demand. */
export function loadedFeatures(): Promise<readonly LoadedFeature[]> {
  return loadFeatures(FEATURES);
}

/** Opens the store of a home, with the tables of features. */
export async function openHomeStore(options: Omit<StoreOptions, "parts">): Promise<Store> {
  const { openStore } = await import("./machine/db/open.ts");
  return openStore({ ...options, parts: storePartsOf(await loadedFeatures()) });
}

/** Loads the settings of a home, with those that features declare. */
export async function loadHomeSettings(options: Omit<LoadOptions, "declared">): Promise<LoadedSettings> {
  const { loadSettings } = await import("./machine/config/load.ts");
  return loadSettings({ ...options, declared: settingsOfFeatures(await loadedFeatures()) });
}

/** Lists every problem and warning in the settings of a home. */
export async function checkHomeSettings(options: Omit<LoadOptions, "declared">) {
  const { checkFiles } = await import("./machine/config/load.ts");
  return checkFiles({ ...options, declared: settingsOfFeatures(await loadedFeatures()) });
}
