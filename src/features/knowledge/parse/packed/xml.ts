export type XmlEvent =
  | {
      readonly kind: "open" | "close";
      readonly name: string;
      /** `<a/>`: a close follows. */
      readonly isEmpty: boolean;
      /** Read when asked for: most are not. */
      readonly attributes: () => Readonly<Record<string, string>>;
    }
  | { readonly kind: "text"; readonly text: string };

const ATTRIBUTE = /([\w:.-]{1,100})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Tags and text of an XML document in their order. Knows no entities but those of XML itself, follows no reference, and keeps nothing. */
export function* xmlEvents(xml: string): Generator<XmlEvent> {
  for (let at = 0; at < xml.length; ) {
    const open = xml.indexOf("<", at);
    if (open !== at) yield { kind: "text", text: unescaped(xml.slice(at, open < 0 ? xml.length : open)) };
    if (open < 0) return;
    const special = SPECIAL.find(({ begin }) => xml.startsWith(begin, open));
    const close = xml.indexOf(special?.end ?? ">", open);
    if (close < 0) return;
    if (special?.begin === CDATA) yield { kind: "text", text: xml.slice(open + CDATA.length, close) };
    else if (!special) yield* tagEvents(xml.slice(open + 1, close));
    at = close + (special?.end.length ?? 1);
  }
}

const CDATA = "<![CDATA[";
const SPECIAL = [
  { begin: "<!--", end: "-->" },
  { begin: CDATA, end: "]]>" },
  { begin: "<?", end: "?>" },
  { begin: "<!", end: ">" },
];

function* tagEvents(tag: string): Generator<XmlEvent> {
  const isClose = tag.startsWith("/");
  const isEmpty = tag.endsWith("/");
  const name = /^\/?([^\s/>]{1,200})/.exec(tag)?.[1];
  if (name === undefined) return;
  const attributes = () =>
    Object.fromEntries(
      [...tag.slice(0, 10_000).matchAll(ATTRIBUTE)].map(([, key, a, b]) => [key!, unescaped(a ?? b ?? "")]),
    );
  yield { kind: isClose ? "close" : "open", name, isEmpty, attributes };
  if (isEmpty && !isClose) yield { kind: "close", name, isEmpty, attributes };
}

export function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
  });
}
