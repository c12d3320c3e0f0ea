import { compileFindProjection, type Variables } from '../aggregation/document-stages.ts';
import type { Batches, Run } from '../aggregation/stage.ts';
import { runPipeline, compilePipeline } from '../aggregation/stages.ts';
import { encode } from '../bson/codec.ts';
import { orderBytes } from '../bson/order.ts';
import { isDocument, toDocument, type Document, type Value } from '../bson/values.ts';
import { badValue, ServerError } from '../errors.ts';
import { visitPath } from '../query/paths.ts';
import {
  collectionName,
  collectionOf,
  reading,
  requireName,
  type Context,
  type Handler,
  type Reply,
} from '../server/command.ts';
import type { Batch, Results } from '../server/cursors.ts';
import { Fields } from '../server/fields.ts';
import { namespace } from '../storage/catalogue.ts';
import { asBytes, explained, queryOf, read, type Query } from './reading.ts';

const DEFAULT_BATCH = 101;

function cursorReply(ns: string, batch: Batch, name: 'firstBatch' | 'nextBatch'): Reply {
  return {
    cursor: new Map<string, unknown>([
      [name, batch.documents],
      ['id', batch.id],
      ['ns', ns],
    ]),
  };
}

async function firstBatch(
  context: Context,
  ns: string,
  results: Results,
  size: number,
  single = false,
): Promise<Reply> {
  const { cursors, owner } = context;
  return cursorReply(ns, await cursors.start(ns, results, size, { owner, single }), 'firstBatch');
}

function findQuery(command: Document): Query {
  const fields = new Fields(command, 'find').only(
    'find filter sort projection hint skip limit batchSize singleBatch noCursorTimeout allowDiskUse allowPartialResults',
    'let max min returnKey showRecordId tailable awaitData oplogReplay',
  );
  const [skip, limit] = [fields.number('skip'), fields.number('limit')];
  if (skip < 0 || limit < 0) throw new ServerError(51024, "BSON field 'skip' and 'limit' values must be >= 0");
  return queryOf(fields.document('filter'), { sort: fields.document('sort'), hint: fields.get('hint'), skip, limit });
}

const find = reading((context) => {
  const { command } = context;
  const name = collectionName(context);
  const fields = new Fields(command, 'find');
  const query = findQuery(command);
  const projection = fields.document('projection');
  // Before anything is read, so that it is refused also where there is nothing.
  compileFindProjection(projection);
  const results = asBytes(read(context, collectionOf(context, name), query), projection);
  const size = fields.number('batchSize', DEFAULT_BATCH);
  return firstBatch(context, namespace(context.database, name), results, size, fields.flag('singleBatch'));
}, true);

const getMore = reading(async ({ command, database, cursors }) => {
  const fields = new Fields(command, 'getMore').only('getMore collection batchSize');
  const ns = namespace(database, fields.text('collection'));
  const size = fields.number('batchSize', Infinity);
  const batch = await cursors.next(ns, idOf(command.get('getMore')), size === 0 ? Infinity : size);
  return cursorReply(ns, batch, 'nextBatch');
}, true);

function idOf(value: Value | undefined): bigint {
  if (typeof value !== 'bigint') throw badValue('a cursor id has to be a long');
  return value;
}

const killCursors = reading(async ({ command, cursors }) => {
  const killed: bigint[] = [];
  const unknown: bigint[] = [];
  for (const id of new Fields(command, 'killCursors').list('cursors').map(idOf)) {
    if (await cursors.kill(id)) killed.push(id);
    else unknown.push(id);
  }
  return { cursorsKilled: killed, cursorsNotFound: unknown, cursorsAlive: [], cursorsUnknown: [] };
}, true);

const countDocuments = reading(async (context) => {
  const fields = new Fields(context.command, 'count').only('count query limit skip hint fields');
  const collection = collectionOf(context, collectionName(context));
  const query = countQuery(fields);
  if (query.filter.size === 0 && collection) {
    const all = Math.max(0, context.view.count(collection) - query.skip);
    return { n: query.limit > 0 ? Math.min(all, query.limit) : all };
  }
  let n = 0;
  for await (const part of read(context, collection, query)) n += part.length;
  return { n };
});

const countQuery = (fields: Fields): Query =>
  queryOf(fields.document('query'), {
    hint: fields.get('hint'),
    skip: fields.number('skip'),
    limit: Math.abs(fields.number('limit')),
  });

const distinctQuery = (fields: Fields): Query => queryOf(fields.document('query'), { hint: fields.get('hint') });

const distinct = reading(async (context) => {
  const fields = new Fields(context.command, 'distinct').only('distinct key query hint');
  const path = fields.text('key').split('.');
  const values = new Map<string, Value>();
  const keep = (value: Value): void => {
    const key = orderBytes(value).toString('latin1');
    if (!values.has(key)) values.set(key, value);
  };
  for await (const part of read(context, collectionOf(context, collectionName(context)), distinctQuery(fields))) {
    for (const { fields: document } of part) {
      visitPath(document, path, 0, false, (value) => {
        for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) keep(each);
        return false;
      });
    }
  }
  const ordered = [...values].sort(([one], [other]) => (one < other ? -1 : 1));
  return { values: ordered.map(([, value]) => value) };
}, true);

/** What the stages at the beginning ask of the collection, and the stages behind them. */
function split(pipeline: readonly Value[], hint: Value | undefined): { query: Query; rest: readonly Value[] } {
  const filters: Document[] = [];
  let sort: Document | undefined;
  let limit = 0;
  let at = 0;
  for (; at < pipeline.length; at += 1) {
    const stage = pipeline[at];
    const [[name, operand] = ['', null] as const] = isDocument(stage) ? [...stage] : [];
    if (name === '$match' && isDocument(operand) && !sort) filters.push(operand);
    else if (name === '$sort' && isDocument(operand) && operand.size > 0 && !sort) sort = operand;
    else break;
  }
  const following = pipeline[at];
  if (isDocument(following) && following.has('$limit')) {
    limit = new Fields(following, '$limit').number('$limit');
    if (limit <= 0) throw new ServerError(15958, 'the limit must be positive');
  }
  const [only = new Map<string, Value>()] = filters;
  const filter: Document = filters.length > 1 ? new Map([['$and', filters]]) : only;
  return {
    query: queryOf(filter, { ...(sort && { sort }), hint, limit }),
    rest: pipeline.slice(limit > 0 ? at + 1 : at),
  };
}

function aggregateFields(command: Document): Fields {
  const fields = new Fields(command, 'aggregate').only(
    'aggregate pipeline cursor hint allowDiskUse bypassDocumentValidation',
    'let explain',
  );
  return fields;
}

const aggregate = reading(async (context) => {
  const { command, database } = context;
  const fields = aggregateFields(command);
  if (fields.get('cursor') === undefined)
    throw new ServerError(9, "The 'cursor' option is required, except for aggregate with the explain argument");
  const pipeline = fields.list('pipeline');
  if (typeof command.get('aggregate') !== 'string') {
    compilePipeline(pipeline, new Map());
    throw new ServerError(73, '{aggregate: 1} is not valid for these stages');
  }
  const name = collectionName(context);
  const { query, rest } = split(pipeline, fields.get('hint'));
  const found = read(context, collectionOf(context, name), query);
  const size = new Fields(fields.document('cursor'), 'cursor').number('batchSize', DEFAULT_BATCH);
  const ns = namespace(database, name);
  if (rest.length === 0) return firstBatch(context, ns, asBytes(found, new Map()), size);
  const run = runOf(context);
  const stages = compilePipeline(rest, run.variables);
  return firstBatch(context, ns, encoded(runPipeline(stages, fieldsOf(found), run)), size);
}, true);

async function* fieldsOf(found: ReturnType<typeof read>): Batches {
  for await (const part of found) yield part.map(({ fields }) => fields);
}

async function* encoded(batches: Batches): Results {
  for await (const batch of batches) yield batch.map((document) => encode(document));
}

function runOf(context: Context): Run {
  return {
    variables: new Map<string, Value>([['NOW', new Date()]]),
    pause: context.pace.pause,
    read(collection: string, filter: Document, variables: Variables) {
      requireName(collection);
      return fieldsOf(read(context, collectionOf(context, collection), queryOf(filter, { variables })));
    },
  };
}

/** How each command that reads or changes documents would find them. */
const questions: Readonly<
  Record<string, (fields: Fields, command: Document) => { query: Query; stage?: string; rest?: readonly Value[] }>
> = {
  find: (_fields, command) => ({ query: findQuery(command) }),
  count: (fields) => ({ query: countQuery(fields), stage: 'COUNT' }),
  distinct: (fields) => ({ query: distinctQuery(fields) }),
  aggregate: (fields) => split(fields.list('pipeline'), fields.get('hint')),
  findAndModify: (fields) => ({
    query: queryOf(fields.document('query'), { sort: fields.document('sort'), hint: fields.get('hint'), limit: 1 }),
    stage: fields.flag('remove') ? 'DELETE' : 'UPDATE',
  }),
  update: (fields) => statement(fields.documents('updates'), 'UPDATE'),
  delete: (fields) => statement(fields.documents('deletes'), 'DELETE'),
};

function statement(statements: readonly Document[], stage: string): { query: Query; stage: string } {
  const [only] = statements;
  if (!only || statements.length > 1) throw new ServerError(72, 'only one statement can be explained');
  const fields = new Fields(only, 'statement');
  return { query: queryOf(fields.document('q'), { hint: fields.get('hint') }), stage };
}

const explain = reading((context) => {
  const inner = new Fields(context.command, 'explain').only('explain verbosity').document('explain');
  const [name = ''] = inner.keys();
  const question = Object.hasOwn(questions, name) ? questions[name] : undefined;
  if (!question) throw new ServerError(59, `Explain failed due to unknown command: ${name}`);
  const { query, stage, rest = [] } = question(new Fields(inner, name), inner);
  const collection = collectionName({ ...context, command: inner, name });
  const found = explained(collectionOf(context, collection), query);
  const winningPlan = stage === undefined ? found : toDocument({ stage, inputStage: found });
  const queryPlanner = {
    namespace: namespace(context.database, collection),
    parsedQuery: query.filter,
    winningPlan,
    rejectedPlans: [],
  };
  if (rest.length === 0) return { explainVersion: '1', queryPlanner, command: inner };
  return { explainVersion: '1', stages: [{ $cursor: { queryPlanner } }, ...rest], command: inner };
});

export const queries: Readonly<Record<string, Handler>> = {
  find,
  getMore,
  killCursors,
  count: countDocuments,
  distinct,
  aggregate,
  explain,
};
