/** The tensors of a safetensors file, by name. */
export type Tensors = ReadonlyMap<string, Tensor>;

export interface Tensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

const HEADER_AT = 8;

/** The tensors of half precision in the file; others are left out. Throws where it is no such file. */
export function readTensors(file: Uint8Array): Tensors {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const dataAt = HEADER_AT + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(HEADER_AT, dataAt))) as Record<
    string,
    Entry
  >;
  const table = Float32Array.from({ length: 2 ** 16 }, (_, half) => floatOf(half));
  const tensors = new Map<string, Tensor>();
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (dtype !== "F16") continue;
    const [from, to] = data_offsets;
    // Copied, because a view of two bytes each must begin at an even place.
    const halves = new Uint16Array(new Uint8Array(file.subarray(dataAt + from, dataAt + to)).buffer);
    tensors.set(name, { shape, values: widened(halves, table) });
  }
  return tensors;
}

/** Uses a table of all values: converting twenty million numbers one by one would take seconds. */
function widened(halves: Uint16Array, table: Float32Array): Float32Array {
  const values = new Float32Array(halves.length);
  for (let at = 0; at < halves.length; at++) values[at] = table[halves[at]!]!;
  return values;
}

function floatOf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
