import { Analyser } from "../../../machine/text/analyser.ts";
import { porterStem } from "../../../machine/text/porter.ts";

/** What documents and queries for them are found by. Whoever changes it must have every document indexed anew. */
export function documentAnalyser(): Analyser {
  return new Analyser(porterStem);
}
