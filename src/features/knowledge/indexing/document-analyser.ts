import { Analyser } from "../../../machine/text/analyser.ts";
import { porterStem } from "../../../machine/text/porter.ts";

/** Turns documents and queries into terms. After a change every document has to be indexed again. */
export function documentAnalyser(): Analyser {
  return new Analyser(porterStem);
}
