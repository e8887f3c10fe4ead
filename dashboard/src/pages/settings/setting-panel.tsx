import type { SettingsChanged, SettingView } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { urlWith } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Field, FormProblem, Select, TextInput } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { ORIGINS, valueText } from "./setting-words.ts";

/** One setting, and a field to change it where that can be done here. */
export function SettingPanel({ setting }: { setting: SettingView }) {
  const isAdmin = useHasRole("admin");
  const { key, description, value, default: unset, origin, env, restart, schema, fixed } = setting;
  return (
    <SidePanel title={<span className="font-mono">{key}</span>} closeTo={urlWith({}, "/settings")}>
      <PanelSection>
        <p className="mb-3">{description}</p>
        <KeyValues
          pairs={[
            ["Value", <UntrustedText key="value" text={valueText(value)} mono />],
            ["Default", <UntrustedText key="default" text={valueText(unset)} mono />],
            ["Comes from", ORIGINS[origin]],
            [
              "Variable",
              env !== null && (
                <span key="env" className="font-mono text-xs">
                  {env}
                </span>
              ),
            ],
            ["Counts", restart && "from the next start of the daemon"],
          ]}
        />
      </PanelSection>
      {schema === null ? (
        <PanelSection>
          <p className="text-soft">
            Changed in the settings file only, by whoever holds the home: it decides who gets in, what is
            reached or where things are kept.
          </p>
        </PanelSection>
      ) : fixed !== null ? (
        <PanelSection>
          <p className="text-soft">It cannot be changed here now: {fixed}.</p>
        </PanelSection>
      ) : (
        isAdmin && (
          <PanelSection title="Change it">
            <SettingForm setting={setting} schema={schema} />
          </PanelSection>
        )
      )}
    </SidePanel>
  );
}

interface Given {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
}

function SettingForm({ setting, schema }: { setting: SettingView; schema: Given }) {
  const { key, value, default: unset, origin } = setting;
  const [typed, setTyped, forget] = useDraft(`setting.${key}`, value === null ? "" : String(value));
  const confirm = useConfirm();
  const change = useAction({
    run: (client, next: unknown) => client.patch<SettingsChanged>("/settings", { changes: { [key]: next } }),
    successMessage: ({ backup }) =>
      backup === null ? "Saved" : "Saved; a copy of the file as it was is kept beside it",
    invalidates: ["/settings", "/config"],
    quiet: true,
  });
  const save = async (next: unknown) => {
    if ((await change.run(next)) !== undefined) forget();
  };
  const reset = async () => {
    const isConfirmed = await confirm({
      title: `Take ${key} out of your file?`,
      description: `Then the default counts: ${valueText(unset)}.`,
      action: "Use the default",
    });
    if (isConfirmed) await save(null);
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void save(parsed(typed, schema));
      }}
    >
      <Field label="New value" hint={hintOf(schema)}>
        {(inputProps) => {
          const options = optionsOf(schema);
          return options ? (
            <Select
              {...inputProps}
              options={options}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          ) : (
            <TextInput
              {...inputProps}
              mono
              inputMode={isNumber(schema) ? "numeric" : "text"}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          );
        }}
      </Field>
      <FormProblem problem={change.problem} />
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          type="submit"
          busy={change.isBusy}
          disabled={typed === "" || typed === (value === null ? "" : String(value))}
        >
          Save
        </Button>
        {origin === "user" && (
          <Button busy={change.isBusy} onClick={() => void reset()}>
            Use the default …
          </Button>
        )}
      </div>
    </form>
  );
}

function isNumber({ type }: Given): boolean {
  return type === "integer" || type === "number";
}

function optionsOf(schema: Given): readonly (readonly [string, string])[] | undefined {
  if (schema.type === "boolean")
    return [
      ["true", "on"],
      ["false", "off"],
    ];
  return Array.isArray(schema.enum)
    ? schema.enum.map((each) => [String(each), String(each)] as const)
    : undefined;
}

function hintOf(schema: Given): string | undefined {
  if (!isNumber(schema)) return undefined;
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined)
    return `A number from ${Number(minimum).toLocaleString("en")} to ${Number(maximum).toLocaleString("en")}.`;
  return "A number.";
}

/** What cannot be one is sent as it is: the daemon says what it expects. */
function parsed(typed: string, schema: Given): unknown {
  if (schema.type === "boolean") return typed === "true";
  if (!isNumber(schema)) return typed;
  const number = Number(typed);
  return typed.trim() === "" || Number.isNaN(number) ? typed : number;
}
