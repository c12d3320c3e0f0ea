import protobuf from 'protobufjs';
import { fieldRules, type FieldRules } from '../options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../options/message-options.ts';
import { refused, writeMessage, type FieldPlan, type FieldValue, type InputPlan } from './input-plan.ts';
import { anyValuePlan, listValuePlan, sizedPlan, structPlan } from './json-plan.ts';
import { listField } from './list-plan.ts';
import { mapField } from './map-plan.ts';
import { objectPlan } from './object-plan.ts';
import { scalarPlan, timestampPlan, type PlanContext } from './scalar-plan.ts';
import { unionPlan } from './union-plan.ts';
import { lengthDelimited, tag } from './wire.ts';

/** The plan of one field of a request or of a message inside one. */
export function fieldPlan(field: protobuf.Field, context: PlanContext): FieldPlan {
  field.resolve();
  const rules = fieldRules(field);
  const { value, write } = fieldValue(field, rules, context);
  return {
    name: field.name,
    rules,
    repeated: field.repeated,
    value: rules.secret ? { ...value, read: keepingSecret(value.read) } : value,
    write,
    defaultValue: defaultValue(field, rules, value),
  };
}

function fieldValue(field: protobuf.Field, rules: FieldRules, context: PlanContext): FieldValue {
  const value = itemPlan(field, rules.list?.items ?? rules, context);
  // A map field is a field, which protobufjs's types do not say.
  if ((field as object) instanceof protobuf.MapField) {
    return mapField(field as unknown as protobuf.MapField, value, rules);
  }
  if (field.repeated) return listField(field, value, rules);
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

/** The plan of a single value, be it a field's own or an item of its list. */
function itemPlan(field: protobuf.Field, rules: FieldRules, context: PlanContext): InputPlan {
  const type = field.resolvedType;
  if (!(type instanceof protobuf.Type)) return scalarPlan(field, rules, context);
  switch (type.fullName) {
    case '.google.protobuf.Timestamp':
      return timestampPlan;
    case '.google.protobuf.Struct':
      return sizedPlan(structPlan, rules);
    case '.google.protobuf.ListValue':
      return sizedPlan(listValuePlan, rules);
    case '.google.protobuf.Value':
      return sizedPlan(anyValuePlan(rules), rules);
    default:
      return messagePlan(type, context);
  }
}

/** The same reader; what it finds wrong with a secret does not show it. */
export function keepingSecret(read: InputPlan['read']): InputPlan['read'] {
  return (value, findings, loc) => {
    if (!findings) return read(value, undefined, loc);
    const before = findings.items.length;
    const result = read(value, findings, loc);
    findings.redactSince(before);
    return result;
  };
}

function defaultValue(field: protobuf.Field, { defaultJson }: FieldRules, plan: InputPlan): unknown {
  if (defaultJson === undefined) return undefined;
  const value = plan.read(JSON.parse(defaultJson), undefined, []);
  if (value === refused) throw new Error(`${field.fullName.slice(1)}: its default breaks its own rules`);
  return value;
}

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
  if (isUnwrapped(type)) return unwrappedPlan(type, context);
  const discriminator = discriminatorOf(type);
  const fields = type.fieldsArray.map((field) => fieldPlan(field, context));
  return discriminator === undefined ? objectPlan(fields) : unionPlan(byTag(fields), discriminator);
}

function byTag(members: readonly FieldPlan[]): ReadonlyMap<string, FieldPlan> {
  return new Map(
    members.map((member) => {
      if (member.rules.tag === undefined) throw new Error(`${member.name}: a member of a union needs a tag`);
      return [member.rules.tag, member];
    }),
  );
}

/** A message that stands for its only field. */
function unwrappedPlan(type: protobuf.Type, context: PlanContext): InputPlan {
  const [only, ...others] = type.fieldsArray.map((field) => fieldPlan(field, context));
  if (!only || others.length > 0)
    throw new Error(`${type.fullName.slice(1)}: an unwrapped message has exactly one field`);
  return { ...only.value, write: only.write, wireType: lengthDelimited, isDefault: () => false };
}
