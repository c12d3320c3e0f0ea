import { describe, expect, it } from '@jest/globals';
import { eventNames, noon, organisation } from '../examples.ts';
import { applySubscription, changeOrganisation, deleteOrganisation } from './change-organisation.ts';
import { firstSubscription, type Subscription } from './organisation.ts';

const team: Subscription = { ...firstSubscription(noon), version: 2n, tier: 'TEAM', maxMemberLimit: 20, hasPlan: true };

describe('changing an organisation', () => {
  it('keeps the fields that are not given', () => {
    const { result, events } = changeOrganisation(organisation(), { name: 'Acme 2' }, noon);
    expect(result).toMatchObject({ name: 'Acme 2', email: 'hello@acme.com' });
    expect(events[0]?.change).toEqual({ before: { name: 'Acme' }, after: { name: 'Acme 2' } });
  });

  it('changes nothing and tells nothing when all is so already', () => {
    const before = organisation();
    const decision = changeOrganisation(before, { name: 'Acme' }, noon);
    expect(decision).toEqual({ state: before, events: [], result: before });
    expect(decision.state).toBe(before);
  });
});

describe('applying what billing says', () => {
  it('takes over a newer version', () => {
    const decision = applySubscription(organisation(), team, noon);
    expect(decision.state.subscription).toBe(team);
    expect(eventNames(decision)).toEqual(['organisation.updated']);
  });

  it('ignores the same version again and an older one, as reports may come twice and out of order', () => {
    const known = organisation({ subscription: team });
    for (const version of [2n, 1n]) {
      expect(applySubscription(known, { ...team, version, tier: 'BASIC' }, noon).state).toBe(known);
    }
  });

  it('remembers a newer version that changes nothing visible, without telling anybody', () => {
    const decision = applySubscription(organisation({ subscription: team }), { ...team, version: 3n }, noon);
    expect(decision.state.subscription.version).toBe(3n);
    expect(decision.events).toEqual([]);
  });
});

describe('deleting an organisation', () => {
  it('tells what it was', () => {
    expect(deleteOrganisation(organisation(), noon).events).toMatchObject([
      { name: 'organisation.deleted', change: { before: { name: 'Acme' }, after: null } },
    ]);
  });
});
