import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { LoginLink, PersonView, SessionList, SessionsEnded } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Select } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { ROLE_OPTIONS, ROLES } from "./role-words.ts";

const CHANGES = ["/people"];
const LIST = "/users";

/** One person: what they may, and where they are signed in. */
export function PersonPanel({ person }: { person: PersonView }) {
  const isAdmin = useHasRole("admin");
  const { name, role, owner, disabled, createdAt, lastSeenAt } = person;
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={urlWith({}, LIST)}
      actions={isAdmin && !owner && <PersonMenu person={person} />}
    >
      <PanelSection>
        <KeyValues
          pairs={[
            ["Role", isAdmin && !owner ? <RoleSelect key="role" person={person} /> : ROLES[role].label],
            ["May", ROLES[role].may],
            ["Holds the home", owner && "Always an admin; cannot be removed or locked out"],
            ["Locked out", disabled && <Badge tone="bad">yes</Badge>],
            ["Added", <Time key="added" at={createdAt} />],
            ["Last seen", <Time key="seen" at={lastSeenAt} />],
            [
              "What they did",
              <TextLink key="did" to={`/audit?view=actions&actor=${encodeURIComponent(name)}`}>
                in the audit
              </TextLink>,
            ],
          ]}
        />
      </PanelSection>
      {isAdmin && !disabled && <LinkSection name={name} />}
      {isAdmin && <Sessions name={name} />}
    </SidePanel>
  );
}

function RoleSelect({ person: { name, role } }: { person: PersonView }) {
  const confirm = useConfirm();
  const change = useAction({
    run: (client, next: string) => client.patch(joinPath("people", name), { role: next }),
    successMessage: (_, next) => `${name} is ${next} now`,
    invalidates: CHANGES,
  });
  const ask = async (next: PersonView["role"]) => {
    const isConfirmed = await confirm({
      title: `Make ${name} ${next === "viewer" ? "a" : "an"} ${ROLES[next].label.toLowerCase()}?`,
      description: `${ROLES[next].may} It counts at once, in every browser they are signed in with.`,
      action: "Change the role",
      danger: next === "admin",
    });
    if (isConfirmed) await change.run(next);
  };
  return (
    <Select
      aria-label={`The role of ${name}`}
      options={ROLE_OPTIONS}
      value={role}
      disabled={change.isBusy}
      onChange={(event) => void ask(event.target.value as PersonView["role"])}
    />
  );
}

function PersonMenu({ person: { name, disabled } }: { person: PersonView }) {
  const confirm = useConfirm();
  const lock = useAction({
    run: (client, isLocked: boolean) => client.patch(joinPath("people", name), { disabled: isLocked }),
    successMessage: (_, isLocked) => (isLocked ? `${name} is locked out` : `${name} may sign in again`),
    invalidates: CHANGES,
  });
  const remove = useAction({
    run: (client) => client.delete(joinPath("people", name)),
    successMessage: `${name} is removed`,
    invalidates: CHANGES,
  });
  const lockOut = async () => {
    const isConfirmed = await confirm({
      title: `Lock ${name} out?`,
      description: "They are signed out everywhere at once, and no link lets them in until you undo this.",
      action: "Lock out",
      danger: true,
    });
    if (isConfirmed) await lock.run(true);
  };
  const drop = async () => {
    const isConfirmed = await confirm({
      title: `Remove ${name}?`,
      description:
        "They are signed out everywhere. What they did stays in the audit under their name. This cannot be undone.",
      action: "Remove",
      danger: true,
    });
    if (isConfirmed && (await remove.run()) !== undefined) navigate(urlWith({}, LIST));
  };
  return (
    <Menu
      label={`More about ${name}`}
      items={[
        disabled
          ? { label: "Let in again", onSelect: () => void lock.run(false) }
          : { label: "Lock out …", danger: true, onSelect: () => void lockOut() },
        { label: "Remove …", icon: "trash", danger: true, onSelect: () => void drop() },
      ]}
    />
  );
}

/** The link is shown this once, and is nowhere but on the screen. */
function LinkSection({ name }: { name: string }) {
  const [link, setLink] = useState<LoginLink>();
  const make = useAction({
    run: (client) => client.post<LoginLink>("/login-links", { person: name }),
  });
  return (
    <PanelSection title="Sign in">
      {link ? (
        <>
          <Code text={link.url} label="Login link" />
          <p className="mt-1 text-xs text-soft">
            Good once, <Time at={link.expiresAt} /> at the latest. Whoever opens it is {name}: give it to
            nobody else. It is not shown again.
          </p>
        </>
      ) : (
        <Button
          icon="plus"
          busy={make.isBusy}
          onClick={() => void make.run().then((made) => made && setLink(made))}
        >
          Make a login link
        </Button>
      )}
    </PanelSection>
  );
}

function Sessions({ name }: { name: string }) {
  const path = joinPath("people", name, "sessions");
  const sessions = useGet<SessionList>(path);
  const confirm = useConfirm();
  const end = useAction({
    run: (client, id: string) => client.delete(`${path}${joinPath(id)}`),
    successMessage: "Signed out there",
    invalidates: CHANGES,
  });
  const endAll = useAction({
    run: (client) => client.delete<SessionsEnded>(path),
    successMessage: ({ ended }) => `Signed out of ${ended} ${ended === 1 ? "browser" : "browsers"}`,
    invalidates: CHANGES,
  });
  const everywhere = async () => {
    const isConfirmed = await confirm({
      title: `Sign ${name} out everywhere?`,
      description: "Every browser they are signed in with has to be let in anew by a link.",
      action: "Sign out",
      danger: true,
    });
    if (isConfirmed) await endAll.run();
  };
  return (
    <QueryView query={sessions} rows={2}>
      {({ sessions: all }) => (
        <PanelSection
          title="Browsers"
          actions={
            all.length > 0 && (
              <Button look="danger" busy={endAll.isBusy} onClick={() => void everywhere()}>
                Sign out everywhere …
              </Button>
            )
          }
        >
          {all.length === 0 ? (
            <p className="text-soft">Signed in nowhere.</p>
          ) : (
            <ul className="flex flex-col">
              {all.map(({ id, label, createdAt, lastUsedAt, expiresAt, current }) => (
                <li key={id} className="flex items-center gap-2 border-b border-line py-2 last:border-b-0">
                  <div className="min-w-0 flex-1">
                    <div className="flex items-center gap-2">
                      <UntrustedText text={label === "" ? "a browser" : label} line />
                      {current && <Badge tone="accent">this one</Badge>}
                    </div>
                    <div className="text-xs text-soft">
                      since <Time at={createdAt} />, used <Time at={lastUsedAt} />, ends{" "}
                      <Time at={expiresAt} />
                    </div>
                  </div>
                  <Button look="quiet" onClick={() => void end.run(id)}>
                    Sign out
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </PanelSection>
      )}
    </QueryView>
  );
}
