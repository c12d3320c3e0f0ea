import { Int32 } from 'bson';
import { toInteger } from '../bson/numbers.ts';
import { orderBytes } from '../bson/order.ts';
import { isDocument, isNumeric, type Document, type Value } from '../bson/values.ts';
import { failedToParse, notImplemented, ServerError } from '../errors.ts';
import { sortParts } from '../query/sort-keys.ts';
import { compileAccumulator, type Accumulator } from './accumulators.ts';
import { compileExpression, pathOf } from './compile.ts';
import { compileMatch, documentStage, type Variables } from './document-stages.ts';
import { partsOf, withVariables } from './expression.ts';
import { sorted } from './sorting.ts';
import type { Batches, Run, Stage } from './stage.ts';
import { windowStage } from './window.ts';

export function compilePipeline(pipeline: readonly Value[], variables: Variables): Stage[] {
  return pipeline.map((stage) => {
    if (!isDocument(stage) || stage.size !== 1)
      throw new ServerError(40323, 'A pipeline stage specification object must contain exactly one field.');
    const [[name, operand] = ['', null] as const] = [...stage];
    return compileStage(name, operand, variables);
  });
}

export const runPipeline = (stages: readonly Stage[], input: Batches, run: Run): Batches =>
  stages.reduce((batches, stage) => stage(batches, run), input);

const elsewhere = new Set(
  `$bucket $bucketAuto $changeStream $changeStreamSplitLargeEvent $collStats $currentOp $densify $documents $fill $geoNear
  $graphLookup $indexStats $listLocalSessions $listSearchIndexes $listSessions $merge $out $planCacheStats $redact $sample $search
  $searchMeta $shardedDataDistribution $sortByCount $unionWith $vectorSearch`.split(/\s+/),
);

function compileStage(name: string, operand: Value, variables: Variables): Stage {
  const ofOne = documentStage(name, operand, variables);
  if (ofOne) return each((document) => [ofOne(document)]);
  const compile = stages[name];
  if (compile) return compile(operand, variables);
  if (name === '$changeStream')
    throw new ServerError(40573, 'The $changeStream stage is not supported by the embedded server');
  if (elsewhere.has(name)) throw notImplemented(name);
  throw new ServerError(40324, `Unrecognized pipeline stage name: '${name}'`);
}

const each = (make: (document: Document) => Document[]): Stage =>
  async function* (input, run) {
    for await (const batch of input) {
      await run.pause();
      yield batch.flatMap(make);
    }
  };

type CompileStage = (operand: Value, variables: Variables) => Stage;

const match: CompileStage = (operand, variables) => {
  if (!isDocument(operand)) throw new ServerError(15959, 'the match filter must be an expression in an object');
  const matcher = compileMatch(operand, variables);
  return each((document) => (matcher.test(document) ? [document] : []));
};

const count = (operand: Value, name: string, least: bigint): number => {
  const number = isNumeric(operand) ? toInteger(operand) : undefined;
  if (number === undefined || number < least)
    throw new ServerError(15958, `the ${name} must be a number of ${least} or more`);
  return Number(number);
};

const limit: CompileStage = (operand) => {
  const max = count(operand, '$limit', 1n);
  return async function* (input) {
    let left = max;
    for await (const batch of input) {
      yield batch.slice(0, left);
      left -= batch.length;
      if (left <= 0) return;
    }
  };
};

const skip: CompileStage = (operand) => {
  const first = count(operand, '$skip', 0n);
  return async function* (input) {
    let left = first;
    for await (const batch of input) {
      yield batch.slice(left);
      left = Math.max(0, left - batch.length);
    }
  };
};

const sort: CompileStage = (operand) => {
  if (!isDocument(operand) || operand.size === 0)
    throw new ServerError(15976, '$sort stage must have at least one sort key');
  const parts = sortParts(operand);
  return (input, run) => sorted(input, parts, undefined, () => run.pause());
};

const group: CompileStage = (operand, variables) => {
  if (!isDocument(operand)) throw new ServerError(15947, "a group's fields must be specified in an object");
  if (!operand.has('_id')) throw new ServerError(15955, 'a group specification must include an _id');
  const id = compileExpression(operand.get('_id') ?? null);
  const fields = [...operand].flatMap(([name, value]) => {
    if (name === '_id') return [];
    if (name.includes('.')) throw new ServerError(40235, `The field name '${name}' cannot contain '.'`);
    if (!isDocument(value)) throw new ServerError(40234, `The field '${name}' must be an accumulator object`);
    if (value.size !== 1) throw new ServerError(40238, `The field '${name}' must specify one accumulator`);
    const [[operator, inner] = ['', null] as const] = [...value];
    return [{ name, ...compileAccumulator(operator, inner) }];
  });
  return async function* (input, run) {
    const groups = new Map<string, { readonly id: Value; readonly accumulators: readonly Accumulator[] }>();
    for await (const batch of input) {
      await run.pause();
      for (const root of batch) {
        const scope = { root, variables };
        const value = id(scope) ?? null;
        const key = orderBytes(value).toString('latin1');
        let found = groups.get(key);
        if (!found) groups.set(key, (found = { id: value, accumulators: fields.map(({ create }) => create()) }));
        for (const [at, { expression }] of fields.entries()) found.accumulators[at]?.add(expression(scope));
      }
    }
    const all = [...groups.values()];
    for (let start = 0; start < all.length; start += BATCH) {
      await run.pause();
      yield all
        .slice(start, start + BATCH)
        .map(
          (found) =>
            new Map([
              ['_id', found.id],
              ...fields.map(({ name }, at): [string, Value] => [name, found.accumulators[at]?.result() ?? null]),
            ]),
        );
    }
  };
};

/** Documents of one batch that a stage makes. */
const BATCH = 256;

const unwind: CompileStage = (operand) => {
  const options = isDocument(operand)
    ? partsOf(operand, '$unwind', ['path'], ['includeArrayIndex', 'preserveNullAndEmptyArrays'])
    : new Map([['path', operand]]);
  const text = options.get('path');
  if (typeof text !== 'string') throw new ServerError(28808, 'expected a string as the path for $unwind stage');
  if (!text.startsWith('$'))
    throw new ServerError(28818, `path option to $unwind stage should be prefixed with a '$': ${text}`);
  const path = pathOf(text.slice(1));
  const index = options.get('includeArrayIndex');
  const keeps = options.get('preserveNullAndEmptyArrays') === true;
  const placed = (document: Document, value: Value | undefined, at: bigint | null): Document => {
    const result = replaced(document, path, 0, value);
    if (typeof index === 'string') result.set(index, at);
    return result;
  };
  return async function* (input, run) {
    for await (const batch of input) {
      for (const document of batch) {
        const value = path.reduce<Value | undefined>(
          (inner, name) => (isDocument(inner) ? inner.get(name) : undefined),
          document,
        );
        if (!Array.isArray(value)) {
          if (keeps || (value !== undefined && value !== null)) yield [placed(document, value, null)];
          continue;
        }
        if (value.length === 0 && keeps) yield [placed(document, undefined, null)];
        for (let start = 0; start < value.length; start += BATCH) {
          await run.pause();
          yield value.slice(start, start + BATCH).map((element, at) => placed(document, element, BigInt(start + at)));
        }
      }
    }
  };
};

function replaced(document: Document, path: readonly string[], at: number, value: Value | undefined): Document {
  const copy = new Map(document);
  const name = path[at] ?? '';
  const inner = copy.get(name);
  if (at < path.length - 1) {
    if (isDocument(inner)) copy.set(name, replaced(inner, path, at + 1, value));
  } else if (value === undefined) copy.delete(name);
  else copy.set(name, value);
  return copy;
}

const counting: CompileStage = (operand, variables) => {
  if (typeof operand !== 'string' || operand === '' || operand.startsWith('$') || operand.includes('.'))
    throw new ServerError(40156, 'the count field must be a non-empty string without $ and dots');
  const all = group(
    new Map<string, Value>([
      ['_id', null],
      [operand, new Map([['$sum', new Int32(1)]])],
    ]),
    variables,
  );
  const shown = documentStage('$unset', '_id');
  return (input, run) => each((document) => (shown ? [shown(document)] : []))(all(input, run), run);
};

/** Documents that a stage holds in memory at once, at most. */
const HELD = 500_000;

async function held(input: Batches, what: string): Promise<Document[]> {
  const all: Document[] = [];
  for await (const batch of input) {
    for (const document of batch) all.push(document);
    if (all.length > HELD) throw new ServerError(292, `Exceeded the memory limit of ${what}`);
  }
  return all;
}

async function* once(documents: Document[]): Batches {
  for (let start = 0; start < documents.length; start += BATCH)
    yield await Promise.resolve(documents.slice(start, start + BATCH));
}

const facet: CompileStage = (operand, variables) => {
  if (!isDocument(operand) || operand.size === 0)
    throw new ServerError(40169, 'the $facet specification must be a non-empty object');
  const facets = [...operand].map(([name, pipeline]) => {
    if (!Array.isArray(pipeline)) throw new ServerError(40170, 'arguments to $facet must be arrays');
    return [name, compilePipeline(pipeline, variables)] as const;
  });
  return async function* (input, run) {
    const documents = await held(input, '$facet');
    const result: Document = new Map();
    for (const [name, stages] of facets)
      result.set(name, await held(runPipeline(stages, once(documents), run), '$facet'));
    yield [result];
  };
};

const lookup: CompileStage = (operand, variables) => {
  const given = partsOf(operand, '$lookup', ['from', 'as'], ['localField', 'foreignField', 'let', 'pipeline']);
  const [from, as, local, foreign] = ['from', 'as', 'localField', 'foreignField'].map((name) => given.get(name));
  const pipeline = given.get('pipeline') ?? [];
  const bindings = given.get('let') ?? new Map<string, Value>();
  if (typeof from !== 'string' || typeof as !== 'string' || !Array.isArray(pipeline) || !isDocument(bindings))
    throw failedToParse('$lookup needs from and as, and a pipeline that is an array');
  if ((local === undefined) !== (foreign === undefined) || (local === undefined && !given.has('pipeline')))
    throw failedToParse('$lookup requires either pipeline or both localField and foreignField');
  const compiled = [...bindings].map(([name, value]) => [name, compileExpression(value)] as const);
  const add = (document: Document, found: Document[]): Document =>
    documentStage('$set', new Map<string, Value>([[as, new Map<string, Value>([['$literal', found]])]]))?.(document) ??
    document;
  const localValue = typeof local === 'string' ? compileExpression(`$${local}`) : undefined;
  return async function* (input, run) {
    for await (const batch of input) {
      for (const root of batch) {
        const scope = { root, variables };
        const inner = withVariables(
          scope,
          compiled.map(([name, value]) => [name, value(scope)]),
        ).variables;
        const value = localValue?.(scope) ?? null;
        const filter: Document = new Map();
        if (typeof foreign === 'string')
          filter.set(foreign, new Map([['$in', Array.isArray(value) ? value : [value]]]));
        const stages = compilePipeline(pipeline, inner);
        const found = runPipeline(stages, run.read(from, filter, inner), { ...run, variables: inner });
        yield [add(root, await held(found, '$lookup'))];
      }
    }
  };
};

const stages: Readonly<Record<string, CompileStage>> = {
  $match: match,
  $limit: limit,
  $skip: skip,
  $sort: sort,
  $group: group,
  $unwind: unwind,
  $count: counting,
  $facet: facet,
  $lookup: lookup,
  $setWindowFields: windowStage,
};
