import { joinPath } from "../../api/client.ts";
import type { SecretView } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith, useUrlState } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { BindingFields, bindingOf, bindingsOf } from "./binding-fields.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { SOURCES } from "./source-words.ts";

const CHANGES = ["/secrets"];

/** One secret: everything but its value. */
export function SecretPanel({ secret }: { secret: SecretView }) {
  const { name, source, setBy, createdAt, updatedAt, usedBy, tools, hosts, agents } = secret;
  const [doing, setDoing] = useUrlState("doing");
  const confirm = useConfirm();
  const remove = useAction({
    run: (client) => client.delete(joinPath("secrets", name)),
    successMessage: `${name} is deleted`,
    invalidates: CHANGES,
  });
  const drop = async () => {
    const users = usedBy.length === 0 ? "" : ` ${usedBy.join(", ")} will no longer work without it.`;
    const isConfirmed = await confirm({
      title: `Delete the secret ${name}?`,
      description: `The value is gone for good. Calls that name it are refused.${users} It stays hidden in outputs.`,
      action: "Delete",
      danger: true,
    });
    if (isConfirmed && (await remove.run()) !== undefined) navigate(urlWith({}, "/vault"));
  };
  const list = (all: readonly string[], none: string) =>
    all.length === 0 ? (
      <span className="text-soft">{none}</span>
    ) : (
      <UntrustedText text={all.join(", ")} mono />
    );
  return (
    <SidePanel
      title={<UntrustedText text={name} line mono />}
      closeTo={urlWith({}, "/vault")}
      footer={
        <RequireRole role="admin">
          <div className="flex flex-wrap gap-2">
            <Button look="primary" onClick={() => setDoing("value")}>
              Set a new value
            </Button>
            <Button onClick={() => setDoing("bindings")}>Who may use it</Button>
            <Button look="danger" icon="trash" busy={remove.isBusy} onClick={() => void drop()}>
              Delete …
            </Button>
          </div>
        </RequireRole>
      }
    >
      <PanelSection>
        <KeyValues
          pairs={[
            ["Value", `${SOURCES[source].label}. ${SOURCES[source].about}`],
            [
              "Set by",
              setBy === null ? (
                "a person"
              ) : (
                <TextLink key="by" to={joinPath("agents", setBy)}>
                  <UntrustedText text={setBy} />
                </TextLink>
              ),
            ],
            ["Last set", <Time key="set" at={updatedAt} />],
            ["There since", <Time key="since" at={createdAt} />],
          ]}
        />
      </PanelSection>
      <PanelSection title="Who may use it">
        <KeyValues
          pairs={[
            ["Tools", list(tools, "none: no call gets it in its arguments")],
            ["Hosts", list(hosts, "none: only calls that go to no host")],
            ["Agents", agents === null ? "all" : list(agents, "none")],
            ["Also used by", list(usedBy, "nothing else")],
          ]}
        />
      </PanelSection>
      <PanelSection title="How to name it">
        <div className="flex items-center gap-1">
          <code className="font-mono text-xs">{`{{secret:${name}}}`}</code>
          <CopyButton text={`{{secret:${name}}}`} label="Copy how to name it" />
        </div>
      </PanelSection>
      <RequireRole role="admin">
        {doing === "value" && <SecretDialog name={name} onClose={() => setDoing("")} />}
        {doing === "bindings" && <BindingDialog secret={secret} onClose={() => setDoing("")} />}
      </RequireRole>
    </SidePanel>
  );
}

function BindingDialog({ secret, onClose }: { secret: SecretView; onClose: () => void }) {
  const [value, setValue, forget] = useDraft(`bindings.${secret.name}`, bindingsOf(secret));
  const close = () => {
    forget();
    onClose();
  };
  const save = useAction({
    run: async (client) => {
      const [now, next] = [bindingOf(bindingsOf(secret)), bindingOf(value)];
      const path = joinPath("secrets", secret.name);
      const without = (all: readonly string[], those: readonly string[]) =>
        all.filter((each) => !those.includes(each));
      // First what is taken away: in between it is never for more than either.
      await client.post(`${path}/unbind`, {
        tools: without(now.tools, next.tools),
        hosts: without(now.hosts, next.hosts),
        ...(now.agents && next.agents && { agents: without(now.agents, next.agents) }),
      });
      return client.post(`${path}/bind`, next);
    },
    successMessage: "Saved",
    invalidates: CHANGES,
    quiet: true,
  });
  return (
    <Dialog
      title={`Who may use ${secret.name}`}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            look="primary"
            busy={save.isBusy}
            onClick={() => void save.run().then((done) => done && close())}
          >
            Save
          </Button>
        </>
      }
    >
      <form className="flex flex-col gap-4" onSubmit={(event) => event.preventDefault()}>
        <BindingFields value={value} change={setValue} />
        <FormProblem problem={save.problem} />
      </form>
    </Dialog>
  );
}
