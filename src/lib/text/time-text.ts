/** Models read dates better than numbers. */
export function iso(time: number): string {
  return new Date(time).toISOString();
}
