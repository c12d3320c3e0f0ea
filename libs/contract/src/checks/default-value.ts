import protobuf from 'protobufjs';
import { camelCase, type DecodeMessage } from '../definitions.ts';
import { fieldPlan } from '../plans/field-plan.ts';
import type { Decoded } from './field-check.ts';
import { inside } from './value-check.ts';

/** The defaults of fields as services see them: written as the gateway writes them, and decoded. */
export function defaultValues(decode: DecodeMessage): (field: protobuf.Field) => () => unknown {
  return (field) => {
    const { write, defaultValue } = fieldPlan(field, inside);
    const writer = protobuf.Writer.create();
    write(writer, defaultValue);
    const bytes = writer.finish();
    const message = field.parent?.fullName.slice(1) ?? '';
    const newDefault = (): unknown => (decode(message, bytes) as Decoded)[camelCase(field.name)];
    const first = newDefault();
    // What could be changed is made anew for each request.
    return typeof first === 'object' ? newDefault : () => first;
  };
}
