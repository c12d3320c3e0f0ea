import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WrongUsage } from '@platform-backend/command-line';
import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/postgres';
import { repetitions } from '@platform-backend/testing';
import { startTestIdentity, type Founder, type TestIdentity } from '../../../test/test-identity.ts';
import type { AuditChains } from '../domain/audit-chain.ts';
import { auditCommands } from '../operate/audit-commands.ts';
import { auditChainStore } from '../store/audit-chain-store.ts';
import { addForeignEntry } from '../store/record-events.ts';

let identity: TestIdentity;
let database: Database;
let chains: AuditChains;
beforeAll(async () => {
  identity = await startTestIdentity();
  const logger = createLogger({ service: 'test', level: 'silent' });
  database = openDatabase({ url: identity.database.appUrl, applicationName: 'chained writers', logger });
  chains = auditChainStore(database);
});
afterAll(async () => {
  await database.close();
  await identity.stop();
});

const entry = (id = newId()) => ({
  ...{ id, createdAt: new Date(), actorType: 'user' as const, actorId: newId(), actorName: 'Ada', onBehalfOf: null },
  ...{ action: 'shelf.created', targetType: 'shelf', targetId: newId(), before: null, requestId: newId() },
  // Whatever JSON can hold has one text in the chain.
  after: { z: 1e21, a: [0.1, -0, 'ß\u2028'], 'b"': { name: null, aa: 1, b: 2 }, at: '2026-05-01T12:00:00.000Z' },
});

/** An organisation with so many entries. */
async function organisationWith(count: number): Promise<string> {
  const organisationId = newId();
  for (let index = 0; index < count; index += 1)
    await database.tenant(organisationId, (trx) => addForeignEntry(trx, organisationId, entry()));
  return organisationId;
}

/** What `npm run audit -- verify` answers, line by line, and its exit code. */
async function verify(...args: string[]): Promise<{ lines: Record<string, unknown>[]; exitCode: unknown }> {
  const lines: Record<string, unknown>[] = [];
  const write = (answer: object) => void lines.push(answer as Record<string, unknown>);
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await auditCommands(() => Promise.resolve({ chains, write, [Symbol.asyncDispose]: () => Promise.resolve() }))[
      'verify'
    ]?.run(args);
    return { lines, exitCode: process.exitCode };
  } finally {
    process.exitCode = before;
  }
}

const verifyOne = async (organisationId: string) => (await verify('--organisation', organisationId)).lines[0];

describe('the entries of an organisation', () => {
  it('are chained in the order of their commits, those of others apart, and all are found whole', async () => {
    const [one, two] = [await organisationWith(3), await organisationWith(2)];
    const founder = await identity.found('Ada');
    const { lines, exitCode } = await verify();
    expect(exitCode).toBeUndefined();
    const of = (id: string) => lines.find(({ organisationId }) => organisationId === id);
    expect(of(one)).toMatchObject({ entries: 3, broken: null, head: expect.stringMatching(/^3:[0-9a-f]{64}$/) });
    expect(of(two)).toMatchObject({ entries: 2, broken: null });
    // Founding writes the organisation, its owner and the default group.
    expect(of(founder.organisation.id)).toMatchObject({ entries: 3, broken: null });
  });

  it('are each in the chain once, and each that was acknowledged, whoever writes beside and whatever is killed', async () => {
    const organisations = [newId(), newId()];
    const written: string[] = [];
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let index = 0; index < repetitions({ usual: 15, long: 300 }); index += 1) {
        const organisationId = organisations[(writer + index) % 2] ?? '';
        const { id } = entry();
        const isKilled = index % 5 === writer % 5;
        const isGivenUp = index % 7 === 6;
        try {
          await database.tenant(organisationId, async (trx) => {
            await addForeignEntry(trx, organisationId, entry(id));
            // The same entry once more, as of an event that came again.
            await addForeignEntry(trx, organisationId, entry(id));
            if (isKilled) await trx.raw('SET CONSTRAINTS audit_entries_chained IMMEDIATE');
            if (isKilled) await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())');
            if (isGivenUp) throw new Error('given up');
          });
          written.push(id);
        } catch {
          // Killed or given up: not acknowledged.
        }
      }
    });
    await Promise.all(writers);
    expect(written.length).toBeGreaterThan(6);
    let chained = 0;
    for (const organisationId of organisations) {
      const { head, broken } = await chains.verify(organisationId);
      expect(broken).toBeNull();
      chained += head.sequence;
    }
    const { rows } = await identity.admin.query<{ entry_id: string }>(
      'SELECT entry_id FROM audit_chain_links WHERE organisation_id = ANY ($1)',
      [organisations],
    );
    expect(rows.map((row) => row.entry_id).sort()).toEqual(written.toSorted());
    expect(chained).toBe(written.length);
  });

  it('of one organisation wait for nobody else, and for each other at the commit alone', async () => {
    const [one, other] = [await organisationWith(1), await organisationWith(1)];
    const begun = Promise.withResolvers<undefined>();
    const finish = Promise.withResolvers<undefined>();
    const open = database.tenant(one, async (trx) => {
      await addForeignEntry(trx, one, entry());
      begun.resolve(undefined);
      await finish.promise;
    });
    await begun.promise;
    // While the first has written and not committed.
    for (const organisationId of [other, one])
      await database.tenant(organisationId, (trx) => addForeignEntry(trx, organisationId, entry()));
    finish.resolve(undefined);
    await open;
    expect([await verifyOne(one), await verifyOne(other)]).toMatchObject([
      { entries: 3, broken: null },
      { entries: 2, broken: null },
    ]);
  });

  it('of changes with If-Match come one after the other as well: none is refused for what is chained beside it', async () => {
    const founder = await identity.found('Ida');
    const { caller, organisation } = founder;
    const groups = await Promise.all(
      Array.from({ length: 20 }, (_, at) => identity.clientGroups.createClientGroup({ name: `of ${at}` }, founder)),
    );
    const changes = groups.map(({ id }) =>
      identity.clientGroups.updateClientGroup(
        { groupId: id, name: 'changed', updateMask: { paths: ['name'] } },
        { caller, ifMatch: '*' },
      ),
    );
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await verifyOne(organisation.id)).toMatchObject({ entries: 43, broken: null });
  });

  it.each([
    ['changed', `UPDATE audit_entries SET actor_name = 'Eve' WHERE id = $1`, 'changed', 2],
    ['changed in what it shows', `UPDATE audit_entries SET after = after || '{"z": 2}' WHERE id = $1`, 'changed', 2],
    ['removed', 'DELETE FROM audit_entries WHERE id = $1', 'entry_missing', 2],
    [
      'removed with its link',
      'WITH gone AS (DELETE FROM audit_entries WHERE id = $1) DELETE FROM audit_chain_links WHERE entry_id = $1',
      'links_missing',
      3,
    ],
    [
      'given to another time',
      `UPDATE audit_entries SET created_at = created_at - interval '1 ms' WHERE id = $1`,
      'changed',
      2,
    ],
  ])('tell of one that was %s', async (_, statement, reason, sequence) => {
    const organisationId = await organisationWith(4);
    await identity.admin.query(statement, [await entryAt(organisationId, 2)]);
    const { lines, exitCode } = await verify('--organisation', organisationId);
    expect(lines).toMatchObject([{ broken: { reason, sequence } }]);
    expect(exitCode).toBe(1);
    expect(
      (await verify()).lines.filter(({ broken }) => broken !== null).map((line) => line['organisationId']),
    ).toContain(organisationId);
  });

  it('tell of the last that was removed with its link, of one beside the chain, and of a chain that was made anew', async () => {
    const shortened = await organisationWith(3);
    const last = await entryAt(shortened, 3);
    await identity.admin.query('DELETE FROM audit_entries WHERE id = $1', [last]);
    await identity.admin.query('DELETE FROM audit_chain_links WHERE entry_id = $1', [last]);
    expect(await verifyOne(shortened)).toMatchObject({ broken: { reason: 'end_differs', sequence: 3 } });

    const beside = await organisationWith(1);
    await identity.admin.query('ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_chained');
    await database.tenant(beside, (trx) => addForeignEntry(trx, beside, entry()));
    await identity.admin.query('ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_chained');
    expect(await verifyOne(beside)).toMatchObject({ broken: { reason: 'not_chained' } });

    const remade = await organisationWith(3);
    const { head } = (await verifyOne(remade)) as { head: string };
    expect((await verify('--organisation', remade, '--head', head)).exitCode).toBeUndefined();
    await identity.admin.query(`UPDATE audit_entries SET actor_name = 'Eve' WHERE organisation_id = $1`, [remade]);
    for (const table of ['audit_chains', 'audit_chain_links'])
      await identity.admin.query(`DELETE FROM ${table} WHERE organisation_id = $1`, [remade]);
    await identity.admin.query(
      'SELECT chain_audit_entry(entry) FROM audit_entries entry WHERE organisation_id = $1 ORDER BY created_at, id',
      [remade],
    );
    expect(await verifyOne(remade)).toMatchObject({ broken: null });
    const noted = await verify('--organisation', remade, '--head', head);
    expect(noted).toMatchObject({ exitCode: 1, lines: [{ broken: { reason: 'noted_head_differs', sequence: 3 } }] });
  });

  it('of a deleted organisation stay, with their chain', async () => {
    const founder: Founder = await identity.found('Gus');
    await identity.organisations.deleteCurrentOrganisation({}, founder);
    expect(await verifyOne(founder.organisation.id)).toMatchObject({ entries: 4, broken: null });
  });

  it('cannot be taken out of the chain by the service', async () => {
    for (const statement of [
      'UPDATE audit_chain_links SET hash = hash',
      'DELETE FROM audit_chain_links',
      'DELETE FROM audit_chains',
    ])
      await expect(database.knex.raw(statement)).rejects.toThrow('permission denied');
  });

  it('of an organisation of which there are none are not called whole', async () => {
    const { lines, exitCode } = await verify('--organisation', newId());
    expect(lines).toMatchObject([{ entries: 0, broken: { reason: 'no_entries', sequence: null, entryId: null } }]);
    expect(exitCode).toBe(1);
  });

  it('are verified against a head that makes sense', async () => {
    await expect(verify('--head', `1:${'0'.repeat(64)}`)).rejects.toThrow(WrongUsage);
    await expect(verify('--organisation', newId(), '--head', 'x')).rejects.toThrow(WrongUsage);
  });
});

async function entryAt(organisationId: string, sequence: number): Promise<string> {
  const { rows } = await identity.admin.query<{ entry_id: string }>(
    'SELECT entry_id FROM audit_chain_links WHERE organisation_id = $1 AND sequence = $2',
    [organisationId, sequence],
  );
  return rows[0]?.entry_id ?? '';
}
