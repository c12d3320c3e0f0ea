import { compileUpdatePipeline } from '../aggregation/document-stages.ts';
import { compileFindProjection } from '../aggregation/document-stages.ts';
import { decode } from '../bson/codec.ts';
import { toValue, type Document, type Value } from '../bson/values.ts';
import { failedToParse, ServerError } from '../errors.ts';
import type { MatchDetails } from '../query/paths.ts';
import { collectionName, collectionOf, writing, type Context, type Handler, type Reply } from '../server/command.ts';
import { Fields } from '../server/fields.ts';
import type { Collection } from '../storage/catalogue.ts';
import { ensureCollection } from '../storage/collections.ts';
import { deleteDocument, insertDocument, replaceDocument } from '../storage/documents.ts';
import type { StoredDocument } from '../storage/view.ts';
import { arrayFiltersOf, compileUpdate, seedOf, withId, type Update } from '../update/update.ts';
import { queryOf, read, type Query } from './reading.ts';

const MAX_STATEMENTS = 100_000;

interface WriteError extends Record<string, unknown> {
  readonly index: number;
}

/** One statement after the other. What one of them is refused for is told in their order; the first ends an ordered list. */
async function eachStatement(
  statements: readonly Document[],
  ordered: boolean,
  run: (statement: Document, index: number) => Promise<void>,
): Promise<WriteError[]> {
  if (statements.length === 0 || statements.length > MAX_STATEMENTS)
    throw new ServerError(
      16,
      `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got ${statements.length} operations.`,
    );
  const errors: WriteError[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      await run(statement, index);
    } catch (error) {
      if (!(error instanceof ServerError) || error.code === 50) throw error;
      errors.push({ index, code: error.code, ...error.details, errmsg: error.message });
      if (ordered) break;
    }
  }
  return errors;
}

const withErrors = (reply: Reply, errors: readonly WriteError[]): Reply =>
  errors.length > 0 ? { ...reply, writeErrors: errors } : reply;

const insert = writing(async (context) => {
  const fields = new Fields(context.command, 'insert').only('insert documents ordered bypassDocumentValidation');
  const name = collectionName(context);
  const collection = ensureCollection(context.view, context.database, name);
  const unchecked = fields.flag('bypassDocumentValidation');
  let n = 0;
  const errors = await eachStatement(fields.documents('documents'), fields.flag('ordered', true), async (document) => {
    await context.pace.pause();
    insertDocument(context.view, collection, withId(document), unchecked);
    n += 1;
  });
  return withErrors({ n }, errors);
}, true);

const remove = writing(async (context) => {
  const fields = new Fields(context.command, 'delete').only('delete deletes ordered');
  const collection = collectionOf(context, collectionName(context));
  let n = 0;
  const errors = await eachStatement(fields.documents('deletes'), fields.flag('ordered', true), async (statement) => {
    const given = new Fields(statement, 'delete.deletes').only('q limit hint');
    const limit = given.number('limit');
    if (limit !== 0 && limit !== 1)
      throw failedToParse(`The limit field in delete objects must be 0 or 1. Got ${limit}`);
    for (const stored of await allOf(
      context,
      collection,
      queryOf(given.document('q'), { hint: given.get('hint'), limit }),
    )) {
      await context.pace.pause();
      if (collection) deleteDocument(context.view, collection, stored);
      n += 1;
    }
  });
  return withErrors({ n }, errors);
}, true);

/** Before any of them is changed, so that none is met twice. */
async function allOf(context: Context, collection: Collection | undefined, query: Query): Promise<StoredDocument[]> {
  const all: StoredDocument[] = [];
  for await (const part of read(context, collection, query)) for (const stored of part) all.push(stored);
  return all;
}

interface Outcome {
  matched: number;
  modified: number;
  upserted: Value | undefined;
  /** Of the one that was changed or made last. */
  before: Document | undefined;
  after: Document | undefined;
}

interface Change {
  readonly query: Query;
  readonly update: Update;
  readonly upsert: boolean;
  /** Whatever the collection says that documents have to be. */
  readonly unchecked: boolean;
}

async function change(context: Context, name: string, { query, update, upsert, unchecked }: Change): Promise<Outcome> {
  const outcome: Outcome = { matched: 0, modified: 0, upserted: undefined, before: undefined, after: undefined };
  const collection = collectionOf(context, name);
  for (const stored of await allOf(context, collection, query)) {
    await context.pace.pause();
    if (!collection) break;
    const document = decode(stored.bytes);
    const details: MatchDetails = {};
    query.matcher.test(document, details);
    const next = update.apply(document, { position: details.position, isInsert: false });
    outcome.matched += 1;
    outcome.before = decode(stored.bytes);
    outcome.after = next;
    if (replaceDocument(context.view, collection, stored, next, unchecked)) outcome.modified += 1;
  }
  if (outcome.matched === 0 && upsert) {
    const seed = seedOf(query.matcher);
    const begin: Document = update.isReplacement ? new Map([...seed].filter(([field]) => field === '_id')) : seed;
    const document = withId(update.apply(begin, { position: undefined, isInsert: true }));
    insertDocument(context.view, ensureCollection(context.view, context.database, name), document, unchecked);
    outcome.upserted = document.get('_id');
    outcome.after = document;
  }
  return outcome;
}

const compiled = (update: Value | undefined, arrayFilters: Value | undefined): Update => {
  if (update === undefined) throw failedToParse('an update needs to say what it changes');
  return compileUpdate(update, {
    arrayFilters: arrayFiltersOf(arrayFilters),
    pipeline: (stages) => compileUpdatePipeline(stages, new Map<string, Value>([['NOW', new Date()]])),
  });
};

const update = writing(async (context) => {
  const fields = new Fields(context.command, 'update').only('update updates ordered bypassDocumentValidation', 'let');
  const name = collectionName(context);
  const unchecked = fields.flag('bypassDocumentValidation');
  let [n, nModified] = [0, 0];
  const upserted: Reply[] = [];
  const errors = await eachStatement(
    fields.documents('updates'),
    fields.flag('ordered', true),
    async (statement, index) => {
      const given = new Fields(statement, 'update.updates').only('q u upsert multi hint arrayFilters', 'c sort');
      const multi = given.flag('multi');
      const update = compiled(given.get('u'), given.get('arrayFilters'));
      if (multi && update.isReplacement)
        throw failedToParse('multi update is not supported for replacement-style update');
      const query = queryOf(given.document('q'), { hint: given.get('hint'), limit: multi ? 0 : 1 });
      const outcome = await change(context, name, { query, update, upsert: given.flag('upsert'), unchecked });
      n += outcome.matched;
      nModified += outcome.modified;
      if (outcome.upserted !== undefined) {
        n += 1;
        upserted.push({ index, _id: outcome.upserted });
      }
    },
  );
  return withErrors(
    {
      n,
      nModified,
      ...(upserted.length > 0 && {
        upserted: upserted.map(
          (each) =>
            new Map<string, Value>([
              ['index', toValue(each['index'])],
              ['_id', each['_id'] as Value],
            ]),
        ),
      }),
    },
    errors,
  );
}, true);

const findAndModify = writing(async (context) => {
  const { command, view } = context;
  const fields = new Fields(command, 'findAndModify').only(
    'findAndModify findandmodify query sort remove update new fields upsert hint arrayFilters bypassDocumentValidation',
    'let',
  );
  const name = collectionName(context);
  const project = compileFindProjection(fields.document('fields'));
  const query = queryOf(fields.document('query'), {
    sort: fields.document('sort'),
    hint: fields.get('hint'),
    limit: 1,
  });
  if (fields.flag('remove')) {
    if (fields.get('update') !== undefined) throw failedToParse('Cannot specify both an update and remove=true');
    const collection = collectionOf(context, name);
    const [stored] = await allOf(context, collection, query);
    if (stored && collection) deleteDocument(view, collection, stored);
    return { lastErrorObject: { n: stored ? 1 : 0 }, value: stored ? project(stored.fields) : null };
  }
  if (fields.get('update') === undefined) throw failedToParse('Either an update or remove=true must be specified');
  const outcome = await change(context, name, {
    query,
    update: compiled(fields.get('update'), fields.get('arrayFilters')),
    upsert: fields.flag('upsert'),
    unchecked: fields.flag('bypassDocumentValidation'),
  });
  const shown = fields.flag('new') ? outcome.after : outcome.before;
  const lastErrorObject = new Map<string, Value>([
    ['n', toValue(outcome.matched + (outcome.upserted === undefined ? 0 : 1))],
    ['updatedExisting', outcome.matched > 0],
  ]);
  if (outcome.upserted !== undefined) lastErrorObject.set('upserted', outcome.upserted);
  return { lastErrorObject, value: shown ? project(shown) : null };
}, true);

export const writes: Readonly<Record<string, Handler>> = {
  insert,
  update,
  delete: remove,
  findAndModify,
  findandmodify: findAndModify,
};
