/** Counted from 1, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type KeyPath = readonly (string | number)[];

/** A parsed settings file that still knows where each key stands. */
export interface Document {
  readonly value: unknown;
  /** Returns the position of the key, or of the closest known key above it. */
  locate(path: KeyPath): Position;
}

/** The text is not JSON or TOML. The message quotes no value of the text: it may be a secret. */
export class DocumentError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.name = "DocumentError";
    this.position = position;
  }
}

/** No settings are nested deeper; without a limit, a file of a stranger could exhaust the stack. */
const DEEPEST = 64;

/** The position of each key in a document, noted while it is read. */
export class KeyPositions {
  readonly #positions = new Map<string, Position>();

  /** Throws DocumentError when the path is nested too deep. */
  note(path: KeyPath, position: Position): void {
    if (path.length > DEEPEST) {
      throw new DocumentError(`expected at most ${DEEPEST} levels of nesting`, position);
    }
    this.#positions.set(idOf(path), position);
  }

  get(path: KeyPath): Position | undefined {
    return this.#positions.get(idOf(path));
  }

  locate(path: KeyPath): Position {
    for (let length = path.length; length > 0; length--) {
      const found = this.get(path.slice(0, length));
      if (found) return found;
    }
    return { line: 1, column: 1 };
  }
}

function idOf(path: KeyPath): string {
  return JSON.stringify(path.map(String));
}
