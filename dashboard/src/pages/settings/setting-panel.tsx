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
import { formatValue, ORIGINS } from "./setting-labels.ts";

/** One setting, with a form when it can be changed here. */
export function SettingPanel({ setting }: { setting: SettingView }) {
  const isAdmin = useHasRole("admin");
  const { key, description, value, default: defaultValue, origin, env, restart, schema, fixed } = setting;
  return (
    <SidePanel title={<span className="font-mono">{key}</span>} closeTo={urlWith({}, "/settings")}>
      <PanelSection>
        <p className="mb-3">{description}</p>
        <KeyValues
          pairs={[
            ["Value", <UntrustedText key="value" text={formatValue(value)} mono />],
            ["Default", <UntrustedText key="default" text={formatValue(defaultValue)} mono />],
            ["Source", ORIGINS[origin]],
            [
              "Variable",
              env !== null && (
                <span key="env" className="font-mono text-xs">
                  {env}
                </span>
              ),
            ],
            ["Applies", restart && "After the daemon restarts"],
          ]}
        />
      </PanelSection>
      {schema === null ? (
        <PanelSection>
          <p className="text-soft">
            Only the owner can change this, in the settings file, because it controls who can sign in, what
            Toolkeep can reach or where data is stored.
          </p>
        </PanelSection>
      ) : fixed !== null ? (
        <PanelSection>
          <p className="text-soft">You cannot change this here now: {fixed}.</p>
        </PanelSection>
      ) : (
        isAdmin && (
          <PanelSection title="Change">
            <SettingForm setting={setting} schema={schema} />
          </PanelSection>
        )
      )}
    </SidePanel>
  );
}

interface ValueSchema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
}

function SettingForm({ setting, schema }: { setting: SettingView; schema: ValueSchema }) {
  const { key, value, default: defaultValue, origin } = setting;
  const [input, setInput, clearDraft] = useDraft(`setting.${key}`, value === null ? "" : String(value));
  const confirm = useConfirm();
  const change = useAction({
    run: (client, next: unknown) => client.patch<SettingsChanged>("/settings", { changes: { [key]: next } }),
    successMessage: ({ backup }) =>
      backup === null ? "Saved" : "Saved. A copy of the previous file is kept next to it.",
    invalidates: ["/settings", "/config"],
    quiet: true,
  });
  const save = async (next: unknown) => {
    if ((await change.run(next)) !== undefined) clearDraft();
  };
  const confirmReset = async () => {
    const isConfirmed = await confirm({
      title: `Reset ${key}?`,
      description: `This removes it from your file. The default applies: ${formatValue(defaultValue)}.`,
      action: "Use default",
    });
    if (isConfirmed) await save(null);
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void save(parseValue(input, schema));
      }}
    >
      <Field label="New value" hint={describeRange(schema)}>
        {(inputProps) => {
          const options = findOptions(schema);
          return options ? (
            <Select
              {...inputProps}
              options={options}
              value={input}
              onChange={(event) => setInput(event.target.value)}
            />
          ) : (
            <TextInput
              {...inputProps}
              mono
              inputMode={isNumber(schema) ? "numeric" : "text"}
              value={input}
              onChange={(event) => setInput(event.target.value)}
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
          disabled={input === "" || input === (value === null ? "" : String(value))}
        >
          Save
        </Button>
        {origin === "user" && (
          <Button busy={change.isBusy} onClick={() => void confirmReset()}>
            Use default…
          </Button>
        )}
      </div>
    </form>
  );
}

function isNumber({ type }: ValueSchema): boolean {
  return type === "integer" || type === "number";
}

function findOptions(schema: ValueSchema): readonly (readonly [string, string])[] | undefined {
  if (schema.type === "boolean")
    return [
      ["true", "on"],
      ["false", "off"],
    ];
  return Array.isArray(schema.enum)
    ? schema.enum.map((each) => [String(each), String(each)] as const)
    : undefined;
}

function describeRange(schema: ValueSchema): string | undefined {
  if (!isNumber(schema)) return undefined;
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined)
    return `A number from ${Number(minimum).toLocaleString("en")} to ${Number(maximum).toLocaleString("en")}.`;
  return "A number.";
}

/** Sends invalid input as it is, because the daemon says what it expects. */
function parseValue(input: string, schema: ValueSchema): unknown {
  if (schema.type === "boolean") return input === "true";
  if (!isNumber(schema)) return input;
  const number = Number(input);
  return input.trim() === "" || Number.isNaN(number) ? input : number;
}
