import { describe, expect, it } from "vitest";
import { createSerial } from "../../../src/lib/flow/serial.ts";

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("serial work", () => {
  it("runs one after another per key, in order, and keys side by side", async () => {
    const serially = createSerial();
    const log: string[] = [];
    const work = (key: string, number: number) =>
      serially(key, async () => {
        log.push(`${key}${number} begins`);
        await pause();
        log.push(`${key}${number} ends`);
      });
    await Promise.all([work("a", 1), work("a", 2), work("b", 1)]);
    expect(log.slice(0, 2)).toEqual(["a1 begins", "b1 begins"]);
    expect(log.filter((line) => line.startsWith("a"))).toEqual([
      "a1 begins",
      "a1 ends",
      "a2 begins",
      "a2 ends",
    ]);
  });

  it("goes on after work that failed, and only its caller hears of it", async () => {
    const serially = createSerial();
    const failing = serially("a", async () => {
      throw new Error("broken");
    });
    const next = serially("a", async () => "fine");
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe("fine");
  });
});
