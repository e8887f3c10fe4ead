import { useId, useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { Field as FieldFrame, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { escapeInvisible, UntrustedText } from "../../ui/untrusted-text.tsx";
import { initialOf, isUnparsed, join, parsed } from "./form-values.ts";
import { type Field, isObject, type Scalar } from "./schema-fields.ts";

interface Asked<F extends Field = Field> {
  readonly field: F;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly path: string;
  /** By path; what was not yet to be filled in has none. */
  readonly problems: ReadonlyMap<string, string>;
}

const MAX_NAME = 80;

type Of<K extends Field["kind"]> = Asked<Extract<Field, { kind: K }>>;

/** A form for what a schema asks for. `value` is what is sent, with what is not yet right in it. */
export function SchemaForm(asked: Asked) {
  const { field } = asked;
  switch (field.kind) {
    case "group":
      return <Group {...asked} field={field} />;
    case "list":
      return <List {...asked} field={field} />;
    case "choice":
      return <Choice {...asked} field={field} />;
    case "yesNo":
      return <YesNo {...asked} field={field} />;
    case "number":
      return <NumberField {...asked} field={field} />;
    case "text":
      return <TextField {...asked} field={field} />;
    case "json":
      return <JsonField {...asked} field={field} />;
  }
}

/** What it is called, whether it must be given, and what it says of itself. */
function labelOf(field: Field, path: string): string {
  const name = nameOf(field, path);
  return field.required ? name : `${name} (optional)`;
}

/** A stranger chose it. */
function nameOf(field: Field, path: string): string {
  return escapeInvisible((field.title || lastOf(path) || "Value").slice(0, MAX_NAME));
}

function About({ field }: { field: Field }) {
  return field.about === "" ? null : <UntrustedText text={field.about} max={300} />;
}

function hintOf(field: Field) {
  return field.about === "" ? {} : { hint: <About field={field} /> };
}

function errorOf({ problems, path }: Asked) {
  const error = problems.get(path);
  return error === undefined ? {} : { error };
}

function TextField(asked: Of<"text">) {
  const { field, value, onChange, path } = asked;
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  return (
    <FieldFrame label={labelOf(field, path)} {...hintOf(field)} {...errorOf(asked)}>
      {(inputProps) =>
        field.long ? (
          <TextArea {...inputProps} value={text} rows={3} onChange={({ target }) => onChange(target.value)} />
        ) : (
          <TextInput
            {...inputProps}
            type={field.secret ? "password" : "text"}
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </FieldFrame>
  );
}

function NumberField(asked: Of<"number">) {
  const { field, value, onChange, path } = asked;
  // As it is typed: "1." is on its way to being a number.
  const [typed, setTyped] = useState(value === undefined ? "" : String(value));
  const shown = numberIn(typed) === value ? typed : value === undefined ? "" : String(value);
  return (
    <FieldFrame label={labelOf(field, path)} {...hintOf(field)} {...errorOf(asked)}>
      {(inputProps) => (
        <TextInput
          {...inputProps}
          inputMode={field.whole ? "numeric" : "decimal"}
          value={shown}
          placeholder={rangeOf(field)}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(numberIn(target.value));
          }}
        />
      )}
    </FieldFrame>
  );
}

/** A number, or what was typed where it is none. */
function numberIn(typed: string): number | string | undefined {
  if (typed.trim() === "") return undefined;
  const number = Number(typed);
  return Number.isFinite(number) ? number : typed;
}

function rangeOf({ min, max, whole }: Extract<Field, { kind: "number" }>): string {
  const kind = whole ? "a whole number" : "a number";
  if (Number.isFinite(min) && Number.isFinite(max)) return `${kind} from ${min} to ${max}`;
  if (Number.isFinite(min)) return `${kind} from ${min}`;
  return Number.isFinite(max) ? `${kind} up to ${max}` : kind;
}

function Choice(asked: Of<"choice">) {
  const { field, value, onChange, path } = asked;
  const at = field.options.indexOf(value as Scalar);
  const options = [
    ["", field.required ? "Choose …" : "—"] as const,
    ...field.options.map((option, index) => [String(index), wordOf(option)] as const),
  ];
  return (
    <FieldFrame label={labelOf(field, path)} {...hintOf(field)} {...errorOf(asked)}>
      {(inputProps) => (
        <Select
          {...inputProps}
          options={options}
          value={at === -1 ? "" : String(at)}
          onChange={({ target }) =>
            onChange(target.value === "" ? undefined : field.options[Number(target.value)])
          }
        />
      )}
    </FieldFrame>
  );
}

function wordOf(option: Scalar): string {
  const word = typeof option === "string" ? option : String(option);
  return word === "" ? "(empty)" : escapeInvisible(word.slice(0, 200));
}

const YES_NO = [
  ["", "—"],
  ["true", "Yes"],
  ["false", "No"],
] as const;

function YesNo(asked: Of<"yesNo">) {
  const { field, value, onChange, path } = asked;
  return (
    <FieldFrame label={labelOf(field, path)} {...hintOf(field)} {...errorOf(asked)}>
      {(inputProps) => (
        <Select
          {...inputProps}
          options={field.required ? YES_NO.slice(1) : YES_NO}
          value={value === undefined ? "" : String(value)}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value === "true")}
        />
      )}
    </FieldFrame>
  );
}

function JsonField(asked: Of<"json">) {
  const { field, value, onChange, path } = asked;
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const written =
    value === undefined ? "" : isUnparsed(value) ? value.unparsed : JSON.stringify(value, null, 2);
  const text = typed !== undefined && same(parsed(typed), value) ? typed : written;
  return (
    <FieldFrame
      label={labelOf(field, path)}
      hint={
        <>
          <About field={field} /> {field.about && "· "}JSON, because {field.why}
        </>
      }
      {...errorOf(asked)}
    >
      {(inputProps) => (
        <TextArea
          {...inputProps}
          mono
          value={text}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(parsed(target.value));
          }}
        />
      )}
    </FieldFrame>
  );
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function Group(asked: Of<"group">) {
  const { field, value, onChange, path, problems } = asked;
  const id = useId();
  const isRoot = path === "";
  if (!isRoot && !field.required && value === undefined) {
    return (
      <AddLine
        field={field}
        path={path}
        onAdd={() => onChange(initialOf({ ...field, required: true }) ?? {})}
      />
    );
  }
  const values = isObject(value) ? value : {};
  const inside = field.fields.map((inner) => (
    <SchemaForm
      key={inner.name}
      field={inner}
      value={values[inner.name]}
      onChange={(next) => onChange({ ...values, [inner.name]: next })}
      path={join(path, inner.name)}
      problems={problems}
    />
  ));
  if (isRoot) return <div className="flex flex-col gap-3">{inside}</div>;
  return (
    <fieldset aria-labelledby={id} className="rounded-md border border-line px-3 pt-2 pb-3">
      <Legend
        id={id}
        field={field}
        path={path}
        {...(field.required ? {} : { onRemove: () => onChange(undefined) })}
      />
      <div className="flex flex-col gap-3">{inside}</div>
    </fieldset>
  );
}

const MAX_ITEMS = 200;

function List(asked: Of<"list">) {
  const { field, value, onChange, path, problems } = asked;
  const id = useId();
  if (!field.required && value === undefined) {
    return <AddLine field={field} path={path} onAdd={() => onChange([initialOf(field.item)])} />;
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
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place
          <li key={at} className="flex items-end gap-1">
            <div className="min-w-0 flex-1">
              <SchemaForm
                field={{ ...field.item, title: `${field.title || lastOf(path)} ${at + 1}` }}
                value={item}
                onChange={(next) => onChange(items.with(at, next))}
                path={join(path, String(at))}
                problems={problems}
              />
            </div>
            <IconButton
              icon="trash"
              label={`Remove ${nameOf(field, path)} ${at + 1}`}
              onClick={() => onChange(items.toSpliced(at, 1))}
            />
          </li>
        ))}
      </ol>
      {problem && <p className="mt-1 text-xs text-bad">{problem}</p>}
      {items.length < Math.min(field.max, MAX_ITEMS) && (
        <div className="mt-2">
          <Button icon="plus" onClick={() => onChange([...items, initialOf(field.item)])}>
            Add one
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
  const name = nameOf(field, path);
  return (
    <div className="mb-2 flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <span id={id} className="font-medium">
          {labelOf(field, path)}
        </span>
        <span className="block text-xs text-soft">
          <About field={field} />
        </span>
      </div>
      {onRemove && <IconButton icon="close" label={`Leave out ${name}`} onClick={onRemove} />}
    </div>
  );
}

function AddLine({ field, path, onAdd }: { field: Field; path: string; onAdd: () => void }) {
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <span className="font-medium">{labelOf(field, path)}</span>
        <span className="block text-xs text-soft">
          <About field={field} />
        </span>
      </div>
      <Button icon="plus" onClick={onAdd} aria-label={`Add ${nameOf(field, path)}`}>
        Add
      </Button>
    </div>
  );
}

function lastOf(path: string): string {
  return path.split(".").at(-1) ?? "";
}
