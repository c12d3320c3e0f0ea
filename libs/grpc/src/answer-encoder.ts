import type { MethodDefinition } from '@grpc/grpc-js';
import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';

/** An answer that takes longer to encode lets others have their turn in between. */
const sliceMs = 10;

/** As @grpc/proto-loader describes the type of an answer, with the names that handlers use. */
interface DescribedField {
  readonly name: string;
  readonly number: number;
  readonly label: string;
  readonly type: string;
}

/**
 * Encodes the answers of an rpc without keeping everybody else waiting: lists go item by item, with a pause whenever it
 * has taken a while. The bytes are those of encoding the answer at once, since messages are concatenated by their fields,
 * which are taken in the order of their numbers.
 */
export function answerEncoder(rpc: MethodDefinition<unknown, unknown>, maxMs = sliceMs) {
  const { responseType } = rpc as unknown as { responseType: { type: { field: readonly DescribedField[] } } };
  const fields = responseType.type.field
    .toSorted((one, other) => one.number - other.number)
    .map(({ name, label, type }) => ({ name, isList: label === 'LABEL_REPEATED' && type === 'TYPE_MESSAGE' }));
  const listOf = (answer: Answer, { name, isList }: (typeof fields)[number]): readonly unknown[] | undefined => {
    const value = answer[name];
    return isList && Array.isArray(value) ? (value as unknown[]) : undefined;
  };

  return async (answer: Answer): Promise<Buffer> => {
    if (!fields.some((field) => listOf(answer, field))) return rpc.responseSerialize(answer);
    const parts: Buffer[] = [];
    let startedAt = performance.now();
    const encode = async (part: Answer) => {
      parts.push(rpc.responseSerialize(part));
      if (performance.now() - startedAt < maxMs) return;
      await othersHadTheirTurn();
      startedAt = performance.now();
    };
    for (const field of fields) {
      const list = listOf(answer, field);
      if (!list) await encode({ [field.name]: answer[field.name] });
      else for (const item of list) await encode({ [field.name]: [item] });
    }
    return Buffer.concat(parts);
  };
}

type Answer = Readonly<Record<string, unknown>>;
