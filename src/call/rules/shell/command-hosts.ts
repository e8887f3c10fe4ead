/** Hosts that commands name without a scheme: `curl example.com/x`, `ssh host`, `git@host:path`. */
import { isPlain } from "./shell-marks.ts";
import { mayRunMore } from "./shell-programs.ts";
import { readCommandLine, UNKNOWN } from "./shell-words.ts";

interface NetworkProgram {
  /** Letters of options whose next word is a value, not a host. */
  readonly values: string;
  /** Which operands are hosts: all, the first, or those with a colon. */
  readonly hosts: "all" | "first" | "colon";
}

const MAX_HOSTS = 50;
const NONE: readonly string[] = Object.freeze([]);

const PROGRAMS: ReadonlyMap<string, NetworkProgram> = new Map([
  ...entriesFor("curl", { values: "AbcCdDeEFhHKmoPQrtTuUwXyYz", hosts: "all" }),
  ...entriesFor("wget http https xh aria2c lynx w3m links", { values: "aAdeiIlOoPQtTUw", hosts: "all" }),
  ...entriesFor("ssh mosh sftp ftp telnet", { values: "BbcDEeFIiLlmOopQRSWw", hosts: "first" }),
  ...entriesFor("nc ncat netcat socat", { values: "eiIopqsTVwXx", hosts: "all" }),
  ...entriesFor("ping ping6 traceroute tracepath mtr dig host nslookup whois", {
    values: "cfgilmMpPqQsStTVwW",
    hosts: "all",
  }),
  ...entriesFor("scp rsync git", { values: "cCeFiJlmoPSX", hosts: "colon" }),
]);
const NAMES = new RegExp(`(?:^|[^\\w-])(?:${[...PROGRAMS.keys()].join("|")})(?![\\w-])`);

/** What may be a host in any command of the line. */
export function findBareHosts(command: string): readonly string[] {
  // Most lines start one program that has nothing to do with hosts.
  const end = command.indexOf(" ");
  const first = end < 0 ? command : command.slice(0, end);
  const isUnrelated = !PROGRAMS.has(first) && !first.includes("/") && !mayRunMore(first) && isPlain(command);
  if (isUnrelated && first !== "" && !first.includes("=") && first !== "time") return NONE;
  if (!NAMES.test(command)) return NONE;
  const found = new Set<string>();
  for (const text of readCommandLine(command).texts) {
    const [name = "", ...words] = text.split(" ");
    const program = PROGRAMS.get(name.slice(name.lastIndexOf("/") + 1));
    if (program) addHosts(words, program, found);
    if (found.size > MAX_HOSTS) break;
  }
  return [...found];
}

function addHosts(words: readonly string[], { values, hosts }: NetworkProgram, found: Set<string>): void {
  for (let at = 0; at < words.length && found.size <= MAX_HOSTS; at++) {
    const word = words[at]!;
    if (/^-[A-Za-z]*$/.test(word)) {
      if (values.includes(word.at(-1)!)) at++;
    } else if (word.startsWith("--")) {
      const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : "";
      if (/^--(?:url|proxy|resolve|connect-to|host)=/.test(word)) found.add(value);
    } else if (isOperand(word, hosts)) {
      found.add(hosts === "colon" ? word.replace(/^([^:[\]]+|\[[^\]]*\]):.*$/s, "$1") : word);
      if (hosts === "first") return;
    }
  }
}

function isOperand(word: string, hosts: NetworkProgram["hosts"]): boolean {
  if (word === "" || word.includes("://") || word.includes(UNKNOWN) || /^[-./~<>@+]|^\d{1,5}$/.test(word))
    return false;
  return hosts !== "colon" || /^(?:[\w.-]+@)?(?:[\w.-]+|\[[0-9a-f:.]+\]):(?!\d+$)/i.test(word);
}

function entriesFor(names: string, program: NetworkProgram): readonly (readonly [string, NetworkProgram])[] {
  return names.split(" ").map((name) => [name, program] as const);
}
