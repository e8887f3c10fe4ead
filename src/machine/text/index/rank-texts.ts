import { createPace } from "../../../lib/flow/pace.ts";
import { TextIndex } from "./text-index.ts";

/** The weight of a word in a title compared with one in a body. */
const TITLE_WEIGHT = 3;

/** The positions of the texts that a query finds, best first. Lets everything else have its turn in between. */
export async function rankTexts(
  query: string,
  texts: readonly { readonly title: string; readonly body: string }[],
): Promise<number[]> {
  const pace = createPace();
  const index = new TextIndex();
  for (const [position, { title, body }] of texts.entries()) {
    // Ids of one length, so that equal matches stay in the order in which they came.
    index.put(String(position).padStart(8, "0"), [
      { text: title, weight: TITLE_WEIGHT },
      { text: body, weight: 1 },
    ]);
    await pace();
  }
  return index.search(query, { limit: texts.length }).map(({ id }) => Number(id));
}
