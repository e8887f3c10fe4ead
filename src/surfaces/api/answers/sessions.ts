import { ROLES } from "../../../contract/caller.ts";
import type * as contract from "../contract.ts";
import { anyOfTexts, count, listOf, orNull, ref, shape, text, time, yesNo } from "./shape.ts";

const role = anyOfTexts(ROLES);

/** People, and the browsers that they signed in with. */
export const sessionAnswers = {
  PersonView: shape<contract.PersonView>({
    id: text,
    name: text,
    role,
    createdAt: time,
    lastSeenAt: orNull(time),
    disabled: yesNo,
    owner: { type: "boolean", description: "Holds the home; always an admin." },
    sessions: { ...count, description: "How many browsers they are signed in with." },
  }),
  PersonList: shape<contract.PersonList>({ people: listOf(ref("PersonView")) }),
  PersonAnswer: shape<contract.PersonAnswer>({ person: ref("PersonView") }),
  SessionList: shape<contract.SessionList>({
    sessions: listOf(
      shape<contract.SessionView>({
        id: text,
        label: { type: "string", description: "How the browser calls itself." },
        createdAt: time,
        expiresAt: time,
        lastUsedAt: time,
        current: yesNo,
      }),
    ),
  }),
  SessionAnswer: shape<contract.SessionAnswer>(
    {
      kind: anyOfTexts(["person", "token"]),
      id: text,
      name: text,
      role,
      csrfToken: {
        ...orNull(text),
        description: "What changes want as X-Toolkeep; null where no session asks.",
      },
      expiresAt: orNull(time),
    },
    "Who asks.",
  ),
  SessionsEnded: shape<contract.SessionsEnded>({ ended: count }),
  LoginLink: shape<contract.LoginLink>({ url: text, person: text, expiresAt: time }),
};
