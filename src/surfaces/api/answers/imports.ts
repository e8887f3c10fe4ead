import type * as contract from "../contract.ts";
import {
  anyOfTexts,
  count,
  listOf,
  oneOf,
  optional,
  orNull,
  ref,
  shape,
  text,
  texts,
  yesNo,
} from "./shape.ts";

type Verdict<K extends contract.ImportVerdict["kind"]> = Extract<contract.ImportVerdict, { kind: K }>;

/** Servers of other programs. */
export const importAnswers = {
  ImportVerdict: oneOf(
    shape<Verdict<"new">>({ kind: { const: "new" }, name: text }),
    shape<Verdict<"renamed">>({
      kind: { const: "renamed" },
      name: text,
      why: anyOfTexts(["taken", "not allowed"]),
    }),
    shape<Verdict<"same">>({
      kind: { const: "same" },
      name: text,
      lacks: optional(texts),
      otherValues: optional({ const: true }),
    }),
    shape<Verdict<"completed">>({ kind: { const: "completed" }, name: text }),
    shape<Verdict<"skipped">>({ kind: { const: "skipped" }, reason: text }),
  ),
  ImportPreview: shape<contract.ImportPreview>({
    servers: listOf(
      shape<contract.ImportPreviewServer>({
        name: text,
        clients: texts,
        files: texts,
        project: orNull(text),
        reach: text,
        envKeys: texts,
        headerKeys: texts,
        enabled: yesNo,
        missing: texts,
        missingIn: texts,
        notes: texts,
        verdict: ref("ImportVerdict"),
      }),
    ),
    files: listOf(
      shape<contract.ImportedFile>({ client: text, path: text, servers: count, problem: orNull(text) }),
    ),
  }),
  ImportVerdicts: shape<contract.ImportVerdicts>({ verdicts: listOf(ref("ImportVerdict")) }),
  ImportAnswer: shape<contract.ImportAnswer>({
    results: listOf(
      shape<contract.ImportResult>({
        verdict: ref("ImportVerdict"),
        server: orNull(ref("ServerView")),
        error: orNull(text),
      }),
    ),
  }),
};
