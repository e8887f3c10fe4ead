/** `734 B`, `1.2 kB`, `5.0 MB`: for people and models, not for counting. */
export function readableSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
