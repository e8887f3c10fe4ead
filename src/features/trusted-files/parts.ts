import type { FeatureParts } from "../../contract/feature.ts";
import { trustedFiles } from "./tables.ts";

/** The API adds the routes: they reload the settings of the process, which a hub cannot. */
export const parts: FeatureParts<unknown> = { tables: [trustedFiles], open: () => ({}) };
