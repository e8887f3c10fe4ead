import { z } from "zod";
import { bytes, type Infer } from "../../../src/contract/shape.ts";

export const entry = z.object({
  id: z.string(),
  day: z.string(),
  /** Sealed: what people write is nobody's business. */
  text: bytes,
  createdAt: z.int(),
});
export type EntryRecord = Infer<typeof entry>;

export const newEntry = z.object({ day: z.string().min(1).max(10), text: z.string().min(1).max(2_000) });

export const entryView = entry
  .pick({ id: true, day: true })
  .extend({ text: z.string() })
  .meta({ id: "DiaryEntry" });
export const entryList = z.object({ entries: z.array(entryView) }).meta({ id: "DiaryEntryList" });
export const entryAnswer = z.object({ entry: entryView }).meta({ id: "DiaryEntryAnswer" });
export type EntryView = Infer<typeof entryView>;
