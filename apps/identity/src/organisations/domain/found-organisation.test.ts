import { describe, expect, it } from '@jest/globals';
import { eventNames, noon } from '../../../test/examples.ts';
import { foundOrganisation } from './found-organisation.ts';
import { firstSubscription } from './organisation.ts';

const decision = foundOrganisation(
  { id: 'org_1', memberId: 'm1', groupId: 'g1', email: 'hello@acme.com', name: 'Acme', imageUrl: '' },
  { id: 'u1', name: 'Ada', email: 'ada@acme.com' },
  noon,
);

describe('founding an organisation', () => {
  it('makes its founder the OWNER', () => {
    expect(decision.state.owner).toMatchObject({ level: 'OWNER', status: 'active', user: { id: 'u1' } });
  });

  it('starts it with a default client group', () => {
    expect(decision.state.defaultGroup).toMatchObject({ id: 'g1', isDefault: true, archived: false });
  });

  it('starts it on the BASIC tier with five seats', () => {
    expect(decision.state.organisation.subscription).toMatchObject({
      tier: 'BASIC',
      maxMemberLimit: 5,
      hasPlan: false,
    });
  });

  it('gives its seats a cycle of one month, shortened where the next month has no such day', () => {
    expect(decision.state.organisation.subscription.seatsExpiredAt).toEqual(new Date('2026-06-01T12:00:00.000Z'));
    const endOfJanuary = firstSubscription(new Date('2026-01-31T08:00:00.000Z'));
    expect(endOfJanuary.seatsExpiredAt).toEqual(new Date('2026-02-28T08:00:00.000Z'));
  });

  it('tells of all three', () => {
    expect(eventNames(decision)).toEqual(['organisation.created', 'member.added', 'client_group.created']);
  });
});
