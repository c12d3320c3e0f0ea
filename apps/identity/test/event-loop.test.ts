import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@platform-backend/service';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { maxClientGroupContent } from '../src/client-groups/domain/client-group-content.ts';
import { startTestIdentity, type Founder, type TestIdentity } from './test-identity.ts';

/** How often the yardstick fits into the longest time in which nothing else is done: 50 ms where it takes 3.5. */
const maxYardsticks = 14;
/** A collection of garbage falls into some, so what was quick enough once is quick enough. */
const rounds = 10;

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

let service: ChildProcess;
let identity: TestIdentity;
let founder: Founder;
beforeAll(async () => {
  identity = await startTestIdentity({ run });
  founder = await identity.found('Ada');
});
afterAll(() => identity.stop());

/** Runs the service as it runs in production, with one who watches its loop. */
async function run(environment: Readonly<Record<string, string>>): Promise<RunningService> {
  service = spawn(process.execPath, ['--import', path('./loop-watch.ts'), path('../src/main.ts')], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(service, 'exit');
  for await (const line of createInterface({ input: service.stdout ?? process.stdin })) {
    const { ready, ...addresses } = JSON.parse(line) as { ready?: boolean } & Omit<RunningService, 'stop'>;
    if (!ready) continue;
    service.stdout?.resume();
    return {
      ...addresses,
      stop: async () => {
        service.kill('SIGTERM');
        await exited;
      },
    };
  }
  throw new Error('the service ended before it was ready');
}

async function ask(question: 'yardstick' | 'longest block'): Promise<number> {
  service.send(question);
  const [milliseconds] = (await once(service, 'message')) as [number];
  return milliseconds;
}

/** For how many yardsticks at a time the service does nothing else while it answers each of the calls. */
async function maxBlocks(calls: Readonly<Record<string, () => Promise<unknown>>>) {
  const blocks: [name: string, yardsticks: number][] = [];
  for (const [name, call] of Object.entries(calls)) {
    let best = Infinity;
    for (let round = 0; round < rounds && best > maxYardsticks; round++) {
      const yardstick = await ask('yardstick');
      await ask('longest block');
      await call();
      best = Math.min(best, (await ask('longest block')) / yardstick);
    }
    blocks.push([name, best]);
  }
  return blocks;
}

const tooLong = (blocks: readonly (readonly [string, number])[]) => blocks.filter(([, block]) => block > maxYardsticks);

const organisationId = () => founder.organisation.id;

/** Access lists of very many very short entries, which take longest for their bytes, about so many in all. */
const entries = (bytes: number) => `(
  SELECT jsonb_agg(entry) FROM (
    SELECT jsonb_object_agg('k' || i, '') AS entry
    FROM generate_series(1, greatest(1, ${Math.floor(bytes / 14)})) i GROUP BY i / 100
  ) AS entries)`;

/** A group that holds as much as a group may, in so many members. */
async function fullGroup(members: number): Promise<string> {
  const { id } = await identity.clientGroups.createClientGroup({ name: `of ${members}` }, founder);
  const bytes = Math.floor((0.95 * maxClientGroupContent.bytes) / members) - 200;
  await identity.fillGroup(founder, id, members, entries(bytes));
  return id;
}

const aPage = { limit: 200 };

describe('the event loop of the service', () => {
  it.each([6, 1000])('is soon free again while the largest client group is read, of %d members', async (members) => {
    const groupId = await fullGroup(members);
    const { clientGroups, audit } = identity;
    const whole = await clientGroups.getClientGroup({ groupId }, founder);
    expect(Buffer.byteLength(JSON.stringify(whole))).toBeGreaterThan(0.5 * maxClientGroupContent.bytes);
    const memberId = whole.members[0]?.id ?? '';
    const rename = () => ({ groupId, name: `${Math.random()}`, updateMask: { paths: ['name'] } });
    const blocks = await maxBlocks({
      group: () => clientGroups.getClientGroup({ groupId }, founder),
      'renamed group': () => clientGroups.updateClientGroup(rename(), founder),
      members: () => clientGroups.listClientMembers({ groupId, ...aPage }, founder),
      'changed member': () => clientGroups.updateClientMember({ ...rename(), memberId }, founder),
      'audit log': () => audit.listAuditEntries({ targetId: groupId, ...aPage }, founder),
    });
    expect(tooLong(blocks)).toEqual([]);
  });

  it('is soon free again while the longest lists there can be are read', async () => {
    await identity.admin.query(
      `INSERT INTO client_groups (id, organisation_id, name, description, archived, is_default, usage, usage_version,
         asset_access, folder_access, file_access, created_at)
       SELECT gen_random_uuid(), $1, repeat('n', 120), repeat('d', 500), false, false, '{"requests": 3}', 1,
         ${entries(60_000)}, '[]', '[]', now() FROM generate_series(1, 200)`,
      [organisationId()],
    );
    await identity.admin.query(
      `INSERT INTO audit_entries (id, organisation_id, actor_type, actor_id, actor_name, action, target_type, target_id,
         before, after, request_id, created_at)
       SELECT gen_random_uuid(), $1, 'user', 'u', 'Ada', 'client_group.updated', 'client_group', 'g',
         jsonb_build_object('folder_access', ${entries(30_000)}), jsonb_build_object('folder_access', ${entries(30_000)}),
         'r', now() FROM generate_series(1, 200)`,
      [organisationId()],
    );
    await identity.admin.query(
      `INSERT INTO api_keys (id, organisation_id, member_id, name, prefix, scopes, created_at)
       SELECT gen_random_uuid(), organisation_id, id, repeat('k', 2000), 'pk_12345678', array_fill(repeat('a', 46), '{64}'), now()
       FROM members, generate_series(1, 200) WHERE organisation_id = $1`,
      [organisationId()],
    );
    const blocks = await maxBlocks({
      'client groups': () => identity.clientGroups.listClientGroups(aPage, founder),
      'audit log': () => identity.audit.listAuditEntries(aPage, founder),
      'API keys': () => identity.apiKeys.listApiKeys(aPage, founder),
    });
    expect(tooLong(blocks)).toEqual([]);
  });

  it('is soon free again while ten thousand members of an organisation are read', async () => {
    await identity.admin.query(
      `WITH people AS (
         INSERT INTO users (id, issuer, subject, name, email, email_verified, created_at, updated_at)
         SELECT gen_random_uuid(), 'https://id.test', 'member ' || i, 'Member ' || i, 'member' || i || '@people.example',
           true, now(), now() FROM generate_series(1, 10000) i RETURNING id, email)
       INSERT INTO members (id, organisation_id, user_id, email, normal_email, level, status, invited_by, created_at)
       SELECT gen_random_uuid(), $1, id, email, email, 'VIEWER', 'active', '', now() FROM people`,
      [organisationId()],
    );
    const { organisations, members } = identity;
    const { members: all } = await organisations.getCurrentOrganisation({}, founder);
    expect(all).toHaveLength(10_001);
    const rename = () => ({ name: `${Math.random()}`, updateMask: { paths: ['name'] } });
    const blocks = await maxBlocks({
      organisation: () => organisations.getCurrentOrganisation({}, founder),
      'renamed organisation': () => organisations.updateCurrentOrganisation(rename(), founder),
      organisations: () => organisations.listOrganisations({}, founder),
      members: () => members.listMembers(aPage, founder),
    });
    expect(tooLong(blocks)).toEqual([]);
  });
});
