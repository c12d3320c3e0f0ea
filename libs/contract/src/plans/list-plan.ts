import protobuf, { type Writer } from 'protobufjs';
import type { FieldRules } from '../options/field-options.ts';
import type { Findings, Loc } from '../validation/findings.ts';
import { notAList, wrongLength, type Problem } from '../validation/problem.ts';
import type { Secrets } from '../validation/shown-input.ts';
import { refused, writeMessage, type FieldValue, type InputPlan } from './input-plan.ts';
import { lengthDelimited, tag } from './wire.ts';

/** A JSON list, or the values of a repeated query parameter. */
export function listField(field: protobuf.Field, item: InputPlan, rules: FieldRules): FieldValue {
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

function listReader(item: InputPlan, rules: FieldRules): InputPlan['read'] {
  const problemOf = listLength(rules);
  return (value, findings, loc) => {
    if (!Array.isArray(value)) {
      findings?.add(notAList, loc, value, secretsIn(item));
      return refused;
    }
    const problem = problemOf(value.length);
    if (problem) {
      findings?.add(problem, loc, value, secretsIn(item));
      return refused;
    }
    return readAll(value.entries(), item, findings, loc);
  };
}

/** The check of a list's length. */
export function listLength({ list = {} }: FieldRules): (length: number) => Problem | undefined {
  const { minItems = 0, maxItems = Infinity } = list;
  return (length) =>
    length < minItems || length > maxItems ? wrongLength('List', length, minItems, maxItems) : undefined;
}

/** Reads each item at its key. */
export function readAll(
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

/** What to hide when a value that may hold such items is shown. */
export function secretsIn({ holdsSecrets }: InputPlan): Secrets | undefined {
  return holdsSecrets ? 'everything' : undefined;
}
