import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { startTestIdentity, type TestIdentity } from '../../../test/test-identity.ts';

/** Alone in its file, so that the server counts what is read here and nothing else. */
let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

describe('a change of one member', () => {
  it('reads that member alone, and not the thousand others of the group', async () => {
    const others = 900;
    const founder = await identity.found('Ada');
    const { id: groupId } = await identity.clientGroups.createClientGroup({ name: 'Retail' }, founder);
    await identity.fillGroup(founder, groupId, others);

    const wanted = { groupId, name: 'Ann', email: 'ann@client.example' };
    const { id: memberId } = await identity.clientGroups.addClientMember(wanted, founder);
    const change = { groupId, memberId, name: 'Anne', updateMask: { paths: ['name'] } };
    await identity.clientGroups.updateClientMember(change, founder);
    await identity.clientGroups.removeClientMember({ groupId, memberId }, founder);

    const counted = await waitFor(
      async () => {
        const { rows } = await identity.admin.query<Record<'written' | 'read', string>>(
          `SELECT n_tup_ins + n_tup_upd + n_tup_del AS written, seq_tup_read + coalesce(idx_tup_fetch, 0) AS read
           FROM pg_stat_user_tables WHERE relname = 'client_members'`,
        );
        return rows.find(({ written }) => Number(written) === others + 3);
      },
      { what: 'the server to count what was read and written' },
    );
    expect(Number(counted.read)).toBeLessThan(20);
  }, 90_000);
});
