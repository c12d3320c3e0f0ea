import type protobuf from 'protobufjs';
import { camelCase } from '../definitions.ts';
import { fieldRules } from '../options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../options/message-options.ts';
import { refused } from '../plans/input-plan.ts';
import { tagNotFound } from '../plans/union-plan.ts';
import { fieldCheck, type CheckContext, type Decoded, type FieldCheck } from './field-check.ts';
import type { MessageChecks, ValueCheck } from './value-check.ts';

/** The checks of messages inside requests, each made once. */
export function messageChecks(defaultOf: CheckContext['defaultOf']): MessageChecks {
  const known = new Map<protobuf.Type, ValueCheck | undefined>();
  const messages: MessageChecks = (type) => {
    if (known.has(type)) return known.get(type);
    // A message may contain messages of its own type: while its check is being made, they get one that looks it up.
    known.set(type, (value, findings, loc) => known.get(type)?.(value, findings, loc) ?? value);
    const check = messageCheck(type, { messages, defaultOf });
    known.set(type, check);
    return check;
  };
  return messages;
}

/** The check of a message; undefined when nothing about it can be wrong. Places are those of the JSON it stands for. */
function messageCheck(type: protobuf.Type, context: CheckContext): ValueCheck | undefined {
  const checks = type.fieldsArray.flatMap((field) => {
    const ownLoc = isUnwrapped(type) ? [] : [fieldRules(field).tag ?? field.name];
    return fieldCheck(field, ownLoc, context) ?? [];
  });
  const checkFields = checks.length === 0 ? undefined : checkOfFields(checks);
  const discriminator = discriminatorOf(type);
  return discriminator === undefined ? checkFields : checkOfUnion(type, discriminator, checkFields);
}

function checkOfFields(checks: readonly FieldCheck[]): ValueCheck {
  return (message, findings, loc) => {
    let isRefused = false;
    for (const check of checks) {
      if (check(message as Decoded, false, findings, loc)) continue;
      if (!findings) return refused;
      isRefused = true;
    }
    return isRefused ? refused : message;
  };
}

/** One of the members must be there. */
function checkOfUnion(type: protobuf.Type, discriminator: string, checkFields: ValueCheck | undefined): ValueCheck {
  const noMember = tagNotFound(discriminator);
  const members = type.fieldsArray.map(({ name }) => camelCase(name));
  return (message, findings, loc) => {
    if (members.some((member) => (message as Decoded)[member] !== null)) {
      return checkFields ? checkFields(message, findings, loc) : message;
    }
    findings?.add(noMember, loc, null);
    return refused;
  };
}
