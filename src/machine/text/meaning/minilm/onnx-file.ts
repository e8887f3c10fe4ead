/** Writes ONNX files: just as much of their protocol buffers as one graph of plain operators needs. */

export interface Graph {
  readonly name: string;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly nodes: readonly Node[];
  readonly constants: readonly Constant[];
}

/** A name stands for a length that is known when it runs. */
export interface Port {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly (number | string)[];
}

export interface Node {
  readonly operator: string;
  /** Absent: one of the standard. */
  readonly domain?: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Whole numbers are written as such; where a fraction is meant, `{ float }`. */
  readonly attributes?: Readonly<Record<string, number | readonly number[] | { readonly float: number }>>;
}

export interface Constant {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

export type ElementType = keyof typeof ELEMENT_TYPES;

const ELEMENT_TYPES = { float32: 1, uint8: 2, int8: 3, int64: 7 } as const;
const IR_VERSION = 9;
const OPERATORS = 20;
const CONTRIBUTED = "com.microsoft";
const FLOAT = 1;
const INT = 2;
const INTS = 7;

type Part = Uint8Array;

export function onnxFile(graph: Graph): Uint8Array {
  return joined([
    whole(1, IR_VERSION),
    message(7, graphParts(graph)),
    message(8, [text(1, ""), whole(2, OPERATORS)]),
    message(8, [text(1, CONTRIBUTED), whole(2, 1)]),
  ]);
}

function graphParts({ name, inputs, outputs, nodes, constants }: Graph): Part[] {
  return [
    ...nodes.map((node) => message(1, nodeParts(node))),
    text(2, name),
    ...constants.map((constant) => message(5, constantParts(constant))),
    ...inputs.map((port) => message(11, portParts(port))),
    ...outputs.map((port) => message(12, portParts(port))),
  ];
}

function nodeParts({ operator, domain, inputs, outputs, attributes = {} }: Node): Part[] {
  return [
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) => message(5, attributeParts(name, value))),
    ...(domain === undefined ? [] : [text(7, domain)]),
  ];
}

function attributeParts(name: string, value: NonNullable<Node["attributes"]>[string]): Part[] {
  if (typeof value === "number") return [text(1, name), whole(3, value), whole(20, INT)];
  if ("float" in value) {
    const bytes = new Uint8Array(new Float32Array([value.float]).buffer);
    return [text(1, name), key(2, 5), bytes, whole(20, FLOAT)];
  }
  return [text(1, name), ...value.map((one) => whole(8, one)), whole(20, INTS)];
}

function constantParts({ name, type, shape, bytes }: Constant): Part[] {
  return [
    ...shape.map((length) => whole(1, length)),
    whole(2, ELEMENT_TYPES[type]),
    text(8, name),
    ...lengthy(9, [bytes]),
  ];
}

function portParts({ name, type, shape }: Port): Part[] {
  const lengths = shape.map((length) =>
    message(1, [typeof length === "number" ? whole(1, length) : text(2, length)]),
  );
  const tensor = [whole(1, ELEMENT_TYPES[type]), message(2, lengths)];
  return [text(1, name), message(2, [message(1, tensor)])];
}

function key(field: number, wire: number): Part {
  return varint((field << 3) | wire);
}

/** Not below zero, other than -1 and such, which take ten bytes. */
function whole(field: number, value: number): Part {
  return joined([key(field, 0), varint(value)]);
}

function text(field: number, value: string): Part {
  return joined(lengthy(field, [new TextEncoder().encode(value)]));
}

function message(field: number, parts: readonly Part[]): Part {
  return joined(lengthy(field, parts));
}

function lengthy(field: number, parts: readonly Part[]): Part[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [key(field, 2), varint(length), ...parts];
}

function varint(value: number): Part {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function joined(parts: readonly Part[]): Part {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
