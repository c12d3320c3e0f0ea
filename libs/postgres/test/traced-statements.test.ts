import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import { recordSpans, type RecordedSpans } from '@platform-backend/testing/recorded-spans';
import type { Database } from '../src/index.ts';
import { openShelves, preparedShelves } from './shelf-database.ts';

const add = {
  name: 'add-shelf',
  text: `INSERT INTO shelves (id, organisation_id, name, created_at) VALUES ($1::uuid, $2, $3, now()) RETURNING name`,
};

describe('statements of PostgreSQL', () => {
  let server: ThrowawayPostgres;
  let database: Database;
  let spans: RecordedSpans;
  beforeAll(async () => {
    server = await preparedShelves();
    spans = recordSpans();
    database = openShelves(server);
  });
  beforeEach(() => spans.forget());
  afterAll(async () => {
    await spans.stop();
    await database.close();
    await server.drop();
  });

  it('that are part of a trace have spans, named by what they do and to which table, without values', async () => {
    const [organisationId, shelf] = [`org_${newId()}`, 'a name that nobody else may read'];
    const traceId = await spans.within('the call', async (span) => {
      await database.statement(organisationId, add, [newId(), organisationId, shelf]);
      await database.statement(organisationId, add, [newId(), organisationId, `${shelf} 2`]);
      await database.tenant(organisationId, async (trx) => {
        await trx('shelves')
          .where({ name: shelf })
          .update({ name: `${shelf} 3` });
        await trx.raw('SELECT count(*) FROM shelves WHERE name <> ?', [shelf]);
      });
      return span.spanContext().traceId;
    });
    const found = spans.finished();
    const names = found.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['INSERT shelves', 'UPDATE shelves', 'SELECT shelves', 'COMMIT']));
    expect(names.filter((name) => name === 'INSERT shelves')).toHaveLength(2);
    for (const span of found) expect(span.spanContext().traceId).toBe(traceId);
    expect(found.find(({ name }) => name === 'UPDATE shelves')?.attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.namespace': new URL(server.appUrl).pathname.slice(1),
      'db.operation.name': 'UPDATE',
      'db.collection.name': 'shelves',
      'server.address': new URL(server.appUrl).hostname || expect.any(String),
      'server.port': expect.any(Number),
    });
    const told = JSON.stringify(
      found.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    for (const value of [organisationId, shelf]) expect(told).not.toContain(value);
  });

  it('that fail say so by the code of PostgreSQL, and not by its words', async () => {
    const organisationId = `org_${newId()}`;
    const id = newId();
    await spans.within('the call', async () => {
      await database.statement(organisationId, add, [id, organisationId, 'once']);
      await expect(database.statement(organisationId, add, [id, organisationId, 'twice'])).rejects.toThrow();
    });
    const failed = spans.finished().filter(({ attributes }) => attributes['error.type'] !== undefined);
    expect(failed.map(({ name, attributes, status }) => [name, attributes['db.response.status_code'], status])).toEqual(
      [['INSERT shelves', '23505', { code: 2 }]],
    );
  });

  it('that nobody has asked for have none, nor have those of a process that traces nothing', async () => {
    await database.ping();
    expect(spans.finished()).toEqual([]);
    expect(await database.knex.raw<{ rows: object[] }>('SELECT 1 AS one')).toMatchObject({ rows: [{ one: 1 }] });
  });
});
