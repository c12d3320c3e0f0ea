import { Int32 } from 'bson';
import { toInteger } from '../bson/numbers.ts';
import { orderBytes } from '../bson/order.ts';
import { isDocument, isNumeric, type Document, type Value } from '../bson/values.ts';
import { failedToParse, notImplemented, ServerError } from '../errors.ts';
import { sortParts } from '../query/sort-keys.ts';
import { compileAccumulator, type Accumulating } from './accumulators.ts';
import { compileExpression } from './compile.ts';
import { documentStage, type Variables } from './document-stages.ts';
import { partsOf } from './expression.ts';
import { sorted } from './sorting.ts';
import type { Stage } from './stage.ts';

/** From and to, counted from the present document; nothing is unbounded. */
interface Frame {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

interface Output {
  readonly name: string;
  /** Undefined for the number of the document. */
  readonly accumulating: Accumulating | undefined;
  readonly frame: Frame;
}

const HELD = 100_000;
const BATCH = 256;

/** `$setWindowFields` with windows of documents; by ranges of values it is refused. */
export function windowStage(operand: Value, variables: Variables): Stage {
  const given = partsOf(operand, '$setWindowFields', ['output'], ['partitionBy', 'sortBy']);
  const fields = given.get('output');
  if (!isDocument(fields))
    throw failedToParse("BSON field '$setWindowFields.output' is the wrong type, expected type 'object'");
  const outputs = [...fields].map(([name, value]) => outputOf(name, value));
  const sortBy = given.get('sortBy');
  const parts = isDocument(sortBy) ? sortParts(sortBy) : undefined;
  const partition = compileExpression(given.get('partitionBy') ?? null);
  const needsOrder = outputs.some(
    ({ accumulating, frame }) => !accumulating || frame.from !== undefined || frame.to !== undefined,
  );
  if (!parts && needsOrder) throw new ServerError(5339901, 'Document-based bounds require a sortBy');
  return async function* (input, run) {
    const partitions = new Map<string, Document[]>();
    let count = 0;
    for await (const batch of parts ? sorted(input, parts, undefined, () => run.pause()) : input) {
      for (const root of batch) {
        const key = orderBytes(partition({ root, variables })).toString('latin1');
        const documents = partitions.get(key);
        if (documents) documents.push(root);
        else partitions.set(key, [root]);
        if ((count += 1) > HELD) throw new ServerError(292, 'Exceeded the memory limit of $setWindowFields');
      }
    }
    for (const [, documents] of [...partitions].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const columns = outputs.map((output) => columnOf(output, documents, variables));
      for (let from = 0; from < documents.length; from += BATCH) {
        await run.pause();
        yield documents.slice(from, from + BATCH).map((document, at) =>
          withFields(
            document,
            outputs,
            columns.map((column) => column[from + at] ?? null),
          ),
        );
      }
    }
  };
}

function withFields(document: Document, outputs: readonly Output[], values: readonly Value[]): Document {
  // A stage of its own for each document would take longer than all else.
  if (!outputs.some(({ name }) => name.includes('.')))
    return new Map([...document, ...outputs.map(({ name }, at): [string, Value] => [name, values[at] ?? null])]);
  const literal = (value: Value): Value => new Map([['$literal', value]]);
  const set = new Map(outputs.map(({ name }, at): [string, Value] => [name, literal(values[at] ?? null)]));
  return documentStage('$set', set)?.(document) ?? document;
}

function outputOf(name: string, value: Value): Output {
  if (!isDocument(value)) throw failedToParse(`The field '${name}' must be an object`);
  const window = value.get('window');
  const operators = [...value].filter(([each]) => each !== 'window');
  const [[operator, operand] = ['', null] as const] = operators;
  if (operators.length !== 1) throw failedToParse(`Expected a window function for '${name}'`);
  if (operator === '$documentNumber') return { name, accumulating: undefined, frame: { from: undefined, to: 0 } };
  return { name, accumulating: compileAccumulator(operator, operand), frame: frameOf(window) };
}

function frameOf(window: Value | undefined): Frame {
  if (window === undefined) return { from: undefined, to: undefined };
  const bounds = isDocument(window) ? window.get('documents') : undefined;
  if (!Array.isArray(bounds) || bounds.length !== 2) throw notImplemented('a window other than one of documents');
  const [from, to] = bounds.map((bound) => {
    if (bound === 'unbounded') return undefined;
    if (bound === 'current') return 0;
    const number = isNumeric(bound) ? toInteger(bound) : undefined;
    if (number === undefined) throw failedToParse("Window bounds must be 'unbounded', 'current' or a whole number");
    return Number(number);
  });
  return { from, to };
}

function columnOf({ accumulating, frame }: Output, documents: readonly Document[], variables: Variables): Value[] {
  if (!accumulating) return documents.map((_, at) => new Int32(at + 1));
  const { create, expression } = accumulating;
  const values = documents.map((root) => expression({ root, variables }));
  if (frame.from === undefined) {
    // Grows only, so that each value is looked at once.
    const accumulator = create();
    let added = 0;
    return documents.map((_, at) => {
      const end = Math.min(frame.to === undefined ? values.length : Math.max(0, at + frame.to + 1), values.length);
      while (added < end) accumulator.add(values[added++]);
      return accumulator.result();
    });
  }
  return documents.map((_, at) => {
    const accumulator = create();
    const end = frame.to === undefined ? values.length : Math.max(0, at + frame.to + 1);
    for (const value of values.slice(Math.max(0, at + (frame.from ?? 0)), end)) accumulator.add(value);
    return accumulator.result();
  });
}
