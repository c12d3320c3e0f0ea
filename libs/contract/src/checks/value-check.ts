import protobuf from 'protobufjs';
import { fieldRules, type FieldRules } from '../options/field-options.ts';
import { keepingSecret } from '../plans/field-plan.ts';
import { refused, type InputPlan } from '../plans/input-plan.ts';
import { anyValuePlan, listValuePlan, sizedPlan, structPlan } from '../plans/json-plan.ts';
import { listLength } from '../plans/list-plan.ts';
import { keysCheck } from '../plans/map-plan.ts';
import { scalarPlan, type PlanContext } from '../plans/scalar-plan.ts';

/**
 * Looks at a value of a decoded message. Answers what it shall be from now on, a text in its normal form for one,
 * or `refused`. Like the readers of the gateway, it stops at the first thing wrong unless there are `findings`.
 */
export type ValueCheck = InputPlan['read'];

/** The check of a message inside another one. */
export type MessageChecks = (type: protobuf.Type) => ValueCheck | undefined;

/** The check of what a field holds, its list or map as a whole; undefined when nothing about it can be wrong. */
export function valueCheck(field: protobuf.Field, messages: MessageChecks): ValueCheck | undefined {
  const rules = fieldRules(field);
  const check = wholeCheck(field, rules, itemCheck(field, rules.list?.items ?? rules, messages));
  return check && rules.secret ? keepingSecret(check) : check;
}

function wholeCheck(field: protobuf.Field, rules: FieldRules, item: ValueCheck | undefined): ValueCheck | undefined {
  if ((field as object) instanceof protobuf.MapField) return mapCheck(rules, item);
  if (!field.repeated) return item;
  return item || rules.list ? listCheck(field, rules, item) : undefined;
}

/** Cursors arrive as the gateway has unsealed them: as positions, which are for the service to read. */
export const inside: PlanContext = { unseal: (position) => position };

/** What decoding lets through may still be any text and any number of its type; nothing else can be wrong. */
function itemCheck(field: protobuf.Field, rules: FieldRules, messages: MessageChecks): ValueCheck | undefined {
  const type = field.resolve().resolvedType;
  switch (type?.fullName) {
    case undefined:
      return scalarCheck(field, rules);
    case '.google.protobuf.Struct':
      return sizedPlan(structPlan, rules).read;
    case '.google.protobuf.ListValue':
      return sizedPlan(listValuePlan, rules).read;
    case '.google.protobuf.Value':
      return sizedPlan(anyValuePlan(rules), rules).read;
  }
  return type instanceof protobuf.Type && type.fullName.startsWith('.platform.') ? messages(type) : undefined;
}

function scalarCheck(field: protobuf.Field, rules: FieldRules): ValueCheck | undefined {
  if (field.type === 'string') return scalarPlan(field, rules, inside).read;
  if (!rules.integer) return undefined;
  const { read } = scalarPlan(field, rules, inside);
  // Checked only: 64-bit integers stay decimal text.
  return (value, findings, loc) => (read(value, findings, loc) === refused ? refused : value);
}

function listCheck(field: protobuf.Field, rules: FieldRules, item: ValueCheck | undefined): ValueCheck {
  const wrongLength = listLength(rules);
  const holdsMessages = field.resolvedType instanceof protobuf.Type;
  return (value, findings, loc) => {
    const items = value as unknown[];
    const problem = wrongLength(items.length);
    if (problem) {
      // Messages may hold secrets.
      findings?.add(problem, loc, holdsMessages ? null : items);
      return refused;
    }
    return item ? checkEach(items, items.keys(), item, findings, loc) : items;
  };
}

function mapCheck(rules: FieldRules, item: ValueCheck | undefined): ValueCheck {
  const areRight = keysCheck(rules);
  return (value, findings, loc) => {
    const entries = value as Record<string, unknown>;
    const keys = Object.keys(entries);
    const isRefused = !areRight(keys, keys, findings, loc);
    if (isRefused && !findings) return refused;
    const checked = item ? checkEach(entries, keys, item, findings, loc) : entries;
    return isRefused ? refused : checked;
  };
}

/** Checks what is at each key and puts it there in its normal form. */
function checkEach<Key extends string | number>(
  holder: Record<Key, unknown>,
  keys: Iterable<Key>,
  item: ValueCheck,
  findings: Parameters<ValueCheck>[1],
  loc: Parameters<ValueCheck>[2],
): unknown {
  let isRefused = false;
  for (const key of keys) {
    const result = item(holder[key], findings, findings ? [...loc, key] : loc);
    if (result !== refused) holder[key] = result;
    else if (findings) isRefused = true;
    else return refused;
  }
  return isRefused ? refused : holder;
}
