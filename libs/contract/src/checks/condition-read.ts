import protobuf from 'protobufjs';
import type { DecodeMessage } from '../definitions.ts';
import { entityTagReader } from '../entity-tag.ts';
import type { Operation } from '../operations.ts';
import { fieldPlan } from '../plans/field-plan.ts';
import { inside } from './value-check.ts';

/** How a service reads what one of its operations changes, to compare it with `If-Match`. */
export interface ConditionRead {
  /** As the gateway makes it of a path without query: with every default. Who reads names the thing in it. */
  readonly newRequest: () => Record<string, unknown>;
  readonly stateOf: (answer: Buffer) => string;
}

export function conditionRead({ requestType, responseType }: Operation, decode: DecodeMessage): ConditionRead {
  const writer = protobuf.Writer.create();
  for (const field of requestType.fieldsArray) {
    const { write, defaultValue } = fieldPlan(field, inside);
    if (defaultValue !== undefined) write(writer, defaultValue);
  }
  const bytes = writer.finish();
  return {
    newRequest: () => decode(requestType.fullName.slice(1), bytes) as Record<string, unknown>,
    stateOf: entityTagReader(responseType).stateOf,
  };
}
