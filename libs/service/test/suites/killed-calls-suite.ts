import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { camelCase, fieldRules, IDEMPOTENCY_KEY, type Operation } from '@platform-backend/contract';
import { newId, serviceVariable } from '@platform-backend/core';
import { freePort } from '@platform-backend/embedded';
import { repetitions, waitFor } from '@platform-backend/testing';
import { leaveOut, type Lack } from '@platform-backend/testing/where';
import { startService, type ServiceProcess } from '../starters/service-process.ts';
import {
  caller,
  callerOf,
  knownOperations,
  outcomeOf,
  type Call,
  type SeededOrganisation,
  type Ids,
  type KnownOperations,
  type Outcome,
  type RunningServiceUnderTest,
  type ServiceUnderTest,
} from './service-under-test.ts';
import { isEvent, storedRows, type StoredRow, type StoredRows } from './stored-rows.ts';

export interface KilledCalls {
  /** Variables of the process that is killed: leases that end while one waits. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Tables and events of which there may be more or fewer, and why. */
  readonly uncounted?: Readonly<Record<string, string>>;
  /** Operations of which a repetition does or tells something else than the call before it, and why. */
  readonly doesMore?: Readonly<Record<string, string>>;
  /** Operations that answer with what then goes on by itself: a repetition tells how far it is by now. */
  readonly goesOn?: Readonly<Record<string, string>>;
  /** How often the process is killed; all operations that are tried are under way each time. */
  readonly kills?: number;
  /** Why the process that is killed cannot do on this machine what some operations ask for; undefined: it can. */
  readonly lack?: Lack;
}

/** What an organisation has before an operation: operations that say the same have the same start. */
const startOf = <Things extends Ids>({ ids, rule }: KnownOperations<Things>[number]): string =>
  [...ids(), rule[3]?.after ?? ''].map(String).sort().join(' ');

/** How many organisations are seeded at once. */
const FURNISHERS = 4;

/**
 * Operations of which each is called in its own way, by how a call may be repeated and what it answers, or belongs to another
 * area than those before it.
 */
function representatives<Things extends Ids>(operations: KnownOperations<Things>): KnownOperations<Things> {
  const seen = new Set<string>();
  return operations.filter(({ operation, rule }) => {
    const { service, http, idempotent, repetition, pendingLocation, changes } = operation;
    const caller = typeof rule[0] === 'string' ? 'people' : 'services';
    const key = Object.keys(keysOf(operation)).length > 0;
    const kind = [
      http?.verb,
      idempotent,
      repetition,
      key,
      pendingLocation !== undefined,
      Boolean(changes),
      caller,
    ].join();
    const isNew = !seen.has(service) || !seen.has(kind);
    seen.add(service).add(kind);
    return isNew;
  });
}

/**
 * Every operation that changes something (in the usual form of a run one of each area and each kind), under way in a process that is killed in the midst of it and started again, where
 * it is asked for once more. Compared with what an undisturbed call leaves behind, it was carried out once: not in part, not
 * told twice, and not left to nobody. Calls have an `Idempotency-Key` where they may have one; what goes on when it is
 * repeated may be carried out once more.
 */
export function killedCallsSuite<Things extends Ids>(
  tested: ServiceUnderTest<Things>,
  {
    environment = {},
    uncounted = {},
    doesMore = {},
    goesOn = {},
    lack,
    kills = repetitions({ usual: 1, long: 2 }),
  }: KilledCalls = {},
): void {
  type Organisation = SeededOrganisation<Things>;
  const { silent = {} } = tested;
  const known = knownOperations(tested);
  const unary = known.filter(({ operation, reads }) => !reads && !operation.requestStream && !operation.responseStream);
  const changing = repetitions({ usual: 0, long: 1 }) > 0 ? unary : representatives(unary);

  if (lack !== undefined) leaveOut(`${lack}: what needs it is refused to a call that is repeated after a kill`);

  describe('calls to a service that is killed', () => {
    let running: RunningServiceUnderTest;
    let stored: StoredRows;
    let service: ServiceProcess | undefined;
    let address: string;
    beforeAll(async () => {
      running = await tested.start();
      stored = await storedRows(tested.service, running.database);
      address = `127.0.0.1:${await freePort()}`;
    });
    afterAll(async () => {
      await service?.kill();
      await stored.close();
      await running.stop();
    });

    /** Starts the process where its callers look for it, and answers how it is called. */
    async function begin(): Promise<Call> {
      const { name } = tested.service.declaration;
      const env = { ...running.env, ...environment, [serviceVariable(name, 'LISTEN')]: address };
      service = await startService(name, env);
      return caller({ calledBy: (as) => running.calledBy(as, address) });
    }

    let seeded = 0;
    const seedFor = ({ ids }: KnownOperations<Things>[number]) => tested.seed(running, `Killed${(seeded += 1)}`, ids());

    /** An organisation in which an operation makes sense, and its call, the same each time. */
    async function prepare(one: KnownOperations<Things>[number], organisation: Organisation): Promise<PreparedCall> {
      const { operation, rule } = one;
      const before = known.find(({ name }) => name === rule[3]?.after);
      if (before) {
        const { kind, text } = await ended(await prepare(before, organisation));
        if (kind !== 'answered') throw new Error(`${before.name} was refused: ${text}`);
      }
      const request = { ...rule[2]?.(organisation.ids), ...keysOf(operation) };
      const idempotencyKey = newId();
      const by = callerOf(rule, organisation);
      return { ...one, organisation, execute: (call) => call(operation, request, by, { idempotencyKey }) };
    }
    /** What has been begun and goes on by itself is asked for again until it is over. */
    const ended = ({ execute }: Pick<PreparedCall, 'execute'>): Promise<Outcome> =>
      waitFor(async () => {
        const outcome = await outcomeOf(execute(caller(running)));
        return outcome.kind === 'accepted' ? undefined : outcome;
      });
    const prepareAll = async (operations: KnownOperations<Things> = changing) => {
      const left = [...operations];
      const prepared: PreparedCall[] = [];
      const work = async () => {
        for (let one = left.pop(); one; one = left.pop()) prepared.push(await prepare(one, await seedFor(one)));
      };
      await Promise.all(Array.from({ length: FURNISHERS }, work));
      return prepared;
    };

    it('are carried out once when they are repeated: as a whole, told once, and nothing is left stuck', async () => {
      const untouched = await prepareAll([...new Map(changing.map((one) => [startOf(one), one])).values()]);
      const undisturbed = await prepareAll();
      const expected = new Map<string, string>();
      for (const { name, execute } of undisturbed) {
        const { kind, text } = await ended({ execute });
        if (kind !== 'answered' && !(name in silent)) throw new Error(`${name} was refused: ${text}`);
        expected.set(name, kind);
      }

      const repeated: RepeatedCall[] = [];
      for (let kill = 0, call = await begin(); kill < kills; kill += 1) {
        const first = send(await prepareAll(), call);
        await first.enough;
        await service?.kill();
        call = await begin();
        repeated.push(...(await Promise.all(first.calls.map((one) => repeat(one, call, expected.get(one.name))))));
      }

      /** Those of these calls after which something is otherwise than it should be, and what. */
      const problemsOf = async (calls: readonly RepeatedCall[]): Promise<Map<RepeatedCall, string>> => {
        const compared = (one: RepeatedCall) => [
          one.organisation,
          ...untouched.filter((before) => startOf(before) === startOf(one)).map(({ organisation }) => organisation),
          ...undisturbed.filter(({ name }) => name === one.name).map(({ organisation }) => organisation),
        ];
        const organisations = calls.length === repeated.length ? [] : calls.flatMap(compared);
        const rows = await stored.of(...organisations.map(({ organisationId }) => organisationId));
        const tallies = Map.groupBy(rows, ({ organisationId }) => organisationId);
        const tallyOf = ({ organisationId }: Organisation) => tally(tallies.get(organisationId) ?? [], uncounted);
        const starts = new Map(untouched.map((one) => [startOf(one), tallyOf(one.organisation)]));
        const after = new Map(undisturbed.map(({ name, organisation }) => [name, tallyOf(organisation)]));
        const problems = new Map<RepeatedCall, string>();
        for (const one of calls) {
          const { name, organisation, atMost, said, isRefused } = one;
          const nothing: Tally = new Map();
          const [before = nothing, once = nothing] = [starts.get(startOf(one)), after.get(name)];
          const now = tallyOf(organisation);
          const least = isRefused ? 0 : 1;
          const times = Array.from({ length: atMost + 1 - least }, (_, more) =>
            differences({ before, once, now }, least + more),
          );
          if (name in doesMore || times.some((wrong) => wrong.length === 0)) continue;
          problems.set(one, `${name} (${said}): ${times[0]?.join(', ') ?? ''}`);
        }
        return problems;
      };
      let left = new Map<RepeatedCall, string>();
      // While some are not as they should be, these alone are read again; in the end all, at one moment.
      const isWell = async (): Promise<boolean> => {
        const isWhole = left.size === 0;
        left = await problemsOf(isWhole ? repeated : [...left.keys()]);
        return isWhole && left.size === 0;
      };
      const problems = await waitFor(isWell, { interval: 500 }).then(
        () => new Map(),
        () => problemsOf(repeated),
      );
      expect([...problems.values()]).toEqual([]);
    }, 600_000);

    /** Makes these calls at once. Some of them are answered when it is `enough`, and the others under way. */
    function send(calls: readonly PreparedCall[], call: Call) {
      const answers = Math.floor(Math.random() * calls.length);
      const enough = Promise.withResolvers<undefined>();
      let ended = 0;
      const count = () => {
        if ((ended += 1) > answers) enough.resolve(undefined);
      };
      const send = (one: PreparedCall) => ({ ...one, heard: outcomeOf(one.execute(call)).finally(count) });
      return { calls: shuffled(calls).map(send), enough: enough.promise };
    }

    async function repeat(one: SentCall, call: Call, expected = 'answered'): Promise<RepeatedCall> {
      const { name, operation } = one;
      const first = await one.heard;
      let calls = 1;
      const again = await waitFor(async () => {
        calls += 1;
        const outcome = await outcomeOf(one.execute(call));
        const isUnderWay = outcome.kind === 'accepted' || isSaid(outcome, 'request_in_flight');
        return outcome.kind === 'unavailable' || isUnderWay ? undefined : outcome;
      });
      // Whoever was answered gets the same answer again.
      if (isSaid(again, 'answer_lost') && operation.repetition === 'once' && first.kind !== 'answered')
        return { ...one, atMost: 1, said: `${first.kind}, then its answer was lost` };
      const isOnce =
        operation.idempotent ||
        Object.keys(keysOf(operation)).length > 0 ||
        operation.repetition === 'once' ||
        (operation.repetition === 'continues' && first.kind === 'answered');
      if (lack !== undefined && again.kind === 'not_provided')
        return { ...one, atMost: 1, isRefused: true, said: `${first.kind}, then it cannot be done here` };
      if (again.kind === 'internal' || (isOnce && again.kind !== expected))
        throw new Error(`${name} was refused when it was repeated: ${again.text}`);
      if (isOnce && first.kind === 'answered' && !(name in goesOn))
        expect([name, lasting(again)]).toEqual([name, lasting(first)]);
      // What is refused now has been carried out before.
      const atMost = isOnce || again.kind !== expected ? 1 : calls;
      return { ...one, atMost, said: `${first.kind}, then ${again.kind}` };
    }
  });

  type PreparedCall = KnownOperations<Things>[number] & {
    readonly organisation: Organisation;
    readonly execute: (call: Call) => Promise<unknown>;
  };
  type SentCall = PreparedCall & { readonly heard: Promise<Outcome> };
  type RepeatedCall = PreparedCall & {
    /** How often it may have been carried out. */
    readonly atMost: number;
    /** For want of what this machine does not have: then it need not have been carried out at all. */
    readonly isRefused?: boolean;
    readonly said: string;
  };
}

const isSaid = ({ kind, text }: Outcome, code: string): boolean =>
  kind === 'conflict' && (JSON.parse(text) as { code: string }).code === code;

/** What an answer says, whenever it was said. */
const lasting = ({ text }: Outcome): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');

/** The keys with which the contract lets a request be repeated. */
const keysOf = ({ requestType }: Operation): Record<string, string> =>
  Object.fromEntries(
    requestType.fieldsArray
      .filter((field) => fieldRules(field).header === IDEMPOTENCY_KEY)
      .map((field) => [camelCase(field.name), newId()]),
  );

/** How many rows an organisation has in each table, and how many events of each type. */
type Tally = ReadonlyMap<string, number>;

function tally(rows: readonly StoredRow[], uncounted: object): Tally {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const what = isEvent(row) ? typeOf(row) : row.table;
    if (!(what in uncounted)) counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

function typeOf({ text }: StoredRow): string {
  const stored = JSON.parse(text) as { type?: string; envelope?: { type: string } };
  return stored.envelope?.type ?? stored.type ?? '';
}

/** What is otherwise than after so many undisturbed calls. */
function differences({ before, once, now }: Record<'before' | 'once' | 'now', Tally>, times: number): string[] {
  const names = new Set([...before.keys(), ...once.keys(), ...now.keys()]);
  return [...names].flatMap((name) => {
    const count = (of: Tally) => of.get(name) ?? 0;
    const expected = count(before) + times * (count(once) - count(before));
    return count(now) === expected ? [] : [`${count(now)} ${name} instead of ${expected}`];
  });
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
