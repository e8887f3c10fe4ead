/** The frozen settings of a running hub. `config/` makes them from files and environment; nothing else does. */

export interface Settings {
  readonly home: string;
  readonly host: string;
  readonly port: number;
  /** How clients reach the daemon when a proxy stands in front; null: `http://host:port`. */
  readonly publicUrl: string | null;
  /** PostgreSQL instead of SQLite. */
  readonly databaseUrl: string | null;
  readonly logLevel: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
  readonly naming: {
    /** Contains `{server}` and `{tool}`. */
    readonly template: string;
    readonly maxLength: number;
  };
  readonly mcp: {
    /** False: no external server contributes tools. */
    readonly enabled: boolean;
    /** Servers added by an agent wait for a person. */
    readonly requireApproval: boolean;
    /** The servers whose definitions count only once a person accepted them, unless a server says otherwise. */
    readonly pin: "untrusted" | boolean;
    readonly deferredLoading: "auto" | boolean;
    /** Per call, where the server sets none. */
    readonly toolTimeoutMs: number;
    readonly maxDescriptionLength: number;
    /** Without calls for this long a server is stopped. */
    readonly idleMs: number;
  };
  readonly net: {
    /** Hosts in private networks that servers, documents and agents may point at. */
    readonly allowHosts: readonly string[];
  };
  readonly rateLimits: {
    /** For one token; 0: no limit. */
    readonly requestsPerMinute: number;
    /** For unknown tokens and codes from one address; 0: no limit. */
    readonly failuresPerMinute: number;
  };
  /** Toolkeep as the authorization server of its own tokens. */
  readonly oauthServer: {
    readonly enabled: boolean;
    readonly dynamicRegistration: boolean;
    readonly accessTokenMs: number;
    readonly refreshTokenMs: number;
  };
  readonly toolSearch: {
    readonly enabled: boolean;
    readonly threshold: number;
    /** `auto` also defers where the schemas would take more of the model's window. */
    readonly windowPercent: number;
    readonly maxMatches: number;
    /** `auto`: where the model can run. */
    readonly embeddings: "auto" | false;
    /** By the name of a model, in which `*` stands for anything. */
    readonly models: Readonly<Record<string, ModelLimits>>;
    /** A tool that was called after a search ranks higher in the next. */
    readonly learn: boolean;
  };
  readonly limits: {
    /** A result longer than this is cut; the whole of it is kept in the workspace. */
    readonly maxResultChars: number;
    /** The largest message accepted from a server or client, in bytes. */
    readonly maxMessageBytes: number;
    readonly maxToolConcurrency: number;
  };
  readonly shell: {
    readonly timeoutMs: number;
    readonly maxOutputBytes: number;
    /** How commands and the user's scripts are confined. */
    readonly sandbox: "off" | "auto" | "required";
    /** False: confined commands have no network. */
    readonly network: boolean;
    /** Limits of a confined command; 0: no limit. */
    readonly memoryMb: number;
    readonly processes: number;
    readonly cpuSecs: number;
    readonly fileMb: number;
  };
  readonly web: {
    /** Hosts in private networks that the web tools may reach. */
    readonly allowedHosts: readonly string[];
    /** Empty: every port that browsers would ask. */
    readonly allowedPorts: readonly number[];
    readonly timeoutMs: number;
    /** The limit for one answer, decompressed. */
    readonly maxBytes: number;
    readonly search: {
      /** Null: none, and `web_search` says so. */
      readonly provider: "searxng" | "brave" | "tavily" | null;
      /** Null: the provider's own address. */
      readonly url: string | null;
      /** A key, or `{{secret:NAME}}`. */
      readonly apiKey: string | null;
      readonly maxResults: number;
      readonly timeoutMs: number;
    };
    readonly chromiumPath: string | null;
    readonly chromiumSandbox: boolean;
  };
  readonly questions: {
    /** How long a call waits for a person before it ends in `needs_input`. */
    readonly waitMs: number;
    /** After this a question no longer counts. */
    readonly expireMs: number;
  };
  readonly approvals: {
    /** How long a call waits for a person to approve it, where its client follows progress. */
    readonly waitMs: number;
    /** How long a rejected call is not asked about again. */
    readonly rejectedMs: number;
    readonly webhookUrl: string | null;
    /** A secret, or `{{secret:NAME}}`. */
    readonly webhookSecret: string | null;
  };
  readonly memory: {
    /** Memories that agents share, by name, with the agents that may read and write them; `*` stands for anything. */
    readonly spaces: Readonly<Record<string, SpaceAccess>>;
    /** `auto`: where the model can run. */
    readonly embeddings: "auto" | false;
  };
  readonly knowledge: {
    /** By label, the agents that see items with it, unless their token has its own scopes. */
    readonly labels: Readonly<Record<string, readonly string[]>>;
    /** `auto`: where the model can run. */
    readonly embeddings: "auto" | false;
  };
  /** The provider of text vectors. */
  readonly embeddings: {
    readonly provider: "local" | "openai" | "ollama" | "off";
    /** Null: the default address of such an endpoint. */
    readonly url: string | null;
    readonly model: string | null;
    /** A key, or `{{secret:NAME}}`. */
    readonly apiKey: string | null;
    /** Null: the model's own number. */
    readonly dimensions: number | null;
  };
  readonly stdio: {
    /** Clients on stdio have the same tools as those on HTTP; false: only those that read. */
    readonly writes: boolean;
  };
  /** When the daemon syncs sources of knowledge by itself. */
  readonly sync: {
    readonly watch: boolean;
    /** 0: only when something changes, or somebody asks. */
    readonly intervalMs: number;
  };
  readonly telemetry: {
    /** The address for spans of calls; null: no spans are made. */
    readonly otlpUrl: string | null;
    /** In the form `name=value,name=value`. */
    readonly otlpHeaders: string | null;
  };
  /** How long data is kept, in milliseconds; null: for ever. */
  readonly retention: {
    readonly auditMs: number | null;
    readonly questionsMs: number | null;
    readonly notificationsMs: number | null;
    readonly attachmentsMs: number | null;
    readonly tokensMs: number | null;
    readonly memoryHistoryMs: number | null;
  };
  readonly rules: readonly Rule[];
  /** Whether the rules that come with Toolkeep count. */
  readonly defaultRules: boolean;
  readonly trust: {
    /** Hosts that tools of untrusted servers may reach without asking; globs. */
    readonly allowHosts: readonly string[];
  };
  /** The settings that features declare, by their keys in the files. */
  readonly features: Readonly<Record<string, unknown>>;
  /** Servers of the settings files, project over user, one per name. */
  readonly servers: readonly ServerConfig[];
}

export interface SpaceAccess {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** The limits of a model. Absent fields have their usual values. */
export interface ModelLimits {
  /** In tokens. */
  readonly window?: number | undefined;
  readonly maxTools?: number | undefined;
  /** Tools that are never deferred: names, the ends of names, or patterns with `*`. */
  readonly eager?: readonly string[] | undefined;
}

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
