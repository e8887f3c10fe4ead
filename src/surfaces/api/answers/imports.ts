import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

type Verdict<K extends contract.ImportVerdict["kind"]> = Extract<contract.ImportVerdict, { kind: K }>;

/** Servers of other programs. */
export const importAnswers = {
  ImportVerdict: s.oneOf(
    s.shape<Verdict<"new">>({ kind: { const: "new" }, name: s.text }),
    s.shape<Verdict<"renamed">>({
      kind: { const: "renamed" },
      name: s.text,
      why: s.anyOfTexts(["taken", "not allowed"]),
    }),
    s.shape<Verdict<"same">>({
      kind: { const: "same" },
      name: s.text,
      lacks: s.optional(s.texts),
      otherValues: s.optional({ const: true }),
    }),
    s.shape<Verdict<"completed">>({ kind: { const: "completed" }, name: s.text }),
    s.shape<Verdict<"skipped">>({ kind: { const: "skipped" }, reason: s.text }),
  ),
  ImportPreview: s.shape<contract.ImportPreview>({
    servers: s.listOf(
      s.shape<contract.ImportPreviewServer>({
        name: s.text,
        clients: s.texts,
        files: s.texts,
        project: s.orNull(s.text),
        reach: s.text,
        envKeys: s.texts,
        headerKeys: s.texts,
        enabled: s.yesNo,
        missing: s.texts,
        missingIn: s.texts,
        notes: s.texts,
        verdict: s.ref("ImportVerdict"),
      }),
    ),
    files: s.listOf(
      s.shape<contract.ImportedFile>({
        client: s.text,
        path: s.text,
        servers: s.count,
        problem: s.orNull(s.text),
      }),
    ),
  }),
  ImportVerdicts: s.shape<contract.ImportVerdicts>({ verdicts: s.listOf(s.ref("ImportVerdict")) }),
  ImportAnswer: s.shape<contract.ImportAnswer>({
    results: s.listOf(
      s.shape<contract.ImportResult>({
        verdict: s.ref("ImportVerdict"),
        server: s.orNull(s.ref("ServerView")),
        error: s.orNull(s.text),
      }),
    ),
  }),
};
