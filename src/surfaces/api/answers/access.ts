import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

/** How clients are connected. */
export const accessAnswers = {
  SnippetList: s.shape<contract.SnippetList>({
    snippets: s.listOf(s.ref("ClientSnippet")),
    placeholder: { type: "string", description: "Stands in the texts where the token belongs." },
  }),
  ClientSnippet: s.shape<contract.ClientSnippet>({
    client: s.text,
    title: s.text,
    file: s.orNull(s.text),
    language: s.anyOfTexts(["json", "toml", "shell", "text"]),
    text: s.text,
    next: s.text,
  }),
};
