import protobuf from 'protobufjs';
import { camelCase } from '../definitions.ts';
import { fieldRules } from '../options/field-options.ts';
import { refused } from '../plans/input-plan.ts';
import type { Findings, Loc } from '../validation/findings.ts';
import { missing } from '../validation/problem.ts';
import { valueCheck, type MessageChecks, type ValueCheck } from './value-check.ts';

export type Decoded = Record<string, unknown>;

/**
 * Checks a field of a decoded message and brings it into its normal form. `isNamed`: the update mask names the field.
 * Answers whether nothing is wrong.
 */
export type FieldCheck = (message: Decoded, isNamed: boolean, findings: Findings | undefined, parent: Loc) => boolean;

/** What the checks of fields are made with. */
export interface CheckContext {
  readonly messages: MessageChecks;
  /** The value that the field has in a message with its default; a new one each time. */
  readonly defaultOf: (field: protobuf.Field) => () => unknown;
}

/**
 * The check of a field that stands at `ownLoc` inside its parent; undefined when nothing about it can be wrong.
 *
 * proto3 does not tell a plain field that was left out from one that holds zero, an empty text or an empty list. So
 * such a value counts as a value wherever the field's rules allow it, and as left out wherever they do not: then it gets
 * the field's default; without one it is refused where the field is required or named by the update mask.
 */
export function fieldCheck(field: protobuf.Field, ownLoc: Loc, context: CheckContext): FieldCheck | undefined {
  const rules = fieldRules(field);
  const { required, requiredWhen } = rules;
  const check = valueCheck(field, context.messages);
  const nothing = valueOfNothing(field);
  const isAbsent = absence(field);
  const isValue = rules.nullable || allows(field, check, nothing);
  if (!check && isValue && requiredWhen === undefined) return undefined;
  const newDefault = rules.defaultJson === undefined || isValue ? undefined : context.defaultOf(field);
  const key = camelCase(field.name);
  const flag = requiredWhen === undefined ? undefined : camelCase(requiredWhen);

  return (message, isNamed, findings, parent) => {
    const value = message[key];
    const isLeftOut = isAbsent(value);
    if (isLeftOut) {
      const isCalledFor = flag !== undefined && value === null && message[flag] === true;
      if (isValue && !isCalledFor) return true;
      if (newDefault && !isNamed) {
        message[key] = newDefault();
        return true;
      }
      if (!required && !isNamed && !isCalledFor) return true;
    }
    const loc = findings ? [...parent, ...ownLoc] : parent;
    if (isLeftOut && value === null) {
      findings?.add(missing, loc, null);
      return false;
    }
    if (!check) return true;
    const result = check(value, findings, loc);
    if (result === refused) return false;
    if (result !== value) message[key] = result;
    return true;
  };
}

/** What a decoded message has in a field that was left out. */
function valueOfNothing(field: protobuf.Field): unknown {
  if ((field as object) instanceof protobuf.MapField) return {};
  if (field.repeated) return [];
  if (field.partOf || field.resolve().resolvedType) return null;
  if (field.type === 'string') return '';
  if (field.type === 'bool') return false;
  if (field.type === 'bytes') return Buffer.alloc(0);
  return /64$/.test(field.type) ? '0' : 0;
}

/** Whether a decoded value is that of a field that was left out. */
export function absence(field: protobuf.Field): (value: unknown) => boolean {
  const nothing = valueOfNothing(field);
  if ((field as object) instanceof protobuf.MapField) return (value) => Object.keys(value as object).length === 0;
  if (field.repeated || nothing instanceof Buffer) return (value) => (value as ArrayLike<unknown>).length === 0;
  return (value) => value === nothing;
}

/** Whether what stands for nothing could also be meant as a value. Of free JSON, null is one. */
function allows(field: protobuf.Field, check: ValueCheck | undefined, nothing: unknown): boolean {
  if (nothing === null && field.resolvedType?.fullName !== '.google.protobuf.Value') return false;
  return !check || check(nothing, undefined, []) !== refused;
}
