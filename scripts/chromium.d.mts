export function ensureChromium(): { readonly program: string } | { readonly missing: string };
export function findChromium(): string | undefined;
export function findHeadlessShell(): string | undefined;
