import { Analyser } from "../../text/analyser.ts";
import { porterStem } from "../../text/porter.ts";

/** What documents and queries for them are found by. Whoever changes it must have every document indexed anew. */
export function documentAnalyser(): Analyser {
  return new Analyser(porterStem);
}
