/**
 * A request that was not sent, or not sent on, because it could reach or reveal what it must not. A TypeError, as
 * `fetch` throws for every request that got no answer; the MCP SDK hides any other kind during discovery.
 */
export class FetchRefused extends TypeError {
  override readonly name = "FetchRefused";
}
