// Files to be synced, drawn by dice that always fall the same way.
import { mkdir, open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const WORDS =
  "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will more no if out so said what up its about into than them can only other new some could time these two may then do first any my now such like our over man me even most made after also did many before must through years where much your way well down should because each just those people too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three".split(
    " ",
  );
const FOLDERS = 97;
/** Of a message: what is attached, which is not read but has to be passed by. */
const ATTACHED_BYTES = 100_000;

/** Words as frequent as in English, and what is made of them. */
function prose(seed) {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  const word = () =>
    random() < 0.8
      ? WORDS[Math.floor(random() ** 2 * WORDS.length)]
      : `w${Math.floor(random() ** 3 * 40_000)}`;
  const sentence = () => `${Array.from({ length: 8 + Math.floor(random() * 14) }, word).join(" ")}.`;
  const paragraph = () => Array.from({ length: 2 + Math.floor(random() * 4) }, sentence).join(" ");
  return { random, word, sentence, paragraph };
}

/** Notes with front matter, headings, paragraphs, lists and code, dealt out to the parts in turn; gives their bytes. */
export async function writeNotes(files, parts, seed = 7) {
  const { random, word, sentence, paragraph } = prose(seed);
  let bytes = 0;
  for (let number = 0; number < files; number++) {
    const sections = Array.from(
      { length: 1 + Math.floor(random() * 5) },
      (_, at) =>
        `## ${word()} ${at}\n\n${paragraph()}\n\n- ${sentence()}\n- ${sentence()}\n\n${paragraph()}\n`,
    );
    const text = `---\ntitle: ${word()} ${number}\ntags:\n  - ${word()}\n  - ${word()}\ndate: 2025-0${1 + (number % 9)}-11\n---\n\n# ${word()} ${number}\n\n${sections.join("\n")}`;
    const path = join(parts[number % parts.length], `folder${number % FOLDERS}`, `note-${number}.md`);
    if (number < FOLDERS * parts.length) await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    bytes += text.length;
  }
  return bytes;
}

/** A mailbox of about so many bytes, as they are: some text in each message, and much that is attached. */
export async function writeMailbox(path, bytes) {
  const { word, paragraph } = prose(11);
  const line = `${Buffer.alloc(57, "toolkeep").toString("base64")}\n`;
  const attached = line.repeat(Math.ceil(ATTACHED_BYTES / line.length));
  const file = await open(path, "w");
  try {
    for (let written = 0, number = 0; written < bytes; number++) {
      const message = `From a@example.org Sat Jan  3 01:05:34 2026\nFrom: a@example.org\nTo: b@example.org\nSubject: ${word()} ${number}\nDate: Sat, 03 Jan 2026 01:05:34 +0000\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=cut\n\n--cut\nContent-Type: text/plain\n\n${paragraph()}\n\n${paragraph()}\n--cut\nContent-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment; filename=a.pdf\nContent-Transfer-Encoding: base64\n\n${attached}--cut--\n\n`;
      await file.write(message);
      written += message.length;
    }
  } finally {
    await file.close();
  }
}
