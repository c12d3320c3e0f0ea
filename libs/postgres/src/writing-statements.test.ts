import { describe, expect, it } from '@jest/globals';
import { writes } from './writing-statements.ts';

describe('a statement', () => {
  it.each([
    'insert into "shelves" ("id") values (?)',
    'update "shelves" set "copies" = ?',
    'UPDATE keyed_calls\n SET lease_until = now()',
    'UPDATE ONLY shelves AS s SET copies = 1',
    'update "public"."shelves" "s" set "copies" = 1',
    'delete from "shelves"',
    'WITH gone AS (DELETE FROM shelves RETURNING id) SELECT count(*) FROM gone',
    'INSERT  INTO shelves SELECT 1 ON CONFLICT DO NOTHING',
    'MERGE INTO shelves USING others ON true WHEN MATCHED THEN DO NOTHING',
  ])('writes: %s', (statement) => expect(writes(statement)).toBe(true));

  it.each([
    'select * from "shelves" for update',
    'SELECT FROM shelves FOR NO KEY UPDATE SKIP LOCKED',
    'select "updated_at", "set_aside" from "shelves" where "deleted" = false',
    "SELECT set_config('app.organisation', ?, true)",
  ])('reads: %s', (statement) => expect(writes(statement)).toBe(false));
});
