/** Finds what looks like a credential, whether or not the vault knows it. */

/**
 * Each pattern takes time that grows only with the length of the text. If there is a group `value`, only that is the
 * credential. A group `before` belongs to the credential but is matched backwards from the rest, so that a beginning
 * without an end costs nothing.
 */
const SHAPES: Readonly<Record<string, RegExp>> = {
  private_key:
    /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{0,20000}(?:-----END [A-Z0-9 ]{0,40}-----)?/g,
  jwt: /\.(?=eyJ)(?<=(?<before>\beyJ[\w-]{8,4096})\.)[\w-]{5,8195}\.[\w-]{0,4096}/g,
  aws_key: /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g,
  github_token: /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255})/g,
  gitlab_token: /\bgl(?:pat|dt|rt|ptt|soat|ft)-[\w-]{20,255}/g,
  slack_token: /\bxox[abceprs]-[\w-]{10,255}|\bxapp-[\w-]{10,255}/g,
  slack_webhook: /\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows)\/[\w/-]{10,255}/g,
  google_key: /\bAIza[\w-]{35}|\bya29\.[\w-]{20,4096}/g,
  stripe_key: /\b[spr]k_(?:live|test)_[A-Za-z0-9]{10,255}/g,
  model_key: /\bsk-(?:ant-|proj-|or-v1-)?[\w-]{20,255}/g,
  npm_token: /\bnpm_[A-Za-z0-9]{30,255}/g,
  toolkeep_token: /\btk_sk_[\w-]{20,255}/g,
  authorization: /\b(?:Bearer|Basic)\s{1,4}(?<value>[\w.~+/-]{8,4096}={0,2})/gi,
  url_password: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@'"]{0,255}:(?<value>[^\s/@'"]{1,255})@/gi,
  assignment:
    /(?:passw(?:or)?d|passphrase|pwd|secret|token|credential|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key)s?["']?\s{0,4}[:=]\s{0,4}(?:"(?<quoted>[^"\n]{4,1024})"|'(?<single>[^'\n]{4,1024})'|(?<value>[^\s"',;&)}\]]{6,1024}))/gi,
};

/** Masks, placeholders, references and variables are not credentials. */
const STAND_IN =
  /^(?:\[redacted|<[^>]*>?$|\$|%\w+%|\{\{|\*{3,}|x{4,}$|\.{3,}|…|(?:true|false|null|none|undefined|required|optional|string|number)$)/i;

interface Credential {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

export interface Scrubbed {
  readonly text: string;
  /** How many credentials were replaced, by kind: `github_token: 1`. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Replaces everything that looks like a credential, and for which `isIncluded` is true, with a placeholder that names its
 * kind. Doing it twice changes nothing.
 */
export function withoutCredentials(
  text: string,
  isIncluded: (kind: string, value: string) => boolean = () => true,
): Scrubbed {
  const counts: Record<string, number> = {};
  let result = "";
  let position = 0;
  for (const { kind, start, end } of mergeOverlaps(findCredentials(text, isIncluded))) {
    result += `${text.slice(position, start)}[redacted ${kind}]`;
    position = end;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return { text: result + text.slice(position), counts };
}

function findCredentials(text: string, isIncluded: (kind: string, value: string) => boolean): Credential[] {
  return Object.entries(SHAPES).flatMap(([kind, shape]) =>
    [...text.matchAll(shape)].flatMap((match) => {
      const whole = `${match.groups?.before ?? ""}${match[0]}`;
      const { value = whole } = {
        value: match.groups?.quoted ?? match.groups?.single ?? match.groups?.value,
      };
      // Masking a mask would say less, and a stand-in reveals nothing.
      if (STAND_IN.test(value) || !isIncluded(kind, value)) return [];
      const start = match.index + match[0].length - whole.length + whole.lastIndexOf(value);
      return [{ kind, start, end: start + value.length }];
    }),
  );
}

/** In order. Two that overlap become one, of the kind that begins first. */
function mergeOverlaps(found: readonly Credential[]): Credential[] {
  const result: Credential[] = [];
  for (const next of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (!last || next.start >= last.end) result.push(next);
    else result[result.length - 1] = { ...last, end: Math.max(last.end, next.end) };
  }
  return result;
}
