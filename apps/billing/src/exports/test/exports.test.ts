import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { parse } from 'csv-parse/sync';
import { Client } from 'pg';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling({ idle: true });
});
afterAll(() => billing.stop());

type Exports = TestBilling['exports'];
type Files = AsyncIterable<{ readonly chunk: Uint8Array }>;

const textOf = async (file: Files): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of file) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const recordsOf = async (file: Files) => parse<Record<string, string>>(await textOf(file), { columns: true });
const admin = (organisationId: string) => member(organisationId, 'ADMIN');

/** An organisation with so many movements of credits; `padding` letters make each of them larger. */
async function withMovements(count: number, padding = 0): Promise<string> {
  const organisationId = newOrganisation();
  await billing.grant(organisationId, 1);
  await billing.pool.tenant(organisationId, async (trx) => {
    await trx.raw(
      `WITH made AS (
         INSERT INTO ledger_transactions (organisation_id, id, created_at, kind, available_after_micros, purpose)
         SELECT ?, gen_random_uuid(), now() - n * interval '1 second', 'GRANT', n, '=HYPERLINK("x")' || repeat('x', ?::int) FROM generate_series(2, ?::int) AS n
         RETURNING organisation_id, id
       )
       INSERT INTO ledger_entries (organisation_id, transaction_id, account, amount_micros)
       SELECT organisation_id, id, account, amount FROM made, (VALUES ('issued', -7), ('available', 7)) AS entry (account, amount)`,
      [organisationId, padding, count],
    );
  });
  return organisationId;
}

/** Ends the server's side of every connection on which rows are read in batches. */
async function cutOffReaders(): Promise<void> {
  const root = new Client(billing.database.superuserUrl);
  await root.connect();
  await root.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'FETCH%row_batches'",
    [billing.database.name],
  );
  await root.end();
}

describe('an export of the ledger', () => {
  it('has every movement once, oldest first, as it was when reading began', async () => {
    const organisationId = await withMovements(1_300);
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of billing.exports.exportCreditTransactions({}, admin(organisationId))) {
      // Each is later than those that are read, and would be behind them.
      if (chunks.length < 2) await billing.grant(organisationId, 1);
      chunks.push(chunk);
    }
    const records = parse<Record<string, string>>(Buffer.concat(chunks).toString(), { columns: true });
    expect(records).toHaveLength(1_300);
    expect(new Set(records.map(({ id }) => id)).size).toBe(1_300);
    const times = records.map(({ created_at: at }) => at ?? '');
    expect(times).toEqual(times.toSorted());
    expect(records[0]).toMatchObject({ available_change_micros: '7', purpose: '\'=HYPERLINK("x")' });
  });

  it('can be narrowed to a period, a kind, a client group, a key and a member', async () => {
    const organisationId = newOrganisation();
    const [clientGroupId, apiKeyId, memberId] = [newId(), newId(), newId()];
    await billing.grant(organisationId, 10);
    await billing.book(organisationId, 1, { clientGroupId, apiKeyId, memberId, workId: 'run_theirs' });
    await billing.book(organisationId, 2, { workId: 'run_nobodys' });
    const works = async (request: Parameters<Exports['exportCreditTransactions']>[0]) =>
      (await recordsOf(billing.exports.exportCreditTransactions(request, admin(organisationId)))).map(
        ({ work_id: work }) => work,
      );
    expect(await works({})).toEqual(['', 'run_theirs', 'run_nobodys']);
    expect(await works({ kind: ['DEBIT'] })).toEqual(['run_theirs', 'run_nobodys']);
    for (const narrowed of [{ clientGroupId }, { apiKeyId }, { memberId }])
      expect(await works(narrowed)).toEqual(['run_theirs']);
    expect(await works({ createdBefore: new Date(0) })).toEqual([]);
    const [first] = await recordsOf(billing.exports.exportCreditTransactions({}, admin(organisationId)));
    const from = new Date(first?.['created_at'] ?? '');
    expect(await works({ createdAfter: from })).toHaveLength(3);
    expect(await works({ createdBefore: from })).toEqual([]);
  });

  it('is one of two at a time of an organisation, wherever they are read', async () => {
    const organisationId = await withMovements(2_000, 4_000);
    const open = async () => {
      const file = billing.exports.exportCreditTransactions({}, admin(organisationId))[Symbol.asyncIterator]();
      await file.next();
      return file;
    };
    const [one, other] = [await open(), await open()];
    expect(await refusalOf(open())).toMatchObject({ kind: 'rate_limited', code: 'too_many_exports' });
    expect(await textOf(billing.exports.exportCreditTransactions({}, admin(newOrganisation())))).toMatch(/^id,/);
    await one.return?.();
    await waitFor(
      () =>
        open()
          .then((file) => file.return?.().then(() => true))
          .catch(() => false),
      {
        what: 'the end of one to make room',
      },
    );
    await other.return?.();
  });

  it('is one of five at a time in a process, so that slow readers leave connections to everybody else', async () => {
    const open = async (organisationId: string) => {
      const file = billing.exports.exportCreditTransactions({}, admin(organisationId))[Symbol.asyncIterator]();
      await file.next();
      return file;
    };
    const files = [];
    for (let n = 0; n < 2; n += 1) {
      const organisationId = await withMovements(2_000, 4_000);
      files.push(await open(organisationId), await open(organisationId));
    }
    const [third, fourth] = [await withMovements(2_000, 4_000), await withMovements(1)];
    files.push(await open(third));
    expect(await refusalOf(open(fourth))).toMatchObject({ kind: 'unavailable', code: 'busy' });
    for (const file of files) await file.return?.();
    await waitFor(
      () =>
        open(fourth).then(
          (file) => file.return?.().then(() => true),
          () => false,
        ),
      { what: 'the end of the others to make room' },
    );
  });

  it('is broken off, and does not just end, when the database goes away', async () => {
    const organisationId = await withMovements(2_000, 4_000);
    const file = billing.exports.exportCreditTransactions({}, admin(organisationId));
    const read = async () => {
      let messages = 0;
      for await (const _ of file) {
        messages += 1;
        if (messages === 1) await cutOffReaders();
      }
    };
    expect(await refusalOf(read())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('an export of usage', () => {
  it('comes to what the list says, with what is nobody’s', async () => {
    const organisationId = newOrganisation();
    const [clientGroupId, memberId] = [newId(), newId()];
    await billing.grant(organisationId, 10);
    await billing.book(organisationId, 1, { clientGroupId, memberId });
    await billing.book(organisationId, 2, { clientGroupId });
    const records = await recordsOf(billing.exports.exportUsage({}, admin(organisationId)));
    const day = new Date().toISOString().slice(0, 10);
    expect(records).toMatchObject([
      { day, client_group_id: clientGroupId, member_id: '', ai_credits_micros: micros(2) },
      { day, client_group_id: clientGroupId, member_id: memberId, ai_credits_micros: micros(1) },
    ]);
    expect(await recordsOf(billing.exports.exportUsage({ memberId }, admin(organisationId)))).toHaveLength(1);
    const lines = await textOf(billing.exports.exportUsage({ format: 'jsonl' }, admin(organisationId)));
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { ai_credits_micros: 2_000_000, api_key_id: null },
      { ai_credits_micros: 1_000_000, member_id: memberId },
    ]);
  });
});
