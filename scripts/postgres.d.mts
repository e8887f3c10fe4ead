export function ensurePostgres(): { bindir: string } | { missing: string };
