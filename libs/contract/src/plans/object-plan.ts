import type { Writer } from 'protobufjs';
import type { Findings, Loc } from '../validation/findings.ts';
import { isInputObject, type InputObject } from '../validation/input-value.ts';
import { missing, notAnObject } from '../validation/problem.ts';
import type { Secrets } from '../validation/shown-input.ts';
import { refused, type FieldPlan, type InputPlan } from './input-plan.ts';
import { lengthDelimited } from './wire.ts';

/** What an object's reader answers: the values of its fields, in their order; undefined where there is none. */
export type FieldValues = readonly unknown[];

/** A JSON object with known keys. Other keys are ignored, unless the findings are strict. */
export function objectPlan(fields: readonly FieldPlan[]): InputPlan {
  const secrets = secretsOf(fields);
  const known = fields.map(({ name }) => name);
  return {
    read: (value, findings, loc) => {
      if (isInputObject(value)) {
        findings?.addUnknown(value, known, loc);
        return readFields(fields, value, findings, loc, secrets);
      }
      findings?.add(notAnObject, loc, value, secrets);
      return refused;
    },
    write: (writer, values) => writeFields(fields, writer, values as FieldValues),
    wireType: lengthDelimited,
    isDefault: () => false,
    holdsSecrets: secrets.size > 0,
  };
}

function readFields(
  fields: readonly FieldPlan[],
  object: InputObject,
  findings: Findings | undefined,
  loc: Loc,
  secrets: Secrets,
): unknown {
  const values: unknown[] = [];
  let isRefused = false;
  for (const field of fields) {
    const value = readField(field, object, findings, loc, secrets);
    if (value === refused) {
      if (!findings) return refused;
      isRefused = true;
    }
    values.push(value);
  }
  if (isRefused || !hasWhatOthersRequire(fields, values, object, findings, loc, secrets)) return refused;
  return values;
}

function readField(
  field: FieldPlan,
  object: InputObject,
  findings: Findings | undefined,
  loc: Loc,
  secrets: Secrets,
): unknown {
  const { name, rules } = field;
  if (!Object.hasOwn(object, name)) {
    if (!rules.required) return field.defaultValue;
    findings?.add(missing, [...loc, name], object, secrets);
    return refused;
  }
  const value = object[name];
  if (value === null && rules.nullable) return undefined;
  return field.value.read(value, findings, findings ? [...loc, name] : loc);
}

/** The rule `required_when`. It speaks only when every field is right in itself. */
function hasWhatOthersRequire(
  fields: readonly FieldPlan[],
  values: FieldValues,
  object: InputObject,
  findings: Findings | undefined,
  loc: Loc,
  secrets: Secrets,
): boolean {
  const lacking = fields.filter(({ rules: { requiredWhen } }, index) => {
    if (requiredWhen === undefined || values[index] !== undefined) return false;
    return values[fields.findIndex(({ name }) => name === requiredWhen)] === true;
  });
  for (const { name } of lacking) findings?.add(missing, [...loc, name], object, secrets);
  return lacking.length === 0;
}

function writeFields(fields: readonly FieldPlan[], writer: Writer, values: FieldValues): void {
  for (let at = 0; at < fields.length; at++) {
    const value = values[at];
    if (value !== undefined) fields[at]?.write(writer, value);
  }
}

function secretsOf(fields: readonly FieldPlan[]): ReadonlySet<string> {
  return new Set(fields.filter(({ rules, value }) => rules.secret || value.holdsSecrets).map(({ name }) => name));
}
