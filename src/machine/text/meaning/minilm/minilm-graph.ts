import { DIMENSIONS, MAX_TOKENS } from "./minilm.ts";
import type { Constant, Graph, Node } from "./onnx-file.ts";
import type { Tensors } from "./safetensors.ts";

/** The dimensions of all-MiniLM-L6-v2. */
const WIDTH = DIMENSIONS;
const LAYERS = 6;
const HEADS = 12;
const HEAD_WIDTH = WIDTH / HEADS;
const EPSILON = 1e-12;

/**
 * The model for one text: the numbers of its tokens in (`ids`), the mean of what it makes of them out (`mean`). Weights are whole numbers of
 * eight bits with a scale for each column: a quarter of the size, and faster. It takes one text at a time, because how
 * activations are rounded depends on all that is in a batch; so a text has the same vector whenever it is read.
 */
export function minilmGraph(tensors: Tensors): Graph {
  const parts = new Parts(tensors);
  let state = embedded(parts);
  for (let layer = 0; layer < LAYERS; layer++) state = encoded(parts, `encoder.layer.${layer}`, state);
  parts.constants.push(wholes("first axis", [0]));
  parts.nodes.push({
    operator: "ReduceMean",
    inputs: [state, "first axis"],
    outputs: ["mean"],
    attributes: { keepdims: 0 },
  });
  return {
    name: "all-MiniLM-L6-v2",
    inputs: [{ name: "ids", type: "int64", shape: ["tokens"] }],
    outputs: [{ name: "mean", type: "float32", shape: [WIDTH] }],
    nodes: parts.nodes,
    constants: parts.constants,
  };
}

/** Nodes and constants as they are added; each node is named after its output. */
class Parts {
  readonly nodes: Node[] = [];
  readonly constants: Constant[] = [];
  readonly #tensors: Tensors;

  constructor(tensors: Tensors) {
    this.#tensors = tensors;
  }

  values(name: string): Float32Array {
    const tensor = this.#tensors.get(name);
    if (!tensor) throw new Error(`the weights have no ${name}`);
    return tensor.values;
  }

  /** Adds a node with one output and gives the name of that. */
  node(output: string, operator: string, inputs: readonly string[], more: Partial<Node> = {}): string {
    this.nodes.push({ operator, inputs, outputs: [output], ...more });
    return output;
  }

  floats(name: string, values: Float32Array, shape: readonly number[] = [values.length]): string {
    this.constants.push({ name, type: "float32", shape, bytes: bytesOf(values) });
    return name;
  }

  layerNorm(name: string, input: string): string {
    const scale = this.floats(`${name}.weight`, this.values(`${name}.weight`));
    const bias = this.floats(`${name}.bias`, this.values(`${name}.bias`));
    const attributes = { axis: -1, epsilon: { float: EPSILON } };
    return this.node(name, "LayerNormalization", [input, scale, bias], { attributes });
  }

  /** `input` times weights, plus a bias; the rows of `weights` are those of the output, as PyTorch keeps them. */
  linear(name: string, input: string, weights: Float32Array, bias: Float32Array): string {
    const outputs = bias.length;
    const inputs = weights.length / outputs;
    const { columns, scales } = quantised(weights, outputs, inputs);
    this.constants.push({ name: `${name}.weight`, type: "int8", shape: [inputs, outputs], bytes: columns });
    const scale = this.floats(`${name}.scale`, scales);
    const added = this.floats(`${name}.bias`, bias);
    return this.node(name, "DynamicQuantizeMatMul", [input, `${name}.weight`, scale, "", added], {
      domain: "com.microsoft",
    });
  }
}

/** Words, places and the one kind of text there is, added up. */
function embedded(parts: Parts): string {
  const words = parts.values("embeddings.word_embeddings.weight");
  const count = words.length / WIDTH;
  const { rows, scales } = quantisedRows(words, count, WIDTH);
  parts.constants.push({ name: "words", type: "int8", shape: [count, WIDTH], bytes: rows });
  parts.floats("word scales", scales, [count, 1]);
  const places = parts.values("embeddings.position_embeddings.weight").slice(0, MAX_TOKENS * WIDTH);
  const kind = parts.values("embeddings.token_type_embeddings.weight");
  for (let at = 0; at < places.length; at++) places[at]! += kind[at % WIDTH]!;
  parts.floats("places", places, [MAX_TOKENS, WIDTH]);
  parts.constants.push(wholes("from", [0]));

  parts.node("word rows", "Gather", ["words", "ids"]);
  parts.node("word floats", "Cast", ["word rows"], { attributes: { to: 1 } });
  parts.node("row scales", "Gather", ["word scales", "ids"]);
  parts.node("word vectors", "Mul", ["word floats", "row scales"]);
  parts.node("length", "Shape", ["ids"]);
  parts.node("place vectors", "Slice", ["places", "from", "length"]);
  parts.node("sum", "Add", ["word vectors", "place vectors"]);
  return parts.layerNorm("embeddings.LayerNorm", "sum");
}

function encoded(parts: Parts, layer: string, state: string): string {
  const attended = attention(parts, `${layer}.attention`, state);
  const added = parts.node(`${layer}.attended`, "Add", [state, attended]);
  const between = parts.layerNorm(`${layer}.attention.output.LayerNorm`, added);
  const wide = named(parts, `${layer}.intermediate.dense`, between);
  const bent = parts.node(`${layer}.gelu`, "Gelu", [wide]);
  const narrow = named(parts, `${layer}.output.dense`, bent);
  const sum = parts.node(`${layer}.sum`, "Add", [between, narrow]);
  return parts.layerNorm(`${layer}.output.LayerNorm`, sum);
}

function named(parts: Parts, name: string, input: string): string {
  return parts.linear(name, input, parts.values(`${name}.weight`), parts.values(`${name}.bias`));
}

/** Queries, keys and values are one product; the scale of attention is in the weights of the queries. */
function attention(parts: Parts, name: string, state: string): string {
  const of = (kind: string) =>
    ["query", "key", "value"].map((part) => parts.values(`${name}.self.${part}.${kind}`));
  const scaled = ([query, ...rest]: readonly Float32Array[]) =>
    joined([query!.map((value) => value / Math.sqrt(HEAD_WIDTH)), ...rest]);
  if (parts.constants.every((constant) => constant.name !== "heads"))
    parts.constants.push(wholes("heads", [-1, 3, HEADS, HEAD_WIDTH]), wholes("together", [-1, WIDTH]));

  const product = parts.linear(`${name}.self`, state, scaled(of("weight")), scaled(of("bias")));
  const parted = parts.node(`${name}.parted`, "Reshape", [product, "heads"]);
  const ordered = parts.node(`${name}.ordered`, "Transpose", [parted], {
    attributes: { perm: [1, 2, 0, 3] },
  });
  const [query, key, value] = ["query", "key", "value"].map((part) => `${name}.${part}`);
  parts.nodes.push({
    operator: "Split",
    inputs: [ordered],
    outputs: [query!, key!, value!],
    attributes: { axis: 0, num_outputs: 3 },
  });
  const turned = parts.node(`${name}.turned`, "Transpose", [key!], { attributes: { perm: [0, 1, 3, 2] } });
  const scores = parts.node(`${name}.scores`, "MatMul", [query!, turned]);
  const shares = parts.node(`${name}.shares`, "Softmax", [scores], { attributes: { axis: -1 } });
  const mixed = parts.node(`${name}.mixed`, "MatMul", [shares, value!]);
  const back = parts.node(`${name}.back`, "Transpose", [mixed], { attributes: { perm: [0, 2, 1, 3] } });
  const flat = parts.node(`${name}.flat`, "Reshape", [back, "together"]);
  return named(parts, `${name}.output.dense`, flat);
}

function quantisedRows(values: Float32Array, rows: number, width: number) {
  const whole = new Int8Array(values.length);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const from = row * width;
    let most = 0;
    for (let at = from; at < from + width; at++) most = Math.max(most, Math.abs(values[at]!));
    const scale = most / LARGEST || 1;
    scales[row] = scale;
    for (let at = from; at < from + width; at++) whole[at] = Math.round(values[at]! / scale);
  }
  return { rows: bytesOf(whole), scales };
}

/** The same, transposed: ONNX multiplies by columns. */
function quantised(values: Float32Array, outputs: number, inputs: number) {
  const { rows, scales } = quantisedRows(values, outputs, inputs);
  const columns = new Uint8Array(rows.length);
  for (let output = 0; output < outputs; output++)
    for (let input = 0; input < inputs; input++)
      columns[input * outputs + output] = rows[output * inputs + input]!;
  return { columns, scales };
}

const LARGEST = 127;

function wholes(name: string, values: readonly number[]): Constant {
  const bytes = bytesOf(BigInt64Array.from(values, BigInt));
  return { name, type: "int64", shape: [values.length], bytes };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
