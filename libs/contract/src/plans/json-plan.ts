import protobuf from 'protobufjs';
import type { JsonKind } from '../generated/options.ts';
import type { FieldRules } from '../options/field-options.ts';
import type { Findings, Loc } from '../validation/findings.ts';
import { FloatNumber, isExactNumber, isInputObject, isNumberObject } from '../validation/input-value.ts';
import { bytesTooLong, notADictionary, notAList, valueError } from '../validation/problem.ts';
import { hasNul } from '../validation/text.ts';
import { refused, type InputPlan } from './input-plan.ts';
import { lengthDelimited, writeListValue, writeStruct, writeValue } from './wire.ts';

/** Plans for free JSON: anything goes, except texts that cannot be stored. */

export const structPlan: InputPlan = {
  read: (value, findings, loc) => {
    if (isInputObject(value)) return readFreely(value, findings, loc);
    findings?.add(notADictionary, loc, value);
    return refused;
  },
  write: (writer, value) => writeStruct(writer, value as object),
  wireType: lengthDelimited,
  isDefault: () => false,
};

export const listValuePlan: InputPlan = {
  read: (value, findings, loc) => {
    if (Array.isArray(value)) return readFreely(value, findings, loc);
    findings?.add(notAList, loc, value);
    return refused;
  },
  write: (writer, value) => writeListValue(writer, value as unknown[]),
  wireType: lengthDelimited,
  isDefault: () => false,
};

/** A value of any kind, or of the kinds given. */
export function anyValuePlan({ json: kinds, exactNumbers }: Pick<FieldRules, 'json' | 'exactNumbers'>): InputPlan {
  const wrongKind = valueError(`expected ${kinds.map((kind) => kind.toLowerCase()).join(' or ')}`);
  return {
    read: (value, findings, loc) => {
      if (kinds.length === 0 || kinds.some((kind) => isOfKind(value, kind))) return readFreely(value, findings, loc);
      findings?.add(wrongKind, loc, value);
      return refused;
    },
    write: (writer, value) => writeValue(writer, value, exactNumbers),
    wireType: lengthDelimited,
    isDefault: () => false,
  };
}

/** The same plan for values that are not larger than the rule `json_max_bytes` says. */
export function sizedPlan(plan: InputPlan, { jsonMaxBytes }: FieldRules): InputPlan {
  if (jsonMaxBytes === undefined) return plan;
  const tooLong = bytesTooLong(jsonMaxBytes);
  return {
    ...plan,
    read: (value, findings, loc) => {
      const result = plan.read(value, findings, loc);
      if (result === refused) return refused;
      const writer = protobuf.Writer.create();
      plan.write(writer, result);
      if (writer.len <= jsonMaxBytes) return result;
      findings?.add(tooLong, loc, value);
      return refused;
    },
  };
}

function isOfKind(value: unknown, kind: JsonKind): boolean {
  switch (kind) {
    case 'NULL':
      return value === null;
    case 'BOOLEAN':
      return typeof value === 'boolean';
    case 'INTEGER':
      return typeof value === 'bigint' || Number.isInteger(doubleOf(value));
    case 'NUMBER':
      return typeof value === 'number' || typeof value === 'bigint' || isNumberObject(value);
    case 'STRING':
      return typeof value === 'string';
    case 'OBJECT':
      return isInputObject(value);
    case 'LIST':
      return Array.isArray(value);
  }
}

const doubleOf = (value: unknown): unknown => {
  if (value instanceof FloatNumber) return value.value;
  return isExactNumber(value) ? Number(value.rawJSON) : value;
};

function readFreely(value: unknown, findings: Findings | undefined, loc: Loc): unknown {
  const found = findNul(value);
  if (!found) return value;
  findings?.add(hasNul, [...loc, ...found.loc], found.text);
  return refused;
}

/** Where the first text with a NUL character is, a key or a value. */
function findNul(value: unknown): { loc: Loc; text: string } | undefined {
  if (typeof value === 'string') return value.includes('\0') ? { loc: [], text: value } : undefined;
  if (typeof value !== 'object' || value === null || isNumberObject(value)) return undefined;
  const entries: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, item] of entries) {
    if (typeof key === 'string' && key.includes('\0')) return { loc: [], text: key };
    const inner = findNul(item);
    if (inner) return { loc: [key, ...inner.loc], text: inner.text };
  }
  return undefined;
}
