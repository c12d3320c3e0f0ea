import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  newId,
  serviceActorContext,
  unchanged,
  withCaller,
  withPrecondition,
  type Decision,
  type DomainEvent,
} from '@platform-backend/core';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import { AsyncResource } from 'node:async_hooks';
import { changesIn, type Database, type Knex } from '../src/index.ts';
import { openShelves, preparedShelves } from './shelf-database.ts';

const outside = new AsyncResource('another request');

let server: ThrowawayPostgres;
let database: Database;
beforeAll(async () => {
  server = await preparedShelves();
  database = openShelves(server);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

interface Shelf {
  readonly id: string;
  readonly name: string;
}

/** Stands in for the outbox: a row for each event. */
const recordEvents = async (trx: Knex.Transaction, by: { organisationId: string }, events: readonly DomainEvent[]) => {
  for (const _ of events) await trx('visits').insert({ id: newId(), organisation_id: by.organisationId });
};

const renamed = (shelf: Shelf, name: string): Decision<Shelf> => {
  const next = { ...shelf, name };
  return {
    state: next,
    events: [{ name: 'shelf.renamed', subject: shelf.id, at: new Date(), data: {} }],
    result: next,
  };
};

async function aShelf(organisationId: string) {
  const by = serviceActorContext('library', organisationId, 'request');
  const changes = changesIn(database, recordEvents);
  const shelf: Shelf = { id: newId(), name: 'new' };
  await changes.add(by, renamed(shelf, 'first'), (trx, state) =>
    trx('shelves').insert({ ...state, organisation_id: organisationId }),
  );
  const saved: Shelf[] = [];
  return {
    saved,
    update: (decide: (before: Shelf, known: number) => Decision<Shelf>) =>
      changes.update(by, decide, {
        load: (trx) => trx('shelves').where({ id: shelf.id }).forUpdate().first<Shelf>('id', 'name'),
        lookUp: async (trx) => (await trx('shelves').pluck('id')).length,
        save: async (trx, after, before) => {
          saved.push(before, after);
          await trx('shelves').where({ id: shelf.id }).update({ name: after.name });
        },
      }),
    stored: () =>
      database.tenant(organisationId, async (trx) => ({
        name: (await trx('shelves').first<Shelf>('name')).name,
        events: (await trx('visits').pluck('id')).length,
      })),
  };
}

describe('a change of what is stored', () => {
  it('commits the decided state with its events, and answers the result', async () => {
    const shelf = await aShelf('org_1');
    expect(await shelf.update((before, count) => renamed(before, `one of ${count}`))).toMatchObject({
      name: 'one of 1',
    });
    expect(await shelf.stored()).toEqual({ name: 'one of 1', events: 2 });
    expect(shelf.saved.map(({ name }) => name)).toEqual(['first', 'one of 1']);
  });

  it('saves nothing when everything stays as it is', async () => {
    const shelf = await aShelf('org_2');
    await shelf.update(unchanged);
    expect(shelf.saved).toEqual([]);
    expect(await shelf.stored()).toEqual({ name: 'first', events: 1 });
  });

  it('leaves no event behind when it is refused, whoever refuses it', async () => {
    const shelf = await aShelf('org_3');
    const decide = () => {
      throw new Error('no');
    };
    await expect(shelf.update(decide)).rejects.toThrow('no');
    await expect(shelf.update((before) => renamed(before, null as unknown as string))).rejects.toThrow();
    expect(await shelf.stored()).toEqual({ name: 'first', events: 1 });
  });

  it('happens after another one of the same thing', async () => {
    const shelf = await aShelf('org_4');
    const appended = (letter: string) => shelf.update((before) => renamed(before, before.name + letter));
    await Promise.all([appended('a'), appended('a'), appended('a')]);
    expect(await shelf.stored()).toEqual({ name: 'firstaaa', events: 4 });
  });
});

describe('a change on a condition', () => {
  const nameIs =
    (shelf: Awaited<ReturnType<typeof aShelf>>, wanted: string, judged: string[] = []) =>
    async () => {
      const { name } = await shelf.stored();
      judged.push(name);
      if (name !== wanted) throw new Error(`it is ${name}`);
    };

  it('is made while it holds, and what follows in the same call is not asked again', async () => {
    const shelf = await aShelf('org_10');
    const judged: string[] = [];
    await withPrecondition(nameIs(shelf, 'first', judged), async () => {
      await shelf.update((before) => renamed(before, 'second'));
      await shelf.update((before) => renamed(before, 'third'));
    });
    expect(judged).toEqual(['first']);
    expect(await shelf.stored()).toEqual({ name: 'third', events: 3 });
  });

  it('is asked in each transaction until one has changed something', async () => {
    const shelf = await aShelf('org_11');
    const judged: string[] = [];
    await withPrecondition(nameIs(shelf, 'first', judged), async () => {
      await shelf.update(unchanged);
      await shelf.update((before) => renamed(before, 'second'));
    });
    expect(judged).toEqual(['first', 'first']);
  });

  it('is refused when it does not hold, and leaves nothing behind', async () => {
    const shelf = await aShelf('org_12');
    const change = withPrecondition(nameIs(shelf, 'other'), () => shelf.update((before) => renamed(before, 'second')));
    await expect(change).rejects.toThrow('it is first');
    expect(await shelf.stored()).toEqual({ name: 'first', events: 1 });
  });

  it('is refused when somebody else changes it after it was judged and before it is locked', async () => {
    const shelf = await aShelf('org_13');
    const judge = nameIs(shelf, 'first');
    let isFirst = true;
    const change = withPrecondition(
      async () => {
        await judge();
        if (isFirst) {
          isFirst = false;
          await elsewhere(() => shelf.update((before) => renamed(before, 'of somebody else')));
        }
      },
      () => shelf.update((before) => renamed(before, 'second')),
    );
    await expect(change).rejects.toThrow('it is of somebody else');
    expect(await shelf.stored()).toEqual({ name: 'of somebody else', events: 2 });
  });

  it('lets one of many pass who have all read the same', async () => {
    const shelf = await aShelf('org_14');
    const changes = Array.from({ length: 8 }, (_, at) =>
      withPrecondition(nameIs(shelf, 'first'), () => shelf.update((before) => renamed(before, `of ${at}`))),
    );
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await shelf.stored()).events).toBe(2);
  });

  it('is made of each thing of many, though all have a row in common with everybody', async () => {
    const [common, ...things] = Array.from({ length: 41 }, () => ({ id: newId(), name: newId() }));
    await database.tenant('org_16', (trx) =>
      trx('shelves').insert([common, ...things].map((one) => ({ ...one, organisation_id: 'org_16' }))),
    );
    const count = (id: string | undefined) => (trx: Knex.Transaction) =>
      trx('shelves').where({ id }).increment('copies', 1);
    const copiesOf = (id: string | undefined) => (trx: Knex.Transaction) =>
      trx('shelves').where({ id }).first<{ copies: string }>('copies');
    const changes = things.map(({ id }) =>
      withPrecondition(
        async () => expect((await database.tenant('org_16', copiesOf(id))).copies).toBe('0'),
        () =>
          database.tenant('org_16', async (trx) => {
            await count(id)(trx);
            await count(common?.id)(trx);
          }),
      ),
    );
    await Promise.all(changes);
    expect((await database.tenant('org_16', copiesOf(common?.id))).copies).toBe('40');
  });

  it('is made however often others change meanwhile what all have in common, and is told in time where it cannot be', async () => {
    const [common, thing] = [newId(), newId()];
    const all = [common, thing].map((id) => ({ id, name: id, organisation_id: 'org_17' }));
    await database.tenant('org_17', (trx) => trx('shelves').insert(all));
    const count = (id: string) => (trx: Knex.Transaction) => trx('shelves').where({ id }).increment('copies', 1);
    const changeWhile = (collisions: number) => {
      let left = collisions;
      return withPrecondition(
        async () => {
          await database.tenant('org_17', (trx) => trx('shelves').where({ id: thing }).first<object>('name'));
          left -= 1;
          if (left >= 0) await elsewhere(() => database.tenant('org_17', count(common)));
        },
        () => database.tenant('org_17', async (trx) => void [await count(thing)(trx), await count(common)(trx)]),
      );
    };
    await changeWhile(12);
    const { signal } = new AbortController();
    const hurried = { signal, deadline: new Date(Date.now() + 400) };
    await expect(withCaller(hurried, () => changeWhile(Infinity))).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('sees by each read what its own settings open, and the change what those of its transaction do', async () => {
    const shelf = await aShelf('org_15');
    const seen: number[] = [];
    const judge = async () => {
      const all = await Promise.all([
        shelf.stored(),
        database.system({}, async (trx) => (await trx('shelves').pluck('id')).length),
        database.tenant('org_14', async (trx) => (await trx('shelves').pluck('id')).length),
        database.statement<{ n: number }>('org_15', { name: 'n', text: 'SELECT count(*)::int AS n FROM shelves' }, []),
      ]);
      seen.push(all[1], all[2], all[3][0]?.n ?? -1);
    };
    await withPrecondition(judge, () => shelf.update((before, count) => renamed(before, `one of ${count}`)));
    expect(seen).toEqual([0, 1, 1]);
    expect(await shelf.stored()).toEqual({ name: 'one of 1', events: 2 });
  });
});

/** As a request of its own. */
const elsewhere = <T>(work: () => Promise<T>): Promise<T> => outside.runInAsyncScope(work);
