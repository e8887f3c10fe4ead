import { expect, it } from "vitest";
import { Remembered } from "../../../src/lib/flow/remembered.ts";

it("works out each text once, also where nothing is found", () => {
  const asked: string[] = [];
  const lengths = new Remembered((text) => {
    asked.push(text);
    return text === "" ? undefined : text.length;
  });
  for (const text of ["", "one", "three", "", "three", "one", "three"])
    expect(lengths.of(text)).toBe(text === "" ? undefined : text.length);
  expect(asked).toEqual(["", "one", "three"]);
});
