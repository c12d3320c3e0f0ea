import protobuf, { type Writer } from 'protobufjs';
import type { FieldRules } from '../options/field-options.ts';
import type { Findings, Loc } from '../validation/findings.ts';
import { isInputObject } from '../validation/input-value.ts';
import { notADictionary, wrongLength } from '../validation/problem.ts';
import type { Secrets } from '../validation/shown-input.ts';
import { hasNul, lengthCheck } from '../validation/text.ts';
import { refused, writeMessage, type FieldValue, type InputPlan } from './input-plan.ts';
import { readAll, secretsIn } from './list-plan.ts';
import { lengthDelimited, tag } from './wire.ts';

/** A JSON object with free keys. It is written as the messages its entries are: key 1, value 2. */
export function mapField(field: protobuf.MapField, item: InputPlan, rules: FieldRules): FieldValue {
  if (field.keyType !== 'string') throw new Error(`${field.fullName.slice(1)}: only maps from string can be read`);
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
      read: mapReader(item, rules),
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

function mapReader(item: InputPlan, rules: FieldRules): InputPlan['read'] {
  const areRight = keysCheck(rules);
  return (value, findings, loc) => {
    if (!isInputObject(value)) {
      findings?.add(notADictionary, loc, value, secretsIn(item));
      return refused;
    }
    const keys = Object.keys(value);
    const isRefused = !areRight(keys, value, findings, loc, secretsIn(item));
    if (isRefused && !findings) return refused;
    const read = readAll(Object.entries(value), item, findings, loc);
    return isRefused || read === refused
      ? refused
      : new Map((read as unknown[]).map((content, at) => [keys[at] ?? '', content]));
  };
}

/** Looks at the keys of a map: how many they are, and each of them. Answers whether all is right. */
export type KeysCheck = (
  keys: readonly string[],
  input: unknown,
  findings: Findings | undefined,
  loc: Loc,
  secrets?: Secrets,
) => boolean;

export function keysCheck({ map = {} }: FieldRules): KeysCheck {
  const { maxKeys = Infinity, maxKeyLength = Infinity } = map;
  const lengthOf = lengthCheck(0, maxKeyLength);
  return (keys, input, findings, loc, secrets) => {
    if (keys.length > maxKeys) {
      findings?.add(wrongLength('Dictionary', keys.length, 0, maxKeys), loc, input, secrets);
      return false;
    }
    if (keys.some((key) => key.includes('\0'))) {
      findings?.add(hasNul, loc, input, secrets);
      return false;
    }
    let isRight = true;
    for (const key of keys) {
      const problem = lengthOf(key);
      if (!problem) continue;
      findings?.add(problem, [...loc, key, '[key]'], key);
      isRight = false;
    }
    return isRight;
  };
}
