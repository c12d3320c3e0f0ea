import { beforeAll, describe, expect, it } from '@jest/globals';
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
import { isEvent, saying, type StoredRow, type StoredRows } from './stored-rows.ts';
import type { TriedWrites } from './tried-writes.ts';

/** What operations leave behind: those that only look nothing, the others their change with its events and its entry in the audit log, once. */
export function changesSuite<Things extends Ids>(
  { silent = {}, inSteps = {}, unaudited = {}, different = {} }: ServiceUnderTest<Things>,
  known: KnownOperations<Things>,
  running: () => RunningServiceUnderTest,
  writesTried: TriedWrites<Things>,
): void {
  describe('a call', () => {
    let call: Call;
    let stored: StoredRows;
    beforeAll(async () => {
      call = caller(running());
      stored = await writesTried.stored();
    });

    /** Carries an operation out for an organisation, and those before it that make sense of it. */
    async function prepare(name: string, organisation: SeededOrganisation<Things>) {
      const found = known.find((one) => one.name === name);
      if (!found) throw new Error(`there is no operation ${name}`);
      const { operation, rule } = found;
      const after = rule[3]?.after;
      if (after !== undefined) await (await prepare(after, organisation))();
      const request = rule[2]?.(organisation.ids) ?? {};
      return () => call(operation, request, callerOf(rule, organisation));
    }

    const named = (wanted: (one: KnownOperations<Things>[number]) => boolean) =>
      known.filter(wanted).map(({ name }) => name);
    const reads = named(({ reads }) => reads);
    const writes = named(({ reads }) => !reads);

    describe('by itself', () => {
      let organisation: SeededOrganisation<Things>;
      beforeAll(async () => {
        organisation = await writesTried.seedApart('Observed');
      });

      /** As the operation before has left them: nobody changes any in between, but for what makes sense of the next. */
      let last: readonly StoredRow[] | undefined;
      const rows = async () => (last = await stored.of(organisation.organisationId));

      eachOf(reads)(
        'that only looks tells nobody; looking again shows the same and changes nothing: %s',
        async (name) => {
          const look = await prepare(name, organisation);
          const isAsLeft = known.every((one) => one.name !== name || one.rule[3]?.after === undefined);
          const told = ((isAsLeft && last) || (await rows())).filter(isEvent).map(saying);
          const seen = await outcomeOf(look());
          expect(seen).toMatchObject({ kind: 'answered' });
          const before = await rows();
          expect(before.filter(isEvent).map(saying)).toEqual(told);
          const again = await outcomeOf(look());
          expect(again).toEqual(name in different ? { ...seen, text: again.text } : seen);
          expect((await rows()).map(saying)).toEqual(before.map(saying));
        },
      );

      eachOf(named(({ operation, reads }) => operation.idempotent && !reads))(
        'that may be repeated does once what it does twice, and says the same: %s',
        async (name) => {
          const { outcomes, around, repeated, afterRepeated } = await writesTried.of(name);
          const [first] = outcomes;
          expect(first).toMatchObject({ kind: 'answered' });
          expect(repeated).toEqual(first);
          expect(afterRepeated.map(saying)).toEqual(around.after.map(saying));
        },
      );
    });

    describe('what has changed', () => {
      eachOf(writes.filter((name) => !(name in silent)))(
        'is told in the same transaction, and stands in the audit log: %s',
        async (name) => {
          const { outcomes, around } = await writesTried.of(name);
          const { before, after } = around;
          const known = new Set(before.map(written));
          const [outcome] = outcomes;
          if (outcome.kind !== 'answered') {
            throw new Error(`${name} was refused (${outcome.text}): give it a request that is carried out`);
          }
          const changed = after.filter((row) => !known.has(written(row)));
          const [events, state] = [changed.filter(isEvent), changed.filter((row) => !isEvent(row))];
          const left = new Set(after.map(written));
          const isGone = before.some((row) => !isEvent(row) && !left.has(written(row)));
          if (state.length === 0 && !isGone)
            throw new Error(`${name} changed nothing: give it a request that changes something`);
          if (events.length === 0)
            throw new Error(
              `${name} changed ${state.map(({ table }) => table).join(', ')} and published no event: record one, or say in silent why there is none`,
            );
          const isAudited = events.some(isAuditEntry);
          if (!isAudited && !(name in unaudited))
            throw new Error(
              `${name} left no entry in the audit log: give its event a change, or say in unaudited why not`,
            );
          if (isAudited && name in unaudited) throw new Error(`${name} is audited: unaudited says otherwise`);
          if (name in inSteps) return;
          // Of rows that are gone nothing says by which transaction; the events have to be of one then, whatever else changed.
          const transactions = new Set(
            [...state, ...(isGone ? events.slice(0, 1) : [])].map(({ transaction }) => transaction),
          );
          const isOfThem = ({ transaction }: StoredRow) => transaction === undefined || transactions.has(transaction);
          expect(events.filter((event) => !isOfThem(event))).toEqual([]);
        },
      );

      eachOf(writes.filter((name) => name in silent))('is told to nobody, on purpose: %s', async (name) => {
        const { around } = await writesTried.of(name);
        const before = new Set(around.before.filter(isEvent).map(written));
        expect(around.after.filter((row) => isEvent(row) && !before.has(written(row)))).toEqual([]);
      });
    });
  });
}

const isAuditEntry = ({ text }: StoredRow): boolean => /"platform\.v1\.[a-z]+\.audit\.recorded"/.test(text);

const written = (row: StoredRow): string => `${String(row.transaction)} ${saying(row)}`;

/** As `it.each`, which takes no empty list: a service need not have operations of every kind. */
const eachOf =
  (names: readonly string[]) =>
  (what: string, test: (name: string) => Promise<void>): void => {
    for (const name of names) it(what.replace('%s', name), () => test(name));
  };
