import { useId, useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { Field as FieldFrame, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { escapeInvisible, UntrustedText } from "../../ui/untrusted-text.tsx";
import { buildInitialValue, isUnparsed, joinFieldPath, parseJson } from "./form-values.ts";
import { type Field, isObject, type Scalar } from "./schema-fields.ts";

interface FieldProps<F extends Field = Field> {
  readonly field: F;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly path: string;
  /** Problems by path; empty until the form is submitted. */
  readonly problems: ReadonlyMap<string, string>;
}

const MAX_NAME = 80;

type PropsOf<K extends Field["kind"]> = FieldProps<Extract<Field, { kind: K }>>;

/** A form for a schema. `value` holds the arguments, including input that is not valid yet. */
export function SchemaForm(props: FieldProps) {
  const { field } = props;
  switch (field.kind) {
    case "group":
      return <GroupFields {...props} field={field} />;
    case "list":
      return <ListField {...props} field={field} />;
    case "choice":
      return <ChoiceField {...props} field={field} />;
    case "boolean":
      return <BooleanField {...props} field={field} />;
    case "number":
      return <NumberField {...props} field={field} />;
    case "text":
      return <TextField {...props} field={field} />;
    case "json":
      return <JsonField {...props} field={field} />;
  }
}

function formatLabel(field: Field, path: string): string {
  const name = formatName(field, path);
  return field.required ? name : `${name} (optional)`;
}

/** Untrusted: the server chose the title. */
function formatName(field: Field, path: string): string {
  return escapeInvisible((field.title || lastSegment(path) || "Value").slice(0, MAX_NAME));
}

function Description({ field }: { field: Field }) {
  return field.description === "" ? null : <UntrustedText text={field.description} max={300} />;
}

function hintProps(field: Field) {
  return field.description === "" ? {} : { hint: <Description field={field} /> };
}

function errorProps({ problems, path }: FieldProps) {
  const error = problems.get(path);
  return error === undefined ? {} : { error };
}

function TextField(props: PropsOf<"text">) {
  const { field, value, onChange, path } = props;
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  return (
    <FieldFrame label={formatLabel(field, path)} {...hintProps(field)} {...errorProps(props)}>
      {(inputProps) =>
        field.isMultiline ? (
          <TextArea {...inputProps} value={text} rows={3} onChange={({ target }) => onChange(target.value)} />
        ) : (
          <TextInput
            {...inputProps}
            type={field.isSecret ? "password" : "text"}
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </FieldFrame>
  );
}

function NumberField(props: PropsOf<"number">) {
  const { field, value, onChange, path } = props;
  // Keeps the raw input, because "1." is not a number yet but may become one.
  const [input, setInput] = useState(value === undefined ? "" : String(value));
  const visible = parseNumber(input) === value ? input : value === undefined ? "" : String(value);
  return (
    <FieldFrame label={formatLabel(field, path)} {...hintProps(field)} {...errorProps(props)}>
      {(inputProps) => (
        <TextInput
          {...inputProps}
          inputMode={field.isInteger ? "numeric" : "decimal"}
          value={visible}
          placeholder={describeRange(field)}
          onChange={({ target }) => {
            setInput(target.value);
            onChange(parseNumber(target.value));
          }}
        />
      )}
    </FieldFrame>
  );
}

/** A number, or the raw input when it is not a number. */
function parseNumber(input: string): number | string | undefined {
  if (input.trim() === "") return undefined;
  const number = Number(input);
  return Number.isFinite(number) ? number : input;
}

function describeRange({ min, max, isInteger }: Extract<Field, { kind: "number" }>): string {
  const kind = isInteger ? "a whole number" : "a number";
  if (Number.isFinite(min) && Number.isFinite(max)) return `${kind} from ${min} to ${max}`;
  if (Number.isFinite(min)) return `${kind} from ${min}`;
  return Number.isFinite(max) ? `${kind} up to ${max}` : kind;
}

function ChoiceField(props: PropsOf<"choice">) {
  const { field, value, onChange, path } = props;
  const selectedIndex = field.options.indexOf(value as Scalar);
  const options = [
    ["", field.required ? "Choose…" : "—"] as const,
    ...field.options.map((option, index) => [String(index), formatOption(option)] as const),
  ];
  return (
    <FieldFrame label={formatLabel(field, path)} {...hintProps(field)} {...errorProps(props)}>
      {(inputProps) => (
        <Select
          {...inputProps}
          options={options}
          value={selectedIndex === -1 ? "" : String(selectedIndex)}
          onChange={({ target }) =>
            onChange(target.value === "" ? undefined : field.options[Number(target.value)])
          }
        />
      )}
    </FieldFrame>
  );
}

function formatOption(option: Scalar): string {
  const word = typeof option === "string" ? option : String(option);
  return word === "" ? "(empty)" : escapeInvisible(word.slice(0, 200));
}

const BOOLEAN_OPTIONS = [
  ["", "—"],
  ["true", "Yes"],
  ["false", "No"],
] as const;

function BooleanField(props: PropsOf<"boolean">) {
  const { field, value, onChange, path } = props;
  return (
    <FieldFrame label={formatLabel(field, path)} {...hintProps(field)} {...errorProps(props)}>
      {(inputProps) => (
        <Select
          {...inputProps}
          options={field.required ? BOOLEAN_OPTIONS.slice(1) : BOOLEAN_OPTIONS}
          value={value === undefined ? "" : String(value)}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value === "true")}
        />
      )}
    </FieldFrame>
  );
}

function JsonField(props: PropsOf<"json">) {
  const { field, value, onChange, path } = props;
  const [input, setInput] = useState<string | undefined>(undefined);
  const formatted =
    value === undefined ? "" : isUnparsed(value) ? value.unparsed : JSON.stringify(value, null, 2);
  const text = input !== undefined && isSame(parseJson(input), value) ? input : formatted;
  return (
    <FieldFrame
      label={formatLabel(field, path)}
      hint={
        <>
          <Description field={field} /> {field.description && "· "}JSON, because {field.reason}
        </>
      }
      {...errorProps(props)}
    >
      {(inputProps) => (
        <TextArea
          {...inputProps}
          mono
          value={text}
          onChange={({ target }) => {
            setInput(target.value);
            onChange(parseJson(target.value));
          }}
        />
      )}
    </FieldFrame>
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function GroupFields(props: PropsOf<"group">) {
  const { field, value, onChange, path, problems } = props;
  const id = useId();
  const isRoot = path === "";
  if (!isRoot && !field.required && value === undefined) {
    return (
      <AddRow
        field={field}
        path={path}
        onAdd={() => onChange(buildInitialValue({ ...field, required: true }) ?? {})}
      />
    );
  }
  const values = isObject(value) ? value : {};
  const inner = field.fields.map((inner) => (
    <SchemaForm
      key={inner.name}
      field={inner}
      value={values[inner.name]}
      onChange={(next) => onChange({ ...values, [inner.name]: next })}
      path={joinFieldPath(path, inner.name)}
      problems={problems}
    />
  ));
  if (isRoot) return <div className="flex flex-col gap-3">{inner}</div>;
  return (
    <fieldset aria-labelledby={id} className="rounded-md border border-line px-3 pt-2 pb-3">
      <Legend
        id={id}
        field={field}
        path={path}
        {...(field.required ? {} : { onRemove: () => onChange(undefined) })}
      />
      <div className="flex flex-col gap-3">{inner}</div>
    </fieldset>
  );
}

const MAX_ITEMS = 200;

function ListField(props: PropsOf<"list">) {
  const { field, value, onChange, path, problems } = props;
  const id = useId();
  if (!field.required && value === undefined) {
    return <AddRow field={field} path={path} onAdd={() => onChange([buildInitialValue(field.item)])} />;
  }
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const problem = problems.get(path);
  return (
    <fieldset aria-labelledby={id} className="rounded-md border border-line px-3 pt-2 pb-3">
      <Legend
        id={id}
        field={field}
        path={path}
        {...(field.required ? {} : { onRemove: () => onChange(undefined) })}
      />
      <ol className="flex flex-col gap-2">
        {items.slice(0, MAX_ITEMS).map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is identified by its position
          <li key={at} className="flex items-end gap-1">
            <div className="min-w-0 flex-1">
              <SchemaForm
                field={{ ...field.item, title: `${field.title || lastSegment(path)} ${at + 1}` }}
                value={item}
                onChange={(next) => onChange(items.with(at, next))}
                path={joinFieldPath(path, String(at))}
                problems={problems}
              />
            </div>
            <IconButton
              icon="trash"
              label={`Remove ${formatName(field, path)} ${at + 1}`}
              onClick={() => onChange(items.toSpliced(at, 1))}
            />
          </li>
        ))}
      </ol>
      {problem && <p className="mt-1 text-xs text-bad">{problem}</p>}
      {items.length < Math.min(field.max, MAX_ITEMS) && (
        <div className="mt-2">
          <Button icon="plus" onClick={() => onChange([...items, buildInitialValue(field.item)])}>
            Add item
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Legend({
  id,
  field,
  path,
  onRemove,
}: {
  id: string;
  field: Field;
  path: string;
  onRemove?: () => void;
}) {
  const name = formatName(field, path);
  return (
    <div className="mb-2 flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <span id={id} className="font-medium">
          {formatLabel(field, path)}
        </span>
        <span className="block text-xs text-soft">
          <Description field={field} />
        </span>
      </div>
      {onRemove && <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />}
    </div>
  );
}

function AddRow({ field, path, onAdd }: { field: Field; path: string; onAdd: () => void }) {
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <span className="font-medium">{formatLabel(field, path)}</span>
        <span className="block text-xs text-soft">
          <Description field={field} />
        </span>
      </div>
      <Button icon="plus" onClick={onAdd} aria-label={`Add ${formatName(field, path)}`}>
        Add
      </Button>
    </div>
  );
}

function lastSegment(path: string): string {
  return path.split(".").at(-1) ?? "";
}
