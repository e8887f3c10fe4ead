import type { FeatureParts } from "../../contract/feature.ts";
import { attachments } from "./tables.ts";

export const parts: FeatureParts<object> = {
  tables: [attachments],
  open: () => ({}),
};
