/**
 * Declares where the tools of a source run, besides the public contract. Rules and turns read this and never ask where
 * a tool came from.
 */
export interface ToolPlace {
  /**
   * Relative paths in its arguments do not start from the caller's workspace. Where they lead is not certain, so no
   * rule allows them.
   */
  readonly startsElsewhere?: boolean;
  /** It becomes unavailable and available together with the other tools of its origin. */
  readonly unavailableTogether?: boolean;
}
