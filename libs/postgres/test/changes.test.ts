import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, serviceActorContext, unchanged, type Decision, type DomainEvent } from '@platform-backend/core';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import { changesIn, type Database, type Knex } from '../src/index.ts';
import { openShelves, preparedShelves } from './shelf-database.ts';

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
