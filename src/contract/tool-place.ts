/**
 * What a source of tools declares about where its tools run, beside the public contract: rules and turns read these and
 * never ask where a tool came from.
 */
export interface ToolPlace {
  /** Relative paths in its arguments do not start from the caller's workspace: what they lead to is not certain, so no rule allows them. */
  readonly startsElsewhere?: boolean;
  /** It becomes unavailable, and comes back, together with the other tools of its origin. */
  readonly unavailableTogether?: boolean;
}
