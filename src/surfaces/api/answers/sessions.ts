import { ROLES } from "../../../contract/caller.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

const role = s.anyOfTexts(ROLES);

/** People, and the browsers that they signed in with. */
export const sessionAnswers = {
  PersonView: s.shape<contract.PersonView>({
    id: s.text,
    name: s.text,
    role,
    createdAt: s.time,
    lastSeenAt: s.orNull(s.time),
    disabled: s.yesNo,
    owner: { type: "boolean", description: "Holds the home; always an admin." },
    sessions: { ...s.count, description: "How many browsers they are signed in with." },
  }),
  PersonList: s.shape<contract.PersonList>({ people: s.listOf(s.ref("PersonView")) }),
  PersonAnswer: s.shape<contract.PersonAnswer>({ person: s.ref("PersonView") }),
  SessionList: s.shape<contract.SessionList>({
    sessions: s.listOf(
      s.shape<contract.SessionView>({
        id: s.text,
        label: { type: "string", description: "How the browser calls itself." },
        createdAt: s.time,
        expiresAt: s.time,
        lastUsedAt: s.time,
        current: s.yesNo,
      }),
    ),
  }),
  SessionAnswer: s.shape<contract.SessionAnswer>(
    {
      kind: s.anyOfTexts(["person", "token"]),
      id: s.text,
      name: s.text,
      role,
      csrfToken: {
        ...s.orNull(s.text),
        description: "What changes want as X-Toolkeep; null where no session asks.",
      },
      expiresAt: s.orNull(s.time),
    },
    "Who asks.",
  ),
  SessionsEnded: s.shape<contract.SessionsEnded>({ ended: s.count }),
  LoginLink: s.shape<contract.LoginLink>({ url: s.text, person: s.text, expiresAt: s.time }),
};
