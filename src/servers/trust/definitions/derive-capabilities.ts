import { CAPABILITIES, type Capability } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";

/** The parts of a definition that hint at what its tool can do. */
export interface Clues {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly annotations: Readonly<Record<string, unknown>>;
}

interface Parameter {
  /** In lower case, its words separated by single spaces. */
  readonly name: string;
  readonly text: string;
}

const MAX_TEXT = 2_000;
const MAX_PARAMETERS = 100;
const MAX_DEPTH = 3;

/**
 * Guesses from its wording what a tool can do outside its call, and rather too much than too little. Annotations that add
 * a capability are believed from any server, those that remove one only from a trusted server.
 */
export function deriveCapabilities(clues: Clues, trusted: boolean): readonly Capability[] {
  const { annotations } = clues;
  const name = splitWords(clues.name);
  const text = `${clues.title ?? ""} ${clues.description}`.slice(0, MAX_TEXT).toLowerCase();
  const parameters = listParameters(clues.inputSchema);
  const capabilities = new Set<Capability>();

  if (runsPrograms(name, text, parameters)) capabilities.add("shell");
  if (touchesFiles(name, text, parameters)) {
    const canWrite = changesFiles(name, text, parameters) || annotations.destructiveHint === true;
    if (canWrite) capabilities.add("fs.write");
    if (!canWrite || READS.test(name)) capabilities.add("fs.read");
  }
  if (annotations.openWorldHint === true || reachesOut(name, text, parameters)) capabilities.add("net");
  if (usesSecrets(name, text, parameters)) capabilities.add("secrets");
  if (ASKS.test(name)) capabilities.add("people");

  if (trusted && annotations.readOnlyHint === true) capabilities.delete("fs.write");
  if (trusted && annotations.openWorldHint === false) capabilities.delete("net");
  return CAPABILITIES.filter((capability) => capabilities.has(capability));
}

const hasParameter = (parameters: readonly Parameter[], pattern: RegExp) =>
  parameters.some((parameter) => pattern.test(parameter.name));

const RUNS =
  /\b(shell|bash|powershell|terminal|cmd|exec|subprocess|sudo|ssh|repl)\b|\b(run|execute|exec|eval|evaluate|spawn|launch|start|invoke)\b.* ?\b(commands?|code|scripts?|program|process|python|javascript|node|npm|binary|tests?|build)\b/;
const RUNS_TEXT =
  /\b(shell|bash|terminal|command[- ]line|powershell|system) commands?\b|\b(run|runs|execute|executes|executing|running|spawns?|evaluates?) (?:\S+ ){0,4}(?:commands?|programs?|scripts?|code|python|process(?:es)?|binar(?:y|ies))\b|\bvia ssh\b|\barbitrary code\b/;
const COMMAND = /^(command|commands|cmd|shell command|command line|shell|bash|executable|program)$/;
const CODE = /^(code|source code|python code|python|script)$/;
const RUN_VERB = /\b(run|runs|execute|executes|exec|eval|evaluate|evaluates|interpret)\b/;

function runsPrograms(name: string, text: string, parameters: readonly Parameter[]): boolean {
  if (RUNS.test(name) || RUNS_TEXT.test(text)) return true;
  return (
    hasParameter(parameters, COMMAND) ||
    (hasParameter(parameters, CODE) && (RUN_VERB.test(name) || RUN_VERB.test(text)))
  );
}

const PATHS =
  /(?:^|(?<!sort |area |iteration |node )\b)(path|paths|filepath|filepaths|file|files|filename|filenames|file name|dir|dirs|directory|directories|folder|folders|cwd|work dir|workdir|project root|root)$/;
/** Words that say that a path is not on this machine. */
const ELSEWHERE =
  /\b(api|endpoint|url|uri|http|route|repo|repository|branch|commit|bucket|blob|s3|drive|sharepoint|dropbox|onedrive|cloud|remote|json ?path|jq|xpath|css|selector|dot[- ]notation|breadcrumb|field|object|schema)\b/;
const HERE =
  /\b(local|locally|absolute|disk|on disk|file ?system|working directory|workspace|your computer|this machine|home directory|~\/|c:\\)/;
/** Parameters that are paths on this machine, whatever else the tool deals with. */
const LOCAL_PATHS =
  /^(directory|dir|cwd|workdir|work dir|working directory|(?:save|local|repo|project|output|out|workspace|target|dest|destination|download|export) (?:path|dir|directory|folder|file|filename))$/;
const FILES_NAME = /\b(files?|dir|directory|directories|folders?|filesystem)\b/;
const FILES_TEXT =
  /\b(local (?:files?|disk|folders?|director(?:y|ies)|machine)|file ?system|files? on disk|to disk|from disk|to a (?:local )?file|absolute path|file path|director(?:y|ies) (?:on|in) (?:the|your))\b/;

function touchesFiles(name: string, text: string, parameters: readonly Parameter[]): boolean {
  if (FILES_TEXT.test(text)) return true;
  const paths = parameters.filter((parameter) => PATHS.test(parameter.name));
  const isHere = (words: string) => HERE.test(words) || !ELSEWHERE.test(words);
  if (paths.some((path) => LOCAL_PATHS.test(path.name) && isHere(path.text))) return true;
  if (paths.some((path) => HERE.test(path.text) || (isHere(path.text) && isHere(`${name} ${text}`))))
    return true;
  return FILES_NAME.test(name) && isHere(`${name} ${text}`);
}

const WRITES =
  /\b(write|writes|edit|create|make|mkdir|delete|remove|rm|move|mv|rename|copy|cp|save|append|update|upsert|download|export|patch|replace|truncate|put|insert|set|add|touch|unzip|extract|compress|zip|convert|generate|render|install|init|commit|apply|format|refactor|store|sync|clone|merge|split|resize|record|screenshot|print|dump|backup|restore|modify|change|clear|clean|erase|wipe|chmod|chown)\b/;
const READS =
  /\b(read|get|list|search|find|grep|view|open|show|cat|stat|tree|load|import|upload|attach|copy|move|edit|convert|analy[sz]e|compare|diff)\b/;
const WRITES_TEXT =
  /\b(writes?|overwrites?|creates?|deletes?|removes?|moves?|renames?|saves?|appends?|modif(?:y|ies)|edits?|stores?) (?:\S+ ){0,5}(?:files?|director(?:y|ies)|folders?|disk|path)\b|\bsaved? (?:it )?(?:to|as|in)\b/;
const OUTPUT =
  /^(output|out|save|saved|dest|destination|target|download|export|write|new)( (?:file|path|dir|directory|folder|filename|file path|file name|to))+$|^(destination|dest|save to|outfile|outdir|output|output to)$/;

function changesFiles(name: string, text: string, parameters: readonly Parameter[]): boolean {
  return WRITES.test(name) || WRITES_TEXT.test(text) || hasParameter(parameters, OUTPUT);
}

const NET_NAME =
  /\b(fetch|http|https|web|website|webpage|browser?|browse|navigate|crawl|scrape|download|upload|internet|online|webhook|url|urls|email|emails|mail|gmail|sms|tweet|publish|deploy|push|curl|request|ping|dns|whois|domain|api|github|gitlab|slack|discord|telegram|jira|notion|stripe|twilio|s3|aws|azure|gcp|google|youtube|linear|reddit|wikipedia|arxiv|weather)\b/;
const NET_TEXT =
  /https?:\/\/|\b(urls?|websites?|web ?pages?|the (?:web|internet)|web search|online|http(?:s)? requests?|webhooks?|e-?mails?|(?:rest|graphql|web|public|remote|external|third-party) apis?|\w+ api\b|remote (?:server|host|service|repository)|github|gitlab|bitbucket|slack|discord|telegram|jira|confluence|notion|stripe|twilio|salesforce|hubspot|aws|azure|google (?:drive|docs|sheets|cloud|calendar|maps)|gmail|cloudflare|vercel|sentry|linear|asana|trello|figma|shopify|wikipedia|youtube|twitter|linkedin|sends? (?:an? |the )?(?:\w+ )?(?:message|sms|notification|request)s?)\b/;
const ADDRESS =
  /(?:^|\b)(url|urls|uri|endpoint|host|hostname|domain|domains|webhook|website|web hook url|base url|recipient|recipients|email|emails|email address|to email|ip address|link|links)$/;

function reachesOut(name: string, text: string, parameters: readonly Parameter[]): boolean {
  return NET_NAME.test(name) || NET_TEXT.test(text) || hasParameter(parameters, ADDRESS);
}

const SECRET_NAME =
  /\b(secrets?|credentials?|passwords?|passphrase|keychain|keyring|api keys?|private keys?|access tokens?|vaults?)\b/;
const SECRET_PARAMETER =
  /\b(passwords?|passwd|passphrase|secrets?|api ?keys?|private keys?|credentials?|access tokens?|auth tokens?|bearer token|client secret|ssh key|secret key)\b/;
const SECRET_TEXT =
  /\b(get|gets|read|reads|retrieves?|lists?|returns?|creates?|stores?|rotates?|reveals?|decrypts?|fetch(?:es)?) (?:\S+ ){0,4}(?:secrets?|credentials?|passwords?|api keys?|private keys?|access tokens?)\b/;

function usesSecrets(name: string, text: string, parameters: readonly Parameter[]): boolean {
  return SECRET_NAME.test(name) || SECRET_TEXT.test(text) || hasParameter(parameters, SECRET_PARAMETER);
}

const ASKS = /\b(ask|prompt|question|confirm with|notify|elicit)\b.*\b(user|human|person|operator)\b/;

function listParameters(schema: unknown): readonly Parameter[] {
  const parameters: Parameter[] = [];
  collectParameters(schema, 0, parameters);
  return parameters;
}

function collectParameters(schema: unknown, depth: number, parameters: Parameter[]): void {
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  if (isRecord(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (parameters.length >= MAX_PARAMETERS) return;
      const description =
        isRecord(property) && typeof property.description === "string" ? property.description : "";
      parameters.push({
        name: splitWords(name.slice(0, 100)),
        text: description.slice(0, MAX_TEXT).toLowerCase(),
      });
      collectParameters(property, depth + 1, parameters);
    }
  }
  collectParameters(schema.items, depth + 1, parameters);
}

const MAX_DESTRUCTIVE_TEXT = 300;

/** Excludes "drag and drop", which destroys nothing. */
const DESTRUCTIVE_NAME =
  /\b(deletes?|removes?|rm|(?<!\band )drops?|purges?|destroys?|wipes?|erases?|truncates?|resets?|overwrites?|uninstalls?|revokes?|terminates?|kills?|force push|clears?|empty|discards?|prunes?|unlinks?|deprovision)\b/;
const DESTRUCTIVE_TEXT =
  /\b(permanently|irreversibl[ey]|can ?not be undone|destructive)\b|\b(deletes?|removes?|drops?|purges?|destroys?|wipes?|erases?|truncates?|overwrites?) (?:an?|the|all|any|one|multiple|existing|every|specified|your|this)\b/;

/**
 * Whether a tool destroys something, by the verbs of its name and by clear words at the start of its description. MCP
 * treats every tool without a hint as destructive; as hardly any server gives one, every call would need approval.
 */
export function soundsDestructive({ name, description }: { name: string; description: string }): boolean {
  return (
    DESTRUCTIVE_NAME.test(splitWords(name)) ||
    DESTRUCTIVE_TEXT.test(description.slice(0, MAX_DESTRUCTIVE_TEXT).toLowerCase())
  );
}

/** Turns `readTextFile`, `read-text-file` and `read_text_file` into `read text file`. */
function splitWords(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return spaced
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}
