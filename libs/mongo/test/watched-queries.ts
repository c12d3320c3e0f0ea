import type { mongo } from 'mongoose';

type Command = Readonly<Record<string, unknown>>;

const QUERIES = new Set(['find', 'aggregate', 'count', 'distinct', 'update', 'delete', 'findAndModify']);
/** What explain takes of a command; the rest is about its session. */
const PARTS = /^(\$|lsid|txnNumber|autocommit|startTransaction|readConcern|writeConcern|maxTimeMS|cursor)/;

export interface WatchedQueries {
  /** How many different ones there were. */
  readonly count: () => number;
  /** Those that read a whole collection or sort in memory, as the server plans them now: a line each. */
  readonly unindexed: () => Promise<readonly string[]>;
}

/**
 * Notes every kind of query that a client sends from now on, whoever sends it, so that none can be forgotten. Its URL says
 * `monitorCommands=true`, as those of throwaway databases do.
 */
export function watchQueries(database: mongo.Db): WatchedQueries {
  const queries = new Map<string, Command>();
  database.client.on('commandStarted', ({ commandName, command }) => {
    if (!QUERIES.has(commandName) || stageOf(command) === '$listSearchIndexes') return;
    for (const query of statementsOf(command)) {
      const shape = JSON.stringify(shapeOf(query));
      if (!queries.has(shape)) queries.set(shape, query);
    }
  });
  return {
    count: () => queries.size,
    async unindexed() {
      const problems: string[] = [];
      const misreadsNor = 'secantusVersion' in (await database.command({ buildInfo: 1 }));
      for (const [shape, query] of queries) {
        const plan = await database.command({ explain: query, verbosity: 'queryPlanner' });
        const stages = stagesOf(plan);
        // The compatible server of the tests takes what stands in `$nor` for a range of an index, which then gives no order.
        const isMisread = misreadsNor && shape.includes('"$nor"');
        const watched = isMisread ? ['COLLSCAN'] : ['COLLSCAN', 'SORT'];
        const wrong = watched.filter((stage) => stages.has(stage) && !isBounded(query, stage));
        if (wrong.includes('SORT') && (await findsOneAtMost(database, query))) wrong.splice(wrong.indexOf('SORT'), 1);
        if (wrong.length > 0) problems.push(`${wrong.join(' and ')}: ${shape}`);
      }
      return problems;
    },
  };
}

/**
 * Documents with events are found by an index that has them alone, and are taken a part at a time. Where it cannot give their order,
 * as on our embedded server and when all of an organisation goes, no more than such a part is sorted.
 */
const isBounded = ({ filter, limit }: Command, stage: string): boolean =>
  stage === 'SORT' && limit === 200 && Object.keys(filter ?? {}).includes('pendingEvents.sequence');

/** Whether all fields of a unique index are given: which of two indexes that both begin with them is taken is up to the server. */
async function findsOneAtMost(database: mongo.Db, query: Command): Promise<boolean> {
  const { find, aggregate, filter, pipeline } = query;
  const collection = [find, aggregate].find((name) => typeof name === 'string');
  if (collection === undefined) return false;
  const stages = (pipeline ?? [{ $match: filter }]) as readonly { readonly $match?: object }[];
  const end = stages.findIndex(({ $match }) => $match === undefined);
  const matched = stages.slice(0, end === -1 ? undefined : end).map(({ $match }) => $match);
  const given = Object.entries(Object.assign({}, ...matched) as object)
    .filter(([, value]) => typeof value === 'string')
    .map(([field]) => field);
  const indexes = await database.collection(collection).indexes();
  return indexes.some(({ unique, key }) => unique === true && Object.keys(key).every((field) => given.includes(field)));
}

const stageOf = ({ pipeline }: Command): string | undefined =>
  Array.isArray(pipeline) ? Object.keys((pipeline as object[])[0] ?? {})[0] : undefined;

/** A command as explain takes it, one for each of its statements. */
function statementsOf(command: Command): Command[] {
  const own = Object.fromEntries<unknown>(Object.entries(command).filter(([name]) => !PARTS.test(name)));
  if ('aggregate' in own) return [{ ...own, cursor: {} }];
  const list = ['updates', 'deletes'].find((name) => Array.isArray(own[name]));
  if (list === undefined) return [own];
  return (own[list] as unknown[]).map((statement) => ({ ...own, [list]: [statement] }));
}

/** Where values are told apart by their types alone, two calls of the same query are equal. */
function shapeOf(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) {
    const shapes = (value as unknown[]).map((item) => shapeOf(item, depth + 1));
    // By their texts: each with each other takes seconds for the numbers of some vectors.
    return [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()];
  }
  if (value instanceof Map) return shapeOf(Object.fromEntries(value), depth);
  if (typeof value === 'object' && value?.constructor === Object)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner, depth + 1)]));
  // At the top is the name of the collection; 1 and -1 are directions.
  return depth === 1 || value === 1 || value === -1 ? value : typeof value;
}

/** Of the plan that won, wherever it stands. */
function stagesOf(plan: unknown, isWinner = false): Set<string> {
  const stages = new Set<string>();
  if (typeof plan !== 'object' || plan === null) return stages;
  for (const [name, inner] of Object.entries(plan) as [string, unknown][]) {
    if (isWinner && name === 'stage' && typeof inner === 'string') stages.add(inner);
    for (const stage of stagesOf(inner, isWinner || name === 'winningPlan')) stages.add(stage);
  }
  return stages;
}
