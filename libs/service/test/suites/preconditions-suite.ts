import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  caller,
  callerOf,
  outcomeOf,
  type Call,
  type Ids,
  type KnownOperations,
  type RunningServiceUnderTest,
  type SeededOrganisation,
  type ServiceUnderTest,
} from './service-under-test.ts';
import { saying, storedRows, type StoredRows } from './stored-rows.ts';

/** What `If-Match` and `If-None-Match` promise, of every operation that changes what is read by GET on the same path. */
export function preconditionsSuite<Things extends Ids>(
  { service, seed }: Pick<ServiceUnderTest<Things>, 'service' | 'seed'>,
  known: KnownOperations<Things>,
  running: () => RunningServiceUnderTest,
): void {
  describe('a change with If-Match or If-None-Match', () => {
    let call: Call;
    let stored: StoredRows;
    let seeded = 0;
    beforeAll(async () => {
      call = caller(running());
      stored = await storedRows(service, running().database);
    });
    afterAll(() => stored.close());

    async function prepare(name: string, organisation: SeededOrganisation<Things>) {
      const found = known.find((one) => one.name === name);
      if (!found) throw new Error(`there is no operation ${name}`);
      const { operation, rule } = found;
      const { after } = rule[3] ?? {};
      if (after !== undefined) await (await prepare(after, organisation))();
      const request = rule[2]?.(organisation.ids) ?? {};
      return (condition: { ifMatch?: string; ifNoneMatch?: string } = {}) =>
        call(operation, request, callerOf(rule, organisation), condition);
    }

    for (const { name, ids } of known.filter(({ operation }) => operation.changes))
      it(`is not made of what is another by now, and is of what is there: ${name}`, async () => {
        const organisation = await seed(running(), `Conditional${(seeded += 1)}`, ids());
        const change = await prepare(name, organisation);
        const rows = async () => (await stored.of(organisation.organisationId)).map(saying);
        const before = await rows();
        for (const condition of [{ ifMatch: 'stale' }, { ifNoneMatch: '*' }, { ifMatch: '*', ifNoneMatch: '*' }])
          expect(await outcomeOf(change(condition))).toMatchObject({ kind: 'precondition_failed' });
        expect(await rows()).toEqual(before);
        expect(await outcomeOf(change({ ifMatch: '*', ifNoneMatch: 'stale' }))).toMatchObject({ kind: 'answered' });
      });
  });
}
