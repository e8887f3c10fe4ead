import { expect, it } from "vitest";
import { isLoopbackName } from "../../../src/lib/address/loopback.ts";

it.each(["http://127.0.0.1/", "http://LOCALHOST:80/", "http://[::1]:1/", "http://0x7f.1/"])(
  "%s leads to this machine",
  (url) => {
    expect(isLoopbackName(new URL(url).hostname)).toBe(true);
  },
);

it.each(["http://localhost.example/", "http://127.0.0.1.example/", "http://[::2]/", "http://0.0.0.0/"])(
  "%s does not",
  (url) => {
    expect(isLoopbackName(new URL(url).hostname)).toBe(false);
  },
);
