/**
 * The code of grep's worker thread. It is plain JavaScript in a string because the path of a worker file differs before
 * and after a build, so it implements the protocol of `worker-rpc.ts` by hand. It gets `{pattern, flags}` as worker data
 * and answers each call of `search` with the matching lines and their context. For a long line it returns the part to
 * show, with up to `margin` characters on both sides.
 */
export const GREP_WORKER = `
const { parentPort, workerData } = require("node:worker_threads");
const regex = new RegExp(workerData.pattern, workerData.flags);
const decoder = new TextDecoder();

parentPort.on("message", ({ id, args: [bytes, { context, max, maxLine, margin }] }) => {
  const lines = decoder.decode(bytes).split(/\\r?\\n/);
  if (lines[lines.length - 1] === "") lines.pop();
  const matching = [];
  for (let index = 0; index < lines.length && matching.length <= max; index++) {
    if (regex.test(lines[index])) matching.push(index);
  }
  const shown = withContext(lines, matching.slice(0, max), context, (line, at) => cut(line, at, maxLine, margin));
  parentPort.postMessage({ id, value: { more: matching.length > max, lines: shown } });
});

function withContext(lines, matching, context, cut) {
  const shown = new Map();
  for (const index of matching) {
    for (let near = Math.max(0, index - context); near <= Math.min(lines.length - 1, index + context); near++) {
      if (!shown.has(near)) shown.set(near, { number: near + 1, match: false, ...cut(lines[near], 0) });
    }
    shown.set(index, { number: index + 1, match: true, ...cut(lines[index], regex.exec(lines[index]).index) });
  }
  return [...shown.values()].sort((a, b) => a.number - b.number);
}

function cut(line, at, maxLine, margin) {
  if (line.length <= maxLine) return { text: line };
  const start = Math.max(0, Math.min(at - maxLine / 4, line.length - maxLine));
  const end = start + maxLine;
  const around = { before: line.slice(Math.max(0, start - margin), start), after: line.slice(end, end + margin) };
  return { text: line.slice(start, end), around };
}
`;
