import type { Finding } from "../../../contract/tool-shapes.ts";
import { isRecord } from "../../../lib/json.ts";
import {
  countHidden,
  findImitations,
  isSuspect,
  redactCredentials,
  removeHidden,
  revealHidden,
} from "./clean-text.ts";

export type FindingKind = Finding["kind"];

/** Recognises the names of other servers and of their tools. */
export interface ForeignNames {
  /** Whether a word is the name of a tool that only other servers have. */
  isTool(word: string): boolean;
  /** `word` is in lower case. */
  isServer(word: string): boolean;
}

export const NO_FOREIGN_NAMES: ForeignNames = { isTool: () => false, isServer: () => false };

const MAX_TEXT = 64 * 1024;
const MAX_FINDINGS = 5;
const EXCERPT_MARGIN = 60;
/** Shorter texts cannot contain a finding. */
const MIN_LENGTH = 16;
const NONE: readonly Finding[] = [];
/** The number of hidden characters that a careless editor may leave. */
const TOLERATED_HIDDEN = 1;

/** Sentences that only make sense to a model, against its host or user. Plain advice on use must not match. */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|earlier|above|all|any|other|system|your|these|the|safety)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|messages?|guidelines?|directives?|polic(?:y|ies)|restrictions?)\b/i,
  /\b(?:do not|don't|don’t|never|must not|without|avoid|refrain from)\s+(?:ever\s+)?(?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|notify|notifying|alert|alerting|disclos(?:e|ing)|show|showing|say|explain|ask|asking|warn|warning)\b[^.\n]{0,60}\b(?:the\s+)?(?:user|human|person|operator|them|anyone|anybody|owner)\b/i,
  /\b(?:keep (?:this|it)|this is|stay)\s+(?:\w+\s+){0,3}(?:secret|hidden|confidential) (?:from|between)\b/i,
  /\bbefore (?:using|calling|running|invoking|executing|any use of|you (?:use|call|run))\s+(?:any|every|all|each|the)?\s*(?:of the\s+)?(?:other|another|others?|any|every)\s+(?:mcp\s+)?(?:tools?|functions?|servers?|commands?)\b/i,
  /\b(?:this tool|it) (?:must|has to|should|needs to) (?:always )?be (?:called|used|run|invoked|executed) (?:first|before (?:any|every|all|each))\b[^.\n]{0,60}\b(?:tools?|messages?|responses?|requests?|conversations?|operations?|other)\b/i,
  /\b(?:you are now|from now on,? you|you will now act|act as (?:if|though) you|pretend (?:to be|that you|you)|your (?:new|real|true) (?:task|goal|role|instructions?|purpose))\b/i,
  /\b(?:real|actual|hidden|secret|new|updated) (?:system )?(?:instructions?|prompt)\b\s*[:\-–]/i,
  /\b(?:as an? (?:ai|llm|language model|assistant)|dear (?:ai|assistant|model|llm)|attention,? (?:ai|assistant|model|llm|agent)|(?:note|instructions?|message) (?:to|for) (?:the )?(?:ai|assistant|llm|language model|agent)s?)\b/i,
  /\b(?:system|developer) (?:override|prompt injection|directive|update) ?[:\]]/i,
  /\b(?:no need (?:for|to)|do not (?:ask|wait|request)(?: for)?|skip(?:ping)?) (?:\w+\s+){0,3}(?:user|human|person)(?:'s)? (?:confirmation|approval|consent|permission)\b|\bwithout (?:the )?(?:user|human|person)(?:'s)? (?:knowledge|knowing|noticing|noticing it)\b/i,
  /\b(?:when|whenever|if|every time) (?:the )?(?:user|you|another tool|any (?:other )?tool)\b[^.\n]{0,80}\b(?:instead,? (?:call|use|send)|always (?:also )?(?:bcc|cc|forward|send|include|add|append))\b/i,
];

const SECRET_PLACES: readonly RegExp[] = [
  /(?:~|\$HOME|\/home\/\w+|\/root|%USERPROFILE%)[/\\]\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|cursor|claude|config[/\\](?:gcloud|gh)|env|bash_history|zsh_history)\b/i,
  /(?:\bid_rsa|id_ed25519|id_ecdsa|authorized_keys|\.netrc|\.pgpass|\/etc\/(?:passwd|shadow|sudoers)|\.git-credentials|mcp\.json|claude_desktop_config\.json|\bwallet\.dat|\bkeychain-db)\b/i,
  /\b(?:read|send|include|pass|provide|attach|upload|copy|append|extract|collect|gather|put|add|get|fetch|exfiltrate|supply|paste|forward)\b[^.\n]{0,50}\b(?:contents? of|value of|content from)\b[^.\n]{0,40}(?:\.env\b|\.ssh|private key|credentials?|api keys?|passwords?|secrets?|ssh key|environment variables?|config(?:uration)? file)/i,
  /\b(?:send|include|pass|attach|upload|append|exfiltrate|forward|leak|copy|paste)\b[^.\n]{0,60}\b(?:all|any|every|the user'?s|your|their|its|available|other)\s+(?:\w+\s+){0,2}(?:api keys?|passwords?|secrets?|credentials?|private keys?|ssh keys?|access tokens?|environment variables|conversation(?: history)?|chat history|previous messages|system prompt)\b/i,
  /\b(?:conversation history|chat history|system prompt|full context|previous messages|entire conversation|list of (?:all )?(?:available )?tools)\b[^.\n]{0,60}\b(?:as|in|into|to) (?:the |this )?(?:`?\w+`? )?(?:parameter|argument|field|url|endpoint|server)\b/i,
];

const BLOB = /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{4}){30,}|(?:\\x[0-9a-f]{2}){20,}|(?:%[0-9a-f]{2}){20,}/i;
const BLANK_RUN = /[^\S\n]{40,}|\n(?:[^\S\n]*\n){12,}/;
const COMMENT = /<!--[^>]{20,}/;

/** Finds what people should look at in one text. Deterministic. */
export function scanText(
  field: string,
  whole: string,
  others: ForeignNames = NO_FOREIGN_NAMES,
): readonly Finding[] {
  if (whole.length < MIN_LENGTH && !isSuspect(whole)) return NONE;
  const text = whole.slice(0, MAX_TEXT);
  const findings: Finding[] = [];
  const add = (kind: FindingKind, at: number, length: number, within = text) => {
    if (findings.filter((finding) => finding.kind === kind).length < MAX_FINDINGS)
      findings.push({ kind, field, excerpt: makeExcerpt(within, at, length) });
  };
  // Hidden characters between the letters of a word must not conceal the word.
  const plain = isSuspect(text) ? removeHidden(text) : text;
  const addPlain = (kind: FindingKind) => (at: number, length: number) => add(kind, at, length, plain);
  for (const order of ORDERS) findMatch(order, plain, addPlain("addresses_model"));
  for (const place of SECRET_PLACES) findMatch(place, plain, addPlain("asks_for_secrets"));
  if (isSuspect(text)) {
    if (countHidden(text) > TOLERATED_HIDDEN) add("hides_text", findFirstHidden(text), 1);
    for (const mark of findImitations(text)) add("imitates_host", text.indexOf(mark), mark.length);
  }
  const redacted = redactCredentials(plain);
  // The excerpt comes from the redacted text, so that nobody sees the credential.
  if (redacted !== plain) add("holds_credentials", Math.max(0, redacted.indexOf("[redacted ")), 10, redacted);
  findMatch(BLOB, text, (at, length) => {
    if (isBlob(text.slice(at, at + length))) add("hides_text", at, length);
  });
  findMatch(BLANK_RUN, text, (at, length) => {
    // Whitespace at the end of the text or at the start of a line hides nothing.
    if (/\S/.test(text.slice(at + length)) && /[^\s]/.test(getLineBefore(text, at)))
      add("hides_text", at, length);
  });
  findMatch(COMMENT, text, (at, length) => add("hides_text", at, length));
  for (const { 0: word, index } of text.matchAll(NAME)) {
    if (others.isTool(word)) add("names_others", index, word.length);
  }
  for (const { 1: word, index } of text.matchAll(SERVER)) {
    if (word && others.isServer(word.toLowerCase())) add("names_others", index, word.length);
  }
  return findings;
}

/** Names that are not ordinary words: they have at least two parts. */
const NAME = /\b[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b/g;
const SERVER = /\b([A-Za-z][\w-]{2,40})(?:'s)? (?:mcp )?server\b/gi;

function findMatch(pattern: RegExp, text: string, onMatch: (at: number, length: number) => void): void {
  const match = pattern.exec(text);
  if (match) onMatch(match.index, match[0].length);
}

/** Looks like base64: not a long word, a path or a run of the same letters. */
function isBlob(text: string): boolean {
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && /[0-9]/.test(text) && new Set(text).size > 15;
}

function getLineBefore(text: string, at: number): string {
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
}

function findFirstHidden(text: string): number {
  const revealed = revealHidden(text);
  let at = 0;
  while (text[at] === revealed[at]) at++;
  return at;
}

function makeExcerpt(text: string, at: number, length: number): string {
  const from = Math.max(0, at - EXCERPT_MARGIN);
  const to = Math.min(text.length, at + Math.min(length, 200) + EXCERPT_MARGIN);
  const part = revealHidden(text.slice(from, to).replace(/\s+/g, " ")).trim();
  return `${from > 0 ? "…" : ""}${part}${to < text.length ? "…" : ""}`;
}

const MAX_FINDINGS_IN_DEFINITION = 20;
const MAX_DEPTH = 12;
/** Addresses and images, which no model reads. */
const UNREAD_FIELDS = new Set(["icons", "_meta", "uri", "uriTemplate", "mimeType", "$schema", "$id", "$ref"]);

/** Finds what people should look at in a definition, or in any other value that a server published. */
export function scanDefinition(
  definition: unknown,
  others: ForeignNames = NO_FOREIGN_NAMES,
): readonly Finding[] {
  const findings: Finding[] = [];
  scan(definition, "", 0, others, findings);
  return findings;
}

function scan(value: unknown, field: string, depth: number, others: ForeignNames, findings: Finding[]): void {
  if (findings.length >= MAX_FINDINGS_IN_DEFINITION || depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    findings.push(...scanText(field, value, others));
  } else if (Array.isArray(value)) {
    // The values of an enum are one text, because a sentence may be spread over them.
    if (value.every((item) => typeof item === "string"))
      scan(value.join("\n"), field, depth, others, findings);
    else for (const [at, item] of value.entries()) scan(item, `${field}[${at}]`, depth + 1, others, findings);
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (UNREAD_FIELDS.has(key)) continue;
      const inner = field === "" ? key : `${field}.${key}`;
      // A key may be as long as a sentence.
      if (key.length > 20) findings.push(...scanText(field, key.replace(/[_-]+/g, " "), others));
      scan(item, inner, depth + 1, others, findings);
    }
  }
}
