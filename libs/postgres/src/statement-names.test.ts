import { describe, expect, it } from '@jest/globals';
import { nameOfStatement } from './statement-names.ts';

describe('the name of a statement', () => {
  it.each([
    ['BEGIN;', 'BEGIN', undefined],
    ['COMMIT;', 'COMMIT', undefined],
    [`SELECT set_config('app.organisation_id', $1, true)`, 'SET', undefined],
    ['select "id" from "client_groups" where "id" = ? for update', 'SELECT', 'client_groups'],
    ['SELECT name FROM public.shelves s JOIN books ON true', 'SELECT', 'public.shelves'],
    ['SELECT count(*) FROM unnest($1::text[]) AS id JOIN runs USING (id)', 'SELECT', 'runs'],
    ['WITH due AS (SELECT id FROM runs FOR UPDATE SKIP LOCKED) SELECT * FROM due', 'SELECT', 'runs'],
    ['WITH due AS (SELECT id FROM runs FOR NO KEY UPDATE) UPDATE steps SET a = 1 FROM due', 'UPDATE', 'steps'],
    ['WITH gone AS (DELETE FROM ONLY outbox RETURNING *) SELECT count(*) FROM gone', 'DELETE', 'outbox'],
    ['INSERT INTO "shelves" (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET name = $1', 'INSERT', 'shelves'],
    ['MERGE INTO accounts a USING due d ON a.id = d.id WHEN MATCHED THEN UPDATE SET x = 1', 'MERGE', 'accounts'],
    ['SELECT identity_read_group($1)', 'SELECT', undefined],
    ['update "accounts" set "a" = ?', 'UPDATE', 'accounts'],
    ['LISTEN outbox', 'LISTEN', undefined],
    ['', 'QUERY', undefined],
  ])('of %s is %s of %s', (statement, operation, collection) => {
    expect(nameOfStatement(statement)).toEqual({ operation, collection });
  });

  it('is made of no text that stands in it, be it a value or a comment', () => {
    const statements = [
      `SELECT 'insert into secrets', name FROM shelves -- delete from secrets`,
      `SELECT name /* update secrets set */ FROM shelves WHERE name = 'it''s from secrets'`,
      'SELECT $x$ insert into secrets $x$ FROM shelves',
    ];
    for (const statement of statements)
      expect(nameOfStatement(statement)).toEqual({ operation: 'SELECT', collection: 'shelves' });
  });

  it('is not remembered of long ones, of which there is one for each number of rows', () => {
    const rows = (count: number): string =>
      `INSERT INTO shelves (id, name) VALUES ${Array.from({ length: count }, (_, at) => `($${2 * at + 1}, $${2 * at + 2})`).join(', ')}`;
    for (let more = 0; more < 2_100; more += 1) nameOfStatement(`${rows(300)} ON CONFLICT (n${more}) DO NOTHING`);
    const short = rows(1);
    expect(nameOfStatement(short)).toBe(nameOfStatement(short));
  });
});
