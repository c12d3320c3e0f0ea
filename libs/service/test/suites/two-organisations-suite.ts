import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { camelCase } from '@platform-backend/contract';
import { newId } from '@platform-backend/core';
import {
  caller,
  callerOf,
  outcomeOf,
  type Call,
  type SeededOrganisation,
  type Ids,
  type KnownOperations,
  type RunningServiceUnderTest,
  type ServiceUnderTest,
} from './service-under-test.ts';
import { isEvent, saying, storedRows, type StoredRows } from './stored-rows.ts';

/** Every operation with the ids of another organisation's things; what it reads; and what the database itself shows. */
export function twoOrganisationsSuite<Things extends Ids>(
  { service, seed, idsOfTheirOwn = {}, emptyTables = [] }: ServiceUnderTest<Things>,
  known: KnownOperations<Things>,
  running: () => RunningServiceUnderTest,
): void {
  describe('two organisations', () => {
    let own: SeededOrganisation<Things>;
    let theirs: SeededOrganisation<Things>;
    let call: Call;
    let stored: StoredRows;
    beforeAll(async () => {
      call = caller(running());
      own = await seed(running(), 'Own');
      theirs = await seed(running(), 'Theirs');
      stored = await storedRows(service, running().database);
    });
    afterAll(() => stored.close());

    /** As they were behind the operation before, which is what they are before the next: to read them takes as long as an operation. */
    let last: Awaited<ReturnType<typeof rowsNow>> | undefined;
    /** What the other has, and what has been told of one's own. */
    const rowsNow = async () => {
      const rows = await stored.of(own.organisationId, theirs.organisationId);
      const of = ({ organisationId }: SeededOrganisation<Things>) =>
        rows.filter((row) => row.organisationId === organisationId);
      return [of(theirs).map(saying), of(own).filter(isEvent)];
    };

    /** The ids with one of them, or all, exchanged for others; each way once that makes another request. */
    function exchanged(request: (ids: Things) => object, others: (name: string) => string): Map<string, object> {
      const entries = Object.keys(own.ids).map((name) => [name, { ...own.ids, [name]: others(name) }] as const);
      const everyId = Object.fromEntries(Object.keys(own.ids).map((name) => [name, others(name)])) as Things;
      const asItIs = JSON.stringify(request(own.ids));
      const requests = [...entries, ['every id', everyId] as const].map(([name, ids]) => [name, request(ids)] as const);
      return new Map(requests.filter(([, made]) => JSON.stringify(made) !== asItIs));
    }

    it.each(known.map((one) => [one.name, one] as const))(
      "cannot tell the other's things from what does not exist: %s",
      async (name, { operation, rule }) => {
        const { http, requestType } = operation;
        const request = rule[2] ?? (() => ({}));
        if (name in idsOfTheirOwn) return;
        const sample = JSON.stringify(request(own.ids));
        const unknown = requestType.fieldsArray
          .map((field) => field.name)
          .filter((field) => /_ids?$/.test(field) && !sample.includes(`"${camelCase(field)}":`));
        if (unknown.length > 0) {
          throw new Error(
            `${name} takes ${unknown.join(', ')}: add to its request which id of an organisation's things stands there, or to idsOfTheirOwn why none does`,
          );
        }
        const nobodys = exchanged(request, () => newId());
        const before = last ?? (await rowsNow());
        for (const [which, foreign] of exchanged(request, (id) => theirs.ids[id] ?? '')) {
          const outcome = await outcomeOf(call(operation, foreign, callerOf(rule, own)));
          const missing = await outcomeOf(call(operation, nobodys.get(which) ?? {}, callerOf(rule, own)));
          expect([which, outcome]).toEqual([which, missing]);
          // A list that is narrowed to what is not there is empty; what is named and not there is refused.
          const narrows = http?.verb === 'GET' && http.pathFields.length === 0;
          const fitting = http && !narrows ? ['not_found'] : ['not_found', 'answered'];
          if (!fitting.includes(outcome.kind)) throw new Error(`${name} with another ${which}: ${outcome.text}`);
        }
        last = await rowsNow();
        expect(last).toEqual(before);
      },
    );

    it.each(known.filter(({ reads }) => reads).map((one) => [one.name, one] as const))(
      'see nothing of each other: %s',
      async (_, { operation, rule }) => {
        for (const request of [rule[2]?.(own.ids) ?? {}, {}]) {
          const { text } = await outcomeOf(call(operation, request, callerOf(rule, own)));
          const traces = [...Object.values(theirs.ids), theirs.organisationId, theirs.caller.userId ?? '', 'Theirs'];
          expect(traces.filter((trace) => trace !== '' && text.includes(trace))).toEqual([]);
        }
      },
    );

    it('are kept apart by the database itself, in every table, whatever a query asks for', async () => {
      const held = await stored.of(own.organisationId, theirs.organisationId);
      const among = (organisationId: string) =>
        stored.tables.filter((table) =>
          held.some((row) => row.table === table && row.organisationId === organisationId),
        );
      // What holds nothing would prove nothing.
      expect(stored.tables.filter((table) => !among(theirs.organisationId).includes(table))).toEqual(emptyTables);
      // The outbox is no model of a service on MongoDB.
      const kept = service.declaration.storage.kind === 'mongo' ? ['outbox'] : [];
      for (const { organisationId } of [own, theirs]) {
        const seen = await stored.seenBy(organisationId);
        expect([...new Set(seen.map((row) => row.organisationId))]).toEqual([organisationId]);
        const visible = among(organisationId).filter((table) => !kept.includes(table));
        expect([...new Set(seen.map(({ table }) => table))].sort()).toEqual(visible.sort());
      }
      expect(await stored.seenBy('')).toEqual([]);
    });
  });
}
