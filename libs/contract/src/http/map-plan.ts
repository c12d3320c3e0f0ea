import protobuf, { type Writer } from 'protobufjs';
import { isInputObject } from '../validation/input-value.ts';
import { notADictionary } from '../validation/problem.ts';
import { hasNul } from '../validation/text.ts';
import { refused, writeMessage, type FieldValue, type InputPlan } from './input-plan.ts';
import { readAll, secretsIn } from './list-plan.ts';
import { lengthDelimited, tag } from './wire.ts';

/** A JSON object with free keys. It is written as the messages its entries are: key 1, value 2. */
export function mapField(field: protobuf.MapField, item: InputPlan): FieldValue {
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
    if (keys.some((key) => key.includes('\0'))) {
      findings?.add(hasNul, loc, value, secretsIn(item));
      return refused;
    }
    const read = readAll(Object.entries(value), item, findings, loc);
    return read === refused ? refused : new Map((read as unknown[]).map((content, at) => [keys[at] ?? '', content]));
  };
}
