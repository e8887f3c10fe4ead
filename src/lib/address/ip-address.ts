import { isIPv4, isIPv6 } from "node:net";

export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** All addresses whose first `prefix` bits equal those of `base`. */
export interface Range {
  readonly base: Address;
  readonly prefix: number;
}

/**
 * Undefined if the text is not an address. An IPv6 address that only carries an IPv4 address (mapped, or translated by
 * NAT64) is read as that IPv4 address.
 */
export function parseAddress(text: string): Address | undefined {
  const address = parseAsWritten(text);
  if (address?.bits !== 128 || !CARRIERS.some((range) => contains(range, address))) return address;
  return { bits: 32, value: address.value & 0xffff_ffffn };
}

/**
 * Returns the IPv4 address that an IPv6 address carries (mapped, compatible, NAT64 or 6to4); undefined if there is
 * none.
 */
export function carriedIPv4(text: string): bigint | undefined {
  const address = parseAsWritten(text);
  if (address?.bits !== 128) return undefined;
  if (contains(SIX_TO_FOUR, address)) return (address.value >> 80n) & 0xffff_ffffn;
  // `::` and `::1` are in the compatible range but carry no IPv4 address.
  const isCompatible = contains(COMPATIBLE, address) && address.value > 0xffffn;
  const isCarrier = isCompatible || [...CARRIERS, LOCAL_NAT64].some((range) => contains(range, address));
  return isCarrier ? address.value & 0xffff_ffffn : undefined;
}

export function dottedIPv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
}

/** `10.0.0.0/8`, or an address alone. Undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  const [network, prefix, ...rest] = text.split("/");
  const base = parseAsWritten(network!);
  if (base === undefined || rest.length > 0) return undefined;
  if (prefix === undefined) return { base: parseAddress(network!)!, prefix: parseAddress(network!)!.bits };
  const bits = Number(prefix);
  return /^\d{1,3}$/.test(prefix) && bits <= base.bits ? { base, prefix: bits } : undefined;
}

export function contains({ base, prefix }: Range, address: Address): boolean {
  if (base.bits !== address.bits) return false;
  return (base.value ^ address.value) >> BigInt(base.bits - prefix) === 0n;
}

function parseAsWritten(text: string): Address | undefined {
  const [address] = text.split("%"); // the zone of a link-local address
  if (isIPv4(address!)) return { bits: 32, value: fold(address!.split(".").map(Number), 8n) };
  if (isIPv6(address!)) return { bits: 128, value: fold(wordsOf(address!), 16n) };
  return undefined;
}

function wordsOf(address: string): number[] {
  const [head, tail] = address
    .split("::")
    .map((half) => (half === "" ? [] : half.split(":").flatMap(toWords)));
  if (tail === undefined) return head!;
  return [...head!, ...Array<number>(8 - head!.length - tail.length).fill(0), ...tail];
}

function toWords(group: string): number[] {
  if (!group.includes(".")) return [Number.parseInt(group, 16)];
  const [a, b, c, d] = group.split(".").map(Number);
  return [a! * 256 + b!, c! * 256 + d!];
}

function fold(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((value, part) => (value << width) | BigInt(part), 0n);
}

const CARRIERS = ["::ffff:0:0/96", "64:ff9b::/96"].map((range) => parseRange(range)!);
const LOCAL_NAT64 = parseRange("64:ff9b:1::/48")!;
const COMPATIBLE = parseRange("::/96")!;
const SIX_TO_FOUR = parseRange("2002::/16")!;
