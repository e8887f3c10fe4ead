import { expect, it } from "vitest";
import { Redaction } from "../../../../src/call/vault/redaction/redaction.ts";
import { problemInBase64, WRAPS } from "../../../support/wrapped-base64.ts";

const VALUES = ["Zk29-dLm4_Qp7TsW", `p@ss/w"rd+<é>&'x=!(y)*~$`];

it.each(VALUES)(
  "%j in base64 is found at every offset, in lines of every width, with every line end",
  { timeout: 600_000 },
  (value) => {
    const redaction = new Redaction();
    redaction.add(value);
    const missed: string[] = [];
    for (let offset = 0; offset < 60; offset++)
      for (const wrap of WRAPS)
        for (let width = 1; width <= 80; width++) {
          const problem = problemInBase64(redaction, value, offset, width > 79 ? undefined : width, wrap);
          if (problem !== undefined) missed.push(problem);
        }
    expect(missed).toEqual([]);
  },
);
