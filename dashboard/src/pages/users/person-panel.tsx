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
import { ROLE_OPTIONS, ROLES } from "./role-labels.ts";

const INVALIDATES = ["/people"];
const LIST_URL = "/users";

/** One person: their role, and their browser sessions. */
export function PersonPanel({ person }: { person: PersonView }) {
  const isAdmin = useHasRole("admin");
  const { name, role, owner, disabled, createdAt, lastSeenAt } = person;
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={urlWith({}, LIST_URL)}
      actions={isAdmin && !owner && <PersonMenu person={person} />}
    >
      <PanelSection>
        <KeyValues
          pairs={[
            ["Role", isAdmin && !owner ? <RoleSelect key="role" person={person} /> : ROLES[role].label],
            ["Access", ROLES[role].description],
            ["Owner", owner && "Always an admin. Cannot be removed or locked out."],
            ["State", disabled && <Badge tone="bad">Locked out</Badge>],
            ["Added", <Time key="added" at={createdAt} />],
            ["Last seen", <Time key="seen" at={lastSeenAt} />],
            [
              "Actions",
              <TextLink key="did" to={`/audit?view=actions&actor=${encodeURIComponent(name)}`}>
                View in audit log
              </TextLink>,
            ],
          ]}
        />
      </PanelSection>
      {isAdmin && !disabled && <LoginLinkSection name={name} />}
      {isAdmin && <Sessions name={name} />}
    </SidePanel>
  );
}

function RoleSelect({ person: { name, role } }: { person: PersonView }) {
  const confirm = useConfirm();
  const change = useAction({
    run: (client, next: string) => client.patch(joinPath("people", name), { role: next }),
    successMessage: (_, next) => `${name} is now ${next === "viewer" ? "a" : "an"} ${next}`,
    invalidates: INVALIDATES,
  });
  const confirmChange = async (next: PersonView["role"]) => {
    const isConfirmed = await confirm({
      title: `Make ${name} ${next === "viewer" ? "a" : "an"} ${ROLES[next].label.toLowerCase()}?`,
      description: `${ROLES[next].description} This applies immediately, in every browser where they are signed in.`,
      action: "Change role",
      danger: next === "admin",
    });
    if (isConfirmed) await change.run(next);
  };
  return (
    <Select
      aria-label={`Role of ${name}`}
      options={ROLE_OPTIONS}
      value={role}
      disabled={change.isBusy}
      onChange={(event) => void confirmChange(event.target.value as PersonView["role"])}
    />
  );
}

function PersonMenu({ person: { name, disabled } }: { person: PersonView }) {
  const confirm = useConfirm();
  const lock = useAction({
    run: (client, isLocked: boolean) => client.patch(joinPath("people", name), { disabled: isLocked }),
    successMessage: (_, isLocked) => (isLocked ? `Locked out ${name}` : `${name} can sign in again`),
    invalidates: INVALIDATES,
  });
  const remove = useAction({
    run: (client) => client.delete(joinPath("people", name)),
    successMessage: `Removed ${name}`,
    invalidates: INVALIDATES,
  });
  const confirmLock = async () => {
    const isConfirmed = await confirm({
      title: `Lock out ${name}?`,
      description:
        "They are signed out everywhere immediately and cannot sign in until you let them in again.",
      action: "Lock out",
      danger: true,
    });
    if (isConfirmed) await lock.run(true);
  };
  const confirmRemove = async () => {
    const isConfirmed = await confirm({
      title: `Remove ${name}?`,
      description:
        "They are signed out everywhere. Their actions stay in the audit log under their name. This cannot be undone.",
      action: "Remove",
      danger: true,
    });
    if (isConfirmed && (await remove.run()) !== undefined) navigate(urlWith({}, LIST_URL));
  };
  return (
    <Menu
      label={`More actions for ${name}`}
      items={[
        disabled
          ? { label: "Let in again", onSelect: () => void lock.run(false) }
          : { label: "Lock out…", danger: true, onSelect: () => void confirmLock() },
        { label: "Remove…", icon: "trash", danger: true, onSelect: () => void confirmRemove() },
      ]}
    />
  );
}

/** Shows a login link once. It is kept on screen only. */
function LoginLinkSection({ name }: { name: string }) {
  const [link, setLink] = useState<LoginLink>();
  const create = useAction({
    run: (client) => client.post<LoginLink>("/login-links", { person: name }),
  });
  return (
    <PanelSection title="Login link">
      {link ? (
        <>
          <Code text={link.url} label="Login link" />
          <p className="mt-1 text-xs text-soft">
            Works once and expires <Time at={link.expiresAt} />. Anyone who opens it signs in as {name}, so
            give it to nobody else. You cannot see it again.
          </p>
        </>
      ) : (
        <Button
          icon="plus"
          busy={create.isBusy}
          onClick={() => void create.run().then((created) => created && setLink(created))}
        >
          Create login link
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
    successMessage: "Session ended",
    invalidates: INVALIDATES,
  });
  const endAll = useAction({
    run: (client) => client.delete<SessionsEnded>(path),
    successMessage: ({ ended }) => `Ended ${ended} ${ended === 1 ? "session" : "sessions"}`,
    invalidates: INVALIDATES,
  });
  const confirmEndAll = async () => {
    const isConfirmed = await confirm({
      title: `Sign out ${name} everywhere?`,
      description: "They need a new login link for every browser.",
      action: "Sign out",
      danger: true,
    });
    if (isConfirmed) await endAll.run();
  };
  return (
    <QueryView query={sessions} rows={2}>
      {({ sessions: all }) => (
        <PanelSection
          title="Sessions"
          actions={
            all.length > 0 && (
              <Button look="danger" busy={endAll.isBusy} onClick={() => void confirmEndAll()}>
                Sign out everywhere…
              </Button>
            )
          }
        >
          {all.length === 0 ? (
            <p className="text-soft">Not signed in anywhere.</p>
          ) : (
            <ul className="flex flex-col">
              {all.map(({ id, label, createdAt, lastUsedAt, expiresAt, current }) => (
                <li key={id} className="flex items-center gap-2 border-b border-line py-2 last:border-b-0">
                  <div className="min-w-0 flex-1">
                    <div className="flex items-center gap-2">
                      <UntrustedText text={label === "" ? "Browser" : label} line />
                      {current && <Badge tone="accent">this browser</Badge>}
                    </div>
                    <div className="text-xs text-soft">
                      Since <Time at={createdAt} /> · used <Time at={lastUsedAt} /> · expires{" "}
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
