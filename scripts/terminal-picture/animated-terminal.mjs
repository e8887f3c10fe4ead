// An animated SVG of a terminal: commands are typed, their output appears, the screen scrolls, and after a rest it begins again.
const ROWS = 22;
const COLUMNS = 96;
const CHAR = 8.4;
const LINE = 19;
const TOP = 44;
const LEFT = 16;
/** Seconds. */
const PER_CHARACTER = 0.035;
const AFTER_COMMAND = 0.5;
const PER_LINE = 0.06;
const AFTER_OUTPUT = 1.4;
const AT_THE_END = 4;
const COLOURS = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  34: "#79c0ff",
  35: "#d2a8ff",
  36: "#76e3ea",
  90: "#8b949e",
};
const ESCAPE = new RegExp(`${String.fromCharCode(27)}\\[([0-9;]*)m`, "g");

/** `scenes`: what was typed and the lines that came, with the escape codes of colours. */
export function animatedTerminal(scenes, { title }) {
  const rows = [];
  const scrolls = [];
  let now = 0.5;
  const add = (content, seconds, typed) => {
    rows.push({ content, from: now, seconds, typed });
    const over = rows.length - ROWS;
    if (over > 0) scrolls.push({ at: now, over });
    now += seconds;
  };
  for (const { command, lines } of scenes) {
    const pieces = wrap(`$ ${command}`);
    for (const piece of pieces) add(spans(piece), piece.length * PER_CHARACTER, piece.length);
    now += AFTER_COMMAND;
    for (const line of lines.flatMap((one) => wrapColoured(one))) add(spans(line), PER_LINE);
    add("", 0);
    now += AFTER_OUTPUT;
  }
  const total = now + AT_THE_END;
  const width = Math.ceil(LEFT * 2 + COLUMNS * CHAR);
  const height = TOP + ROWS * LINE + 14;
  const percent = (seconds) => ((100 * seconds) / total).toFixed(2);
  const styles = rows.map(({ from, typed, seconds }, at) => {
    const shown = `@keyframes r${at}{0%,${percent(from)}%{visibility:hidden}${percent(from + 0.001)}%,100%{visibility:visible}}`;
    if (!typed) return `${shown}#r${at}{animation:r${at} ${total}s step-end infinite}`;
    const covered = `@keyframes c${at}{0%,${percent(from)}%{transform:none;animation-timing-function:steps(${typed})}${percent(from + seconds)}%,100%{transform:translateX(${(typed * CHAR).toFixed(1)}px)}}`;
    return `${shown}#r${at}{animation:r${at} ${total}s step-end infinite}${covered}#c${at}{animation:c${at} ${total}s infinite}`;
  });
  const scroll = `@keyframes up{0%{transform:none}${scrolls.map(({ at, over }) => `${percent(at)}%{transform:translateY(${-over * LINE}px)}`).join("")}100%{transform:translateY(${-(scrolls.at(-1)?.over ?? 0) * LINE}px)}}#screen{animation:up ${total}s step-end infinite}`;
  const body = rows.map(({ content, typed }, at) => {
    const y = TOP + (at + 1) * LINE - 5;
    const length = typed ? ` textLength="${(typed * CHAR).toFixed(1)}"` : "";
    const text = `<text id="r${at}" x="${LEFT}" y="${y}"${length}>${content}</text>`;
    if (!typed) return text;
    return `${text}<rect id="c${at}" class="bg" x="${LEFT}" y="${y - LINE + 5}" width="${width}" height="${LINE}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal: a server is added, an agent gets two of its tools, a rule denies a file, and the audit shows both calls">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}.bg{fill:#0d1117}.b{font-weight:600}${styles.join("")}${scroll}@media(prefers-reduced-motion:reduce){*{animation-duration:0.01s!important;animation-iteration-count:1!important;animation-fill-mode:forwards!important}}</style>
<defs><clipPath id="window"><rect x="0" y="${TOP - 8}" width="${width}" height="${ROWS * LINE + 16}"/></clipPath></defs>
<rect class="bg" width="${width}" height="${height}" rx="10"/>
<circle cx="20" cy="20" r="6" fill="#ff5f57"/><circle cx="40" cy="20" r="6" fill="#febc2e"/><circle cx="60" cy="20" r="6" fill="#28c840"/>
<text x="${width / 2}" y="25" text-anchor="middle" style="fill:#8b949e">${escaped(title)}</text>
<g clip-path="url(#window)"><g id="screen">
${body.join("\n")}
</g></g>
</svg>
`;
}

function wrap(text) {
  const pieces = [];
  for (let from = 0; from < text.length; from += COLUMNS) pieces.push(text.slice(from, from + COLUMNS));
  return pieces;
}

/** A line that is too long goes on without its colours, which is rare. */
function wrapColoured(line) {
  const plain = line.replace(ESCAPE, "");
  return plain.length <= COLUMNS ? [line] : wrap(plain);
}

/** Text with escape codes as coloured parts. */
function spans(line) {
  let colour;
  let isBold = false;
  let at = 0;
  let made = "";
  const add = (text) => {
    if (text === "") return;
    const style = `${colour ? ` fill="${colour}" style="fill:${colour}"` : ""}${isBold ? ' class="b"' : ""}`;
    made += style === "" ? escaped(text) : `<tspan${style}>${escaped(text)}</tspan>`;
  };
  for (const match of line.matchAll(ESCAPE)) {
    add(line.slice(at, match.index));
    at = match.index + match[0].length;
    for (const code of match[1].split(";").map(Number)) {
      if (code === 0) [colour, isBold] = [undefined, false];
      else if (code === 1) isBold = true;
      else if (code === 22) isBold = false;
      else if (code === 39) colour = undefined;
      else if (code === 2) colour = COLOURS[90];
      else if (COLOURS[code]) colour = COLOURS[code];
    }
  }
  add(line.slice(at));
  return made;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);
}
