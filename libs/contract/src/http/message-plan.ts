import protobuf, { type Writer } from 'protobufjs';
import { discriminatorOf, fieldRules, isFlat, type FieldRules } from '../options.ts';
import { isInputObject, type InputObject } from '../validation/input-value.ts';
import { missing, notADictionary, notAList, notAnObject, Problem } from '../validation/problem.ts';
import { pythonRepr } from '../validation/python-text.ts';

import type { Findings, Loc, Secrets } from './findings.ts';
import { anyValuePlan, listValuePlan, structPlan } from './json-plan.ts';
import { scalarPlan, timestampPlan, type PlanContext } from './scalar-plan.ts';
import { refused, type InputPlan } from './input-plan.ts';
import { lengthDelimited, tag } from './wire.ts';

/** A field of a message: how it is read and where it is written. */
export interface FieldPlan {
  readonly name: string;
  readonly rules: FieldRules;
  /** True for a field that takes several query values, or a JSON list. */
  readonly repeated: boolean;
  readonly value: InputPlan;
  /** Writes the whole field with its tag, unless there is nothing to write. */
  readonly write: (writer: Writer, value: unknown) => void;
  /** What `value.read` answers for the default; undefined when there is none. */
  readonly defaultValue: unknown;
}

/** The plan of one field of a request or of a message inside one. */
export function fieldPlan(field: protobuf.Field, context: PlanContext): FieldPlan {
  field.resolve();
  const rules = fieldRules(field);
  const { value, write } = fieldValue(field, rules, context);
  return {
    name: field.name,
    rules,
    repeated: field.repeated,
    value: rules.secret ? keepingSecret(value) : value,
    write,
    defaultValue: defaultValue(field, rules, value),
  };
}

interface FieldValue {
  readonly value: InputPlan;
  readonly write: (writer: Writer, value: unknown) => void;
}

function fieldValue(field: protobuf.Field, rules: FieldRules, context: PlanContext): FieldValue {
  if (field instanceof protobuf.MapField) return mapField(field, context);
  if (field.repeated) return listField(field, rules, context);
  const value = itemPlan(field, rules, context);
  const key = tag(field.id, value.wireType);
  const isMessage = field.resolvedType instanceof protobuf.Type;
  const keepsDefault = field.hasPresence;
  return {
    value,
    write: isMessage
      ? (writer, content) => writeMessage(writer, key, value, content)
      : (writer, content) => {
          if (keepsDefault || !value.isDefault(content)) value.write(writer.uint32(key), content);
        },
  };
}

function writeMessage(writer: Writer, key: number, value: InputPlan, content: unknown): void {
  writer.uint32(key).fork();
  value.write(writer, content);
  writer.ldelim();
}

/** The plan of a single value, be it a field's own or an item of its list. */
function itemPlan(field: protobuf.Field, rules: FieldRules, context: PlanContext): InputPlan {
  const type = field.resolvedType;
  if (!(type instanceof protobuf.Type)) return scalarPlan(field, rules, context);
  switch (type.fullName) {
    case '.google.protobuf.Timestamp':
      return timestampPlan;
    case '.google.protobuf.Struct':
      return structPlan;
    case '.google.protobuf.ListValue':
      return listValuePlan;
    case '.google.protobuf.Value':
      return anyValuePlan(rules.json);
    default:
      return messagePlan(type, context);
  }
}

function keepingSecret(plan: InputPlan): InputPlan {
  return {
    ...plan,
    read: (value, findings, loc) => {
      if (!findings) return plan.read(value, undefined, loc);
      const before = findings.items.length;
      const result = plan.read(value, findings, loc);
      findings.redactSince(before);
      return result;
    },
  };
}

function defaultValue(field: protobuf.Field, { defaultJson }: FieldRules, plan: InputPlan): unknown {
  if (defaultJson === undefined) return undefined;
  const value = plan.read(JSON.parse(defaultJson), undefined, []);
  if (value === refused) throw new Error(`${field.fullName.slice(1)}: its default breaks its own rules`);
  return value;
}

// --- lists and maps ---

function listField(field: protobuf.Field, rules: FieldRules, context: PlanContext): FieldValue {
  const itemRules = rules.list?.items ?? rules;
  const item = itemPlan(field, itemRules, context);
  const read = listReader(item, rules);
  const holdsSecrets = item.holdsSecrets === true;
  const isMessage = field.resolvedType instanceof protobuf.Type;
  const packed = item.wireType !== lengthDelimited;
  const key = tag(field.id, lengthDelimited);
  const writeAll = (writer: Writer, items: readonly unknown[]): void => {
    if (packed) writer.uint32(key).fork();
    for (const content of items) {
      if (isMessage) writeMessage(writer, key, item, content);
      else item.write(packed ? writer : writer.uint32(key), content);
    }
    if (packed) writer.ldelim();
  };
  return {
    value: { read, write: () => undefined, wireType: lengthDelimited, isDefault: () => false, holdsSecrets },
    write: (writer, items) => {
      if ((items as unknown[]).length > 0) writeAll(writer, items as unknown[]);
    },
  };
}

function listReader(item: InputPlan, { list = {} }: FieldRules): InputPlan['read'] {
  const { minItems = 0, maxItems = Infinity } = list;
  return (value, findings, loc) => {
    if (!Array.isArray(value)) {
      findings?.add(notAList, loc, value, secretsIn(item));
      return refused;
    }
    if (value.length < minItems || value.length > maxItems) {
      findings?.add(wrongLength(value.length, minItems, maxItems), loc, value, secretsIn(item));
      return refused;
    }
    return readAll(value.entries(), item, findings, loc);
  };
}

function secretsIn({ holdsSecrets }: InputPlan): Secrets | undefined {
  return holdsSecrets ? 'everything' : undefined;
}

function wrongLength(length: number, minimum: number, maximum: number): Problem {
  const tooShort = length < minimum;
  const bound = tooShort ? minimum : maximum;
  const items = `${bound} item${bound === 1 ? '' : 's'}`;
  return new Problem(
    tooShort ? 'too_short' : 'too_long',
    `List should have at ${tooShort ? 'least' : 'most'} ${items} after validation, not ${length}`,
    { field_type: 'List', [tooShort ? 'min_length' : 'max_length']: bound, actual_length: length },
  );
}

function readAll(
  entries: Iterable<[string | number, unknown]>,
  item: InputPlan,
  findings: Findings | undefined,
  loc: Loc,
): unknown {
  const result: unknown[] = [];
  let isRefused = false;
  for (const [key, value] of entries) {
    const read = item.read(value, findings, findings ? [...loc, key] : loc);
    if (read !== refused) result.push(read);
    else if (findings) isRefused = true;
    else return refused;
  }
  return isRefused ? refused : result;
}

/** A map is written as the messages its entries are: key 1, value 2. */
function mapField(field: protobuf.MapField, context: PlanContext): FieldValue {
  if (field.keyType !== 'string') throw new Error(`${field.fullName.slice(1)}: only maps from string can be read`);
  // protobufjs's types forget that a map field is a field.
  const asField = field as unknown as protobuf.Field;
  const item = itemPlan(asField, fieldRules(asField), context);
  const key = tag(field.id, lengthDelimited);
  const valueKey = tag(2, item.wireType);
  const isMessage = field.resolvedType instanceof protobuf.Type;
  const writeEntry = (writer: Writer, name: string, content: unknown): void => {
    writer.uint32(key).fork().uint32(tag(1, lengthDelimited)).string(name);
    if (isMessage) writeMessage(writer, valueKey, item, content);
    else item.write(writer.uint32(valueKey), content);
    writer.ldelim();
  };
  return {
    value: {
      read: mapReader(item),
      write: () => undefined,
      wireType: lengthDelimited,
      isDefault: () => false,
      holdsSecrets: item.holdsSecrets === true,
    },
    write: (writer, entries) => {
      for (const [name, content] of entries as Map<string, unknown>) writeEntry(writer, name, content);
    },
  };
}

function mapReader(item: InputPlan): InputPlan['read'] {
  return (value, findings, loc) => {
    if (!isInputObject(value)) {
      findings?.add(notADictionary, loc, value, secretsIn(item));
      return refused;
    }
    const keys = Object.keys(value);
    const read = readAll(Object.entries(value), item, findings, loc);
    return read === refused ? refused : new Map((read as unknown[]).map((content, at) => [keys[at] ?? '', content]));
  };
}

// --- messages ---

/** The plan of a message of the platform, made once per operation. */
function messagePlan(type: protobuf.Type, context: PlanContext): InputPlan {
  const known = plansOf(context);
  const made = known.get(type);
  if (made) return made;
  // A message may contain messages of its own type: while its plan is being made, they get one
  // that looks the finished plan up when a request comes.
  const finished = (): InputPlan => known.get(type) as InputPlan;
  known.set(type, {
    read: (value, findings, loc) => finished().read(value, findings, loc),
    write: (writer, value) => finished().write(writer, value),
    wireType: lengthDelimited,
    isDefault: () => false,
    holdsSecrets: type.fieldsArray.some((field) => fieldRules(field).secret),
  });
  const plan = newMessagePlan(type, context);
  known.set(type, plan);
  return plan;
}

const plansByContext = new WeakMap<PlanContext, Map<protobuf.Type, InputPlan>>();

function plansOf(context: PlanContext): Map<protobuf.Type, InputPlan> {
  const known = plansByContext.get(context) ?? new Map<protobuf.Type, InputPlan>();
  plansByContext.set(context, known);
  return known;
}

function newMessagePlan(type: protobuf.Type, context: PlanContext): InputPlan {
  if (isFlat(type)) return flatPlan(type, context);
  const discriminator = discriminatorOf(type);
  if (discriminator !== undefined) return unionPlan(type, discriminator, context);
  return objectPlan(type.fieldsArray.map((field) => fieldPlan(field, context)));
}

/** A message that stands for its only field. */
function flatPlan(type: protobuf.Type, context: PlanContext): InputPlan {
  const [only, ...others] = type.fieldsArray.map((field) => fieldPlan(field, context));
  if (!only || others.length > 0) throw new Error(`${type.fullName.slice(1)}: a flat message has exactly one field`);
  return { ...only.value, write: only.write, wireType: lengthDelimited, isDefault: () => false };
}

/** What an object's reader answers: the values of its fields, in their order; undefined where there is none. */
export type FieldValues = readonly unknown[];

export function objectPlan(fields: readonly FieldPlan[]): InputPlan {
  const secrets = secretsOf(fields);
  return {
    read: (value, findings, loc) => {
      if (isInputObject(value)) return readFields(fields, value, findings, loc, secrets);
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

export function writeFields(fields: readonly FieldPlan[], writer: Writer, values: FieldValues): void {
  for (let at = 0; at < fields.length; at++) {
    const value = values[at];
    if (value !== undefined) fields[at]?.write(writer, value);
  }
}

function secretsOf(fields: readonly FieldPlan[]): ReadonlySet<string> {
  return new Set(fields.filter(({ rules, value }) => rules.secret || value.holdsSecrets).map(({ name }) => name));
}

// --- unions ---

/** A message with one oneof, whose members a key of the JSON object tells apart. */
function unionPlan(type: protobuf.Type, discriminator: string, context: PlanContext): InputPlan {
  const members = new Map(
    type.fieldsArray.map((field) => {
      const member = fieldPlan(field, context);
      const { tag: name } = member.rules;
      if (name === undefined) throw new Error(`${field.fullName.slice(1)}: a member of a union needs a tag`);
      return [name, member];
    }),
  );
  const secrets = [...members.values()].some(({ value }) => value.holdsSecrets) ? 'everything' : undefined;
  const quotedName = `'${discriminator}'`;
  const expected = [...members.keys()].map((name) => `'${name}'`).join(', ');
  const noTag = new Problem('union_tag_not_found', `Unable to extract tag using discriminator ${quotedName}`, {
    discriminator: quotedName,
  });
  const unknownTag = (name: string): Problem =>
    new Problem(
      'union_tag_invalid',
      `Input tag '${name}' found using ${quotedName} does not match any of the expected tags: ${expected}`,
      { discriminator: quotedName, tag: name, expected_tags: expected },
    );
  return {
    read: (value, findings, loc) => {
      if (!isInputObject(value)) {
        findings?.add(notAnObject, loc, value, secrets);
        return refused;
      }
      if (!Object.hasOwn(value, discriminator)) {
        findings?.add(noTag, loc, value, secrets);
        return refused;
      }
      const name = value[discriminator];
      const member = typeof name === 'string' ? members.get(name) : undefined;
      if (!member) {
        const shown = typeof name === 'string' ? name : pythonRepr(name ?? null);
        findings?.add(unknownTag(shown), loc, value, secrets);
        return refused;
      }
      const content = member.value.read(value, findings, findings ? [...loc, name as string] : loc);
      return content === refused ? refused : [member, content];
    },
    write: (writer, chosen) => {
      const [member, content] = chosen as [FieldPlan, unknown];
      member.write(writer, content);
    },
    wireType: lengthDelimited,
    isDefault: () => false,
    holdsSecrets: secrets !== undefined,
  };
}
