/** The frozen settings of a running hub. `config/` makes them from files and environment; nothing else does. */
import type { SETTINGS, SettingKey, Values } from "./schema.ts";

/** Every setting of the table in `schema.ts` at its path, in milliseconds where the file has another unit of time. */
export interface Settings extends Nested<TableValues> {
  readonly home: string;
  readonly rules: readonly Rule[];
  /** The settings that features declare, by their keys in the files. */
  readonly features: Readonly<Record<string, unknown>>;
  /** Servers of the settings files, project over user, one per name. */
  readonly servers: readonly ServerConfig[];
}

/** By dotted path: `mcp.idleMs`. */
type TableValues = {
  readonly [K in SettingKey as PathOf<K>]: (typeof SETTINGS)[K] extends {
    readonly form: { read(written: never): infer Value };
  }
    ? Value
    : Values[K];
};

type PathOf<K extends SettingKey> = (typeof SETTINGS)[K] extends { readonly at: infer Path extends string }
  ? Path
  : CamelCase<K>;

type CamelCase<Key extends string> = Key extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Key;

/** `{ "a.b": 1 }` becomes `{ a: { b: 1 } }`. */
type Nested<Flat> = {
  readonly [P in keyof Flat as P extends `${infer Group}.${string}`
    ? Group
    : P]: P extends `${infer Group}.${string}`
    ? Nested<{ readonly [Q in keyof Flat as Q extends `${Group}.${infer Rest}` ? Rest : never]: Flat[Q] }>
    : Flat[P];
};

/** The origin of a rule. More specific ones come later in the list. */
export type RuleScope = "default" | "user" | "project" | "agent" | "session";

/**
 * A glob over the path, host or command that a call is about, or globs over `path`, `host`, `command` and
 * `arg.<name>` that must all hold. One that begins with `!` must not match.
 */
export type RulePattern = string | Readonly<Record<string, string | readonly string[]>>;

export interface Rule {
  /**
   * A tool name, `<origin>:<tool>` such as `mcp:github:*`, a capability, `destructive`, or `*`; `*` matches any run of
   * characters.
   */
  readonly permission: string;
  readonly action: "allow" | "ask" | "deny";
  /** Absent: every call. */
  readonly pattern?: RulePattern;
  /** A deny that nothing loosens. */
  readonly final?: boolean;
  /** Only once the conversation has this label. */
  readonly after?: string;
  readonly from: RuleScope;
  /** Only for a stored rule. */
  readonly id?: string;
  /** It is what a person answered to an approval: of what the others say it lets an ask run, and nothing else. */
  readonly isAnswer?: true;
  /** Only for default rules: applies to tools of origins that nobody vouches for. */
  readonly only?: "untrusted";
  /** Only for default rules: tools that it excludes. */
  readonly except?: readonly string[];
  /** Only for default rules: calls that it excludes. */
  readonly unless?: RulePattern;
}

/** How one MCP server is reached, whichever of the three shapes it was written in. */
export interface ServerConfig {
  readonly name: string;
  readonly transport: "stdio" | "http" | "sse";
  readonly command: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  readonly url: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: OAuth as the server asks for it when it answers 401. */
  readonly oauth: OAuthConfig | null;
  /** PEM files of a client certificate, for servers that want one. */
  readonly tls: TlsConfig | null;
  readonly enabled: boolean;
  readonly connect: "lazy" | "eager";
  /** Not stopped when it is idle. */
  readonly keepAlive: boolean;
  /** Null: `settings.mcp.toolTimeoutMs`. */
  readonly timeoutMs: number | null;
  /** Each progress update of a call gives it `timeoutMs` again, up to the cap of 600 s. */
  readonly progressExtendsTimeout: boolean;
  readonly connectTimeoutMs: number;
  readonly retry: "safe" | "never" | "once";
  /** Its definitions count only once a person accepted them; null: as in `settings.mcp.pin`. */
  readonly pin: boolean | null;
  /** Its annotations may loosen, not only tighten. */
  readonly trusted: boolean;
  readonly maxConcurrency: number;
  /** How a local server is confined; null: it is not. */
  readonly sandbox: SandboxConfig | null;
  /** `stored` when a person registered it; else the file that declares it. */
  readonly source: "stored" | "user" | "project";
}

/** The parts of the machine that a local server can see and use; null: no limit. */
export interface SandboxConfig {
  /** `auto`: where that is possible; `required`: else the server does not start. */
  readonly mode: "off" | "auto" | "required";
  readonly network: boolean;
  /** Absolute paths, beside what every program needs. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** For each process. */
  readonly memoryMb: number | null;
  readonly processes: number | null;
  /** For each process. */
  readonly cpuSecs: number | null;
  readonly fileMb: number | null;
}

/** How Toolkeep signs in to a server. Everything left out is discovered, registered or asked for. */
export interface OAuthConfig {
  /** With `authorization_code` a person signs in once; with `client_credentials` nobody has to. */
  readonly grant: "authorization_code" | "client_credentials";
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** PEM of the key that signs client assertions (`private_key_jwt`), instead of a secret. */
  readonly privateKey: string | null;
  readonly privateKeyAlgorithm: string | null;
  /** The https address of a client-id metadata document that describes this installation. */
  readonly clientMetadataUrl: string | null;
  /** Space separated; null: what the server names. */
  readonly scope: string | null;
}

/** Paths of PEM files. */
export interface TlsConfig {
  readonly cert: string | null;
  readonly key: string | null;
  readonly ca: string | null;
}
