import type { FeatureParts } from "../../contract/feature.ts";
import { activations } from "./tables.ts";

export const parts: FeatureParts = { tables: [activations], open: () => ({}) };
