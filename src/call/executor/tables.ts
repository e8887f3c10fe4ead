import { z } from "zod";
import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { count, type Infer, time } from "../../contract/shape.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { wholeCharacterAt } from "../../lib/text/whole-characters.ts";
import { type Database, withTables } from "../../machine/db/database.ts";
import { codecOf } from "../../machine/db/query/row.ts";

/** The whole of an output that was cut. Lengths and positions are those of a JavaScript string. */
const output = z.object({
  id: z.string(),
  /** The agent that made the call. */
  agentId: z.string(),
  conversation: z.string(),
  chars: count,
  bytes: count,
  createdAt: time,
  /** The labels that its conversation had: whoever reads it gets them, too. */
  labels: z.array(z.string()),
});
export type OutputRecord = Infer<typeof output>;

const outputPiece = z.object({ outputId: z.string(), position: count, text: z.string() });

/** Outputs are deleted after a day, so that they are not in backups. */
const outputs = defineTable({ name: "outputs", noun: "output", record: output, isDumped: false });
const outputPieces = defineTable({
  name: "outputPieces",
  noun: "piece of an output",
  record: outputPiece,
  key: ["outputId", "position"],
  isDumped: false,
});
export const TABLES = [outputs, outputPieces];

/** At most 96 kB on disk, which no database takes long for. */
const PIECE_CHARS = 32_768;
/** A database reads what it deletes: a long text is deleted in parts of this size. */
const DELETED_AT_ONCE = 16 * PIECE_CHARS;

interface Rows {
  outputs: RowOf<typeof outputs>;
  outputPieces: RowOf<typeof outputPieces>;
}

export class OutputTable {
  readonly #database: Database<Rows>;
  readonly #codec = codecOf(outputs);

  constructor(database: Database) {
    this.#database = withTables(database);
  }

  /** The outputs of one agent, newest first. */
  async list({ agentId }: { readonly agentId: string }): Promise<OutputRecord[]> {
    const rows = await this.#database.query((db) =>
      db
        .selectFrom("outputs")
        .selectAll()
        .where("agentId", "=", agentId)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .execute(),
    );
    return rows.map(this.#codec.toRecord);
  }

  async get(id: string): Promise<OutputRecord | undefined> {
    const row = await this.#database.query((db) =>
      db.selectFrom("outputs").selectAll().where("id", "=", id).executeTakeFirst(),
    );
    return row && this.#codec.toRecord(row);
  }

  /**
   * Keeps `text` in pieces, and yields between them. It can be read when the promise resolves. A process that is killed
   * before leaves a part of it, whose id nobody knows.
   */
  async create(record: OutputRecord, text: string): Promise<void> {
    const pace = createPace();
    // Not in one transaction: its end would write everything at once, and nobody else could do anything meanwhile.
    await this.#database.query((db) => db.insertInto("outputs").values(this.#codec.toRow(record)).execute());
    for (const piece of piecesOf(text)) {
      await pace();
      await this.#database.query((db) =>
        db
          .insertInto("outputPieces")
          .values({ outputId: record.id, ...piece })
          .execute(),
      );
    }
  }

  /** The characters from `from` to before `to`; fewer if the text is shorter. */
  async read(id: string, from: number, to: number): Promise<string> {
    const pieces = await this.#database.query((db) =>
      db
        .selectFrom("outputPieces")
        .select(["position", "text"])
        .where("outputId", "=", id)
        .where("position", ">", from - PIECE_CHARS)
        .where("position", "<", to)
        .orderBy("position")
        .execute(),
    );
    const [first] = pieces;
    if (!first) return "";
    const text = pieces.map((piece) => piece.text).join("");
    return text.slice(Math.max(0, from - first.position), Math.max(0, to - first.position));
  }

  /** Deletes those that exist, and yields in between. */
  async delete(ids: readonly string[]): Promise<void> {
    const pace = createPace();
    for (const id of ids) {
      const found = await this.#database.query((db) =>
        db.selectFrom("outputs").select("chars").where("id", "=", id).executeTakeFirst(),
      );
      for (let end = DELETED_AT_ONCE; found && end < found.chars; end += DELETED_AT_ONCE) {
        await this.#database.query((db) =>
          db.deleteFrom("outputPieces").where("outputId", "=", id).where("position", "<", end).execute(),
        );
        await pace();
      }
      // The database deletes the rest of the pieces with it.
      await this.#database.query((db) => db.deleteFrom("outputs").where("id", "=", id).execute());
      await pace();
    }
  }

  /** Deletes outputs made before `before`, oldest first, at most `limit`; resolves with how many. */
  async prune(before: number, limit: number): Promise<number> {
    const due = await this.#database.query((db) =>
      db
        .selectFrom("outputs")
        .select("id")
        .where("createdAt", "<", before)
        .orderBy("createdAt")
        .limit(limit)
        .execute(),
    );
    await this.delete(due.map(({ id }) => id));
    return due.length;
  }
}

/** Each with its position in the text. */
function* piecesOf(text: string): Generator<{ position: number; text: string }> {
  for (let position = 0; position < text.length; ) {
    const end = wholeCharacterAt(text, position + PIECE_CHARS);
    yield { position, text: text.slice(position, end) };
    position = end;
  }
}
