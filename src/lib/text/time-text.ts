/** Models read ISO dates better than numbers. */
export function iso(time: number): string {
  return new Date(time).toISOString();
}
