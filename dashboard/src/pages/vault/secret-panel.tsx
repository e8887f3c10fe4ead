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
import { BindingFields, toBinding, toBindingDraft } from "./binding-fields.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { SOURCE_LABELS } from "./source-labels.ts";

const INVALIDATES = ["/secrets"];

/** One secret: everything except its value. */
export function SecretPanel({ secret }: { secret: SecretView }) {
  const { name, source, setBy, createdAt, updatedAt, usedBy, tools, hosts, agents } = secret;
  const [openDialog, setOpenDialog] = useUrlState("doing");
  const confirm = useConfirm();
  const remove = useAction({
    run: (client) => client.delete(joinPath("secrets", name)),
    successMessage: `Deleted ${name}`,
    invalidates: INVALIDATES,
  });
  const confirmDelete = async () => {
    const users = usedBy.length === 0 ? "" : ` These stop working: ${usedBy.join(", ")}.`;
    const isConfirmed = await confirm({
      title: `Delete secret ${name}?`,
      description: `The value is deleted, and calls that use it are refused.${users} Toolkeep keeps hiding the value in outputs. This cannot be undone.`,
      action: "Delete",
      danger: true,
    });
    if (isConfirmed && (await remove.run()) !== undefined) navigate(urlWith({}, "/vault"));
  };
  const renderList = (all: readonly string[], none: string) =>
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
            <Button look="primary" onClick={() => setOpenDialog("value")}>
              Replace value
            </Button>
            <Button onClick={() => setOpenDialog("bindings")}>Edit access</Button>
            <Button look="danger" icon="trash" busy={remove.isBusy} onClick={() => void confirmDelete()}>
              Delete…
            </Button>
          </div>
        </RequireRole>
      }
    >
      <PanelSection>
        <KeyValues
          pairs={[
            ["Value", `${SOURCE_LABELS[source].label}. ${SOURCE_LABELS[source].description}`],
            [
              "Set by",
              setBy === null ? (
                "A person"
              ) : (
                <TextLink key="by" to={joinPath("agents", setBy)}>
                  <UntrustedText text={setBy} />
                </TextLink>
              ),
            ],
            ["Updated", <Time key="updated" at={updatedAt} />],
            ["Created", <Time key="created" at={createdAt} />],
          ]}
        />
      </PanelSection>
      <PanelSection title="Access">
        <KeyValues
          pairs={[
            ["Tools", renderList(tools, "None: no call receives it")],
            ["Hosts", renderList(hosts, "None: only calls without a host")],
            ["Agents", agents === null ? "All" : renderList(agents, "None")],
            ["Also used by", renderList(usedBy, "Nothing else")],
          ]}
        />
      </PanelSection>
      <PanelSection title="Use in arguments">
        <div className="flex items-center gap-1">
          <code className="font-mono text-xs">{`{{secret:${name}}}`}</code>
          <CopyButton text={`{{secret:${name}}}`} label="Copy placeholder" />
        </div>
      </PanelSection>
      <RequireRole role="admin">
        {openDialog === "value" && <SecretDialog name={name} onClose={() => setOpenDialog("")} />}
        {openDialog === "bindings" && <BindingDialog secret={secret} onClose={() => setOpenDialog("")} />}
      </RequireRole>
    </SidePanel>
  );
}

function BindingDialog({ secret, onClose }: { secret: SecretView; onClose: () => void }) {
  const [value, setValue, clearDraft] = useDraft(`bindings.${secret.name}`, toBindingDraft(secret));
  const close = () => {
    clearDraft();
    onClose();
  };
  const save = useAction({
    run: async (client) => {
      const [current, next] = [toBinding(toBindingDraft(secret)), toBinding(value)];
      const path = joinPath("secrets", secret.name);
      const difference = (all: readonly string[], those: readonly string[]) =>
        all.filter((each) => !those.includes(each));
      // Remove first, so that the secret is never usable by more than either version allows.
      await client.post(`${path}/unbind`, {
        tools: difference(current.tools, next.tools),
        hosts: difference(current.hosts, next.hosts),
        ...(current.agents && next.agents && { agents: difference(current.agents, next.agents) }),
      });
      return client.post(`${path}/bind`, next);
    },
    successMessage: "Saved",
    invalidates: INVALIDATES,
    quiet: true,
  });
  return (
    <Dialog
      title={`Edit access to ${secret.name}`}
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
