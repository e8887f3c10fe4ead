/**
 * Every error the program throws on purpose: its code, the HTTP status and exit code it becomes, and what to do
 * about it. `docs/errors.md` lists the same rows; a test compares them both ways.
 */
export const ERRORS = {
  // bad input
  BAD_REQUEST: { status: 400, exit: 2, remedy: "Correct the value the message names and try again." },
  BAD_USAGE: { status: 400, exit: 2, remedy: "Run the command with --help to see what it takes." },
  NAME_INVALID: {
    status: 400,
    exit: 2,
    remedy: "Use letters, digits, - and _, starting with a letter; at most 40 characters.",
  },
  NAME_TAKEN: { status: 409, exit: 2, remedy: "Choose another name, or change the existing one." },
  NOT_FOUND: { status: 404, exit: 3, remedy: "Use a name or id from the list of what exists." },
  IN_USE: { status: 409, exit: 2, remedy: "Delete or change what uses it first." },
  READ_ONLY: { status: 409, exit: 2, remedy: "Make a copy under another name and change that." },
  CHANGED: { status: 409, exit: 2, remedy: "Read it again, then make the change anew." },
  // settings
  CONFIG_INVALID: {
    status: 400,
    exit: 2,
    remedy: "Correct the file at the line the message names; toolkeep config check shows every problem.",
  },
  CONFIG_UNREADABLE: { status: 500, exit: 2, remedy: "Make the file readable by this user, or remove it." },
  NOT_TRUSTED: {
    status: 409,
    exit: 4,
    remedy: "Read the project file, then run toolkeep trust in its folder.",
  },
  // access
  UNAUTHORIZED: {
    status: 401,
    exit: 4,
    remedy:
      "Send Authorization: Bearer with a valid token; toolkeep token create --agent NAME makes one for /mcp, --admin one for /api.",
  },
  FORBIDDEN: { status: 403, exit: 4, remedy: "Use an admin token: toolkeep token create --admin." },
  HOST_REFUSED: {
    status: 403,
    exit: 4,
    remedy: "Reach the daemon by its own address, or set TOOLKEEP_PUBLIC_URL.",
  },
  TOO_MANY: { status: 429, exit: 6, remedy: "Close what is no longer needed, or try again in a moment." },
  RATE_LIMITED: { status: 429, exit: 6, remedy: "Wait as long as Retry-After says, then go on more slowly." },
  // store
  STORE_LOCKED: {
    status: 503,
    exit: 6,
    remedy: "Use the daemon that is running, stop it first, or set another TOOLKEEP_HOME.",
  },
  STORE_UNAVAILABLE: {
    status: 503,
    exit: 5,
    remedy:
      "Check that the disk has room and the home can be written; with DATABASE_URL, that it is right and the database runs.",
  },
  STORE_NEWER: {
    status: 500,
    exit: 5,
    remedy: "Install the toolkeep version that wrote this store, or a newer one.",
  },
  BACKUP_INVALID: { status: 400, exit: 2, remedy: "Give a file that toolkeep backup wrote." },
  HOME_NOT_EMPTY: {
    status: 409,
    exit: 2,
    remedy: "Restore into an empty TOOLKEEP_HOME, or pass --force to replace what is there.",
  },
  // vault
  KEY_INVALID: {
    status: 500,
    exit: 5,
    remedy: "Set TOOLKEEP_KEY to 32 bytes in base64, or restore the key file of this home.",
  },
  SECRET_UNREADABLE: {
    status: 500,
    exit: 5,
    remedy: "The value was sealed with another key: restore that key, or set the value again.",
  },
  // daemon
  DAEMON_UNREACHABLE: {
    status: 503,
    exit: 5,
    remedy: "Start it with toolkeep serve, or check TOOLKEEP_URL.",
  },
  PORT_IN_USE: {
    status: 500,
    exit: 6,
    remedy: "Stop what listens there, or set TOOLKEEP_PORT to another port.",
  },
  ADDRESS_UNUSABLE: {
    status: 500,
    exit: 2,
    remedy:
      "Set TOOLKEEP_HOST to an address of this machine, and TOOLKEEP_PORT to a port that this user may open.",
  },
  SERVICE_UNSUPPORTED: { status: 501, exit: 1, remedy: "Run toolkeep serve under your own supervisor." },
  CANCELLED: { status: 499, exit: 1, remedy: "Run the command again." },
  INTERNAL: {
    status: 500,
    exit: 1,
    remedy: "This is a bug in Toolkeep; please report it with the log lines around it.",
  },
} as const satisfies Record<string, { status: number; exit: number; remedy: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** A failure with a code of the catalogue. The message says what was expected and what came instead. */
export class ToolkeepError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** Tells the reader what to do. Default: the remedy of the catalogue. */
  readonly remedy: string;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; cause?: unknown; remedy?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ToolkeepError";
    this.code = code;
    this.details = options.details;
    this.remedy = options.remedy ?? ERRORS[code].remedy;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }
}

/** Returns the message of anything that can be thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
