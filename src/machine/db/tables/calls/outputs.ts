import { createPace } from "../../../../lib/flow/pace.ts";
import { wholeCharacterAt } from "../../../../lib/text/whole-characters.ts";
import type { Database } from "../../database.ts";
import { rowCodec } from "../../query/row.ts";
import type { OutputRecord, OutputStore } from "./output-record.ts";

/** At most 96 kB on disk, which no database takes long for. */
const PIECE_CHARS = 32_768;
/** Deleting means reading what is deleted: of a long text a part at a time. */
const DELETED_AT_ONCE = 16 * PIECE_CHARS;

export function outputStore(database: Database): OutputStore {
  return {
    async list({ agentId }) {
      const rows = await database.query((db) =>
        db
          .selectFrom("outputs")
          .selectAll()
          .where("agentId", "=", agentId)
          .orderBy("createdAt", "desc")
          .orderBy("id", "desc")
          .execute(),
      );
      return rows.map(toRecord);
    },

    async get(id) {
      const row = await database.query((db) =>
        db.selectFrom("outputs").selectAll().where("id", "=", id).executeTakeFirst(),
      );
      return row && toRecord(row);
    },

    async create(output, text) {
      const pace = createPace();
      // Not in one transaction: its end would write everything at once, and nobody else could do anything meanwhile.
      await database.query((db) => db.insertInto("outputs").values(toRow(output)).execute());
      for (const piece of piecesOf(text)) {
        await pace();
        await database.query((db) =>
          db
            .insertInto("outputPieces")
            .values({ outputId: output.id, ...piece })
            .execute(),
        );
      }
    },

    async read(id, from, to) {
      const pieces = await database.query((db) =>
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
    },

    delete: (ids) => deleteOutputs(database, ids),
  };
}

/** See `OutputStore.delete`. */
export async function deleteOutputs(database: Database, ids: readonly string[]): Promise<void> {
  const pace = createPace();
  for (const id of ids) {
    const output = await database.query((db) =>
      db.selectFrom("outputs").select("chars").where("id", "=", id).executeTakeFirst(),
    );
    for (let end = DELETED_AT_ONCE; output && end < output.chars; end += DELETED_AT_ONCE) {
      await database.query((db) =>
        db.deleteFrom("outputPieces").where("outputId", "=", id).where("position", "<", end).execute(),
      );
      await pace();
    }
    // The rest of its pieces follows by their reference.
    await database.query((db) => db.deleteFrom("outputs").where("id", "=", id).execute());
    await pace();
  }
}

/** Each with the place in the text where it begins. */
function* piecesOf(text: string): Generator<{ position: number; text: string }> {
  for (let position = 0; position < text.length; ) {
    const end = wholeCharacterAt(text, position + PIECE_CHARS);
    yield { position, text: text.slice(position, end) };
    position = end;
  }
}

const { toRow, toRecord } = rowCodec<OutputRecord, "outputs">("outputs");
