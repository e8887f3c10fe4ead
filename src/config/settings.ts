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
    /** Of one token; 0: no limit. */
    readonly requestsPerMinute: number;
    /** From one address, of tokens and codes that are not known; 0: no limit. */
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
    /** What was called after a search lifts it in the next. */
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
  };
  readonly web: {
    /** Hosts in private networks that the web tools may reach. */
    readonly allowedHosts: readonly string[];
    /** Empty: every port that browsers would ask. */
    readonly allowedPorts: readonly number[];
    readonly timeoutMs: number;
    /** Of one answer, decompressed. */
    readonly maxBytes: number;
    readonly search: {
      /** Null: nobody, and `web_search` says so. */
      readonly provider: "searxng" | "brave" | "tavily" | null;
      /** Null: the provider's own address. */
      readonly url: string | null;
      /** As it is written: a key, or `{{secret:NAME}}`. */
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
  /** How long things are kept that nobody needs any more, in milliseconds; null: for ever. */
  readonly retention: {
    readonly auditMs: number | null;
    readonly questionsMs: number | null;
    readonly notificationsMs: number | null;
    readonly attachmentsMs: number | null;
    readonly tokensMs: number | null;
  };
  readonly rules: readonly Rule[];
  /** Servers of the settings files, project over user, one per name. */
  readonly servers: readonly ServerConfig[];
}

/** What is to be known of a model that tools are listed for; what is absent is as usual. */
export interface ModelLimits {
  /** In tokens. */
  readonly window?: number | undefined;
  readonly maxTools?: number | undefined;
  /** Tools that are never deferred: names, the ends of names, or patterns with `*`. */
  readonly eager?: readonly string[] | undefined;
}

export interface Rule {
  /** A tool name, `<origin>:<tool>` such as `mcp:github:*`, or `*`; `*` matches any run of characters. */
  readonly permission: string;
  readonly action: "allow" | "ask" | "deny";
  readonly from: "project" | "user";
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
  /** Null: OAuth with whatever the server asks for, should it answer 401. */
  readonly oauth: OAuthConfig | null;
  /** PEM files of a client certificate, for servers that want one. */
  readonly tls: TlsConfig | null;
  readonly enabled: boolean;
  readonly connect: "lazy" | "eager";
  /** Never stopped for want of calls. */
  readonly keepAlive: boolean;
  /** Null: `settings.mcp.toolTimeoutMs`. */
  readonly timeoutMs: number | null;
  /** Each progress update of a call gives it `timeoutMs` again, up to the cap of 600 s. */
  readonly progressExtendsTimeout: boolean;
  readonly connectTimeoutMs: number;
  readonly retry: "safe" | "never" | "once";
  /** Its annotations may loosen, not only tighten. */
  readonly trusted: boolean;
  readonly maxConcurrency: number;
  /** `stored` when a person registered it; else the file that declares it. */
  readonly source: "stored" | "user" | "project";
}

/** How Toolkeep signs in to a server. Everything left out is discovered, registered or asked for. */
export interface OAuthConfig {
  /** `authorization_code`: a person signs in once. `client_credentials`: nobody has to. */
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
