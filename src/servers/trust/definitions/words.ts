/** `readTextFile`, `read-text-file` and `read_text_file` as `read text file`. */
export function words(name: string): string {
  const apart = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return apart
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}
