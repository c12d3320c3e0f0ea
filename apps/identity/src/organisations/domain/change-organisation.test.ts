import { describe, expect, it } from '@jest/globals';
import { eventNames, noon, organisation } from '../../../test/examples.ts';
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
    const decision = applySubscription(organisation(), 1, { subscription: team }, noon);
    expect(decision.state.subscription).toEqual(team);
    expect(eventNames(decision)).toEqual(['organisation.updated']);
  });

  it('ignores the same version again and an older one, as reports may come twice and out of order', () => {
    const known = organisation({ subscription: team });
    for (const version of [2n, 1n]) {
      const again = { subscription: { ...team, version, tier: 'BASIC' }, maxActiveMembers: 0 } as const;
      expect(applySubscription(known, 1, again, noon).state).toBe(known);
    }
  });

  it('keeps what it knows of the expiry when billing knows of none', () => {
    const bought = organisation();
    const decision = applySubscription(bought, 1, { subscription: { ...team, seatsExpiredAt: null } }, noon);
    expect(decision.state.subscription).toEqual({ ...team, seatsExpiredAt: bought.subscription.seatsExpiredAt });
  });

  it('remembers a newer version that changes nothing visible, without telling anybody', () => {
    const decision = applySubscription(
      organisation({ subscription: team }),
      1,
      { subscription: { ...team, version: 3n } },
      noon,
    );
    expect(decision.state.subscription.version).toBe(3n);
    expect(decision.events).toEqual([]);
  });
});

describe('fewer seats than active members', () => {
  const fewer = { ...team, maxMemberLimit: 2 };

  it('are refused where billing asks for it, so that no seat in use is given back', () => {
    const apply = () => applySubscription(organisation(), 3, { subscription: fewer, maxActiveMembers: 2 }, noon);
    expect(apply).toThrow('There are more active members than seats asked for');
    expect(
      applySubscription(organisation(), 2, { subscription: fewer, maxActiveMembers: 2 }, noon).state,
    ).toMatchObject({ subscription: fewer });
  });

  it('are accepted where it does not, as nobody is thrown out', () => {
    expect(applySubscription(organisation(), 3, { subscription: fewer }, noon).state.subscription).toEqual(fewer);
  });
});

describe('deleting an organisation', () => {
  it('tells what it was', () => {
    expect(deleteOrganisation(organisation(), noon).events).toMatchObject([
      { name: 'organisation.deleted', change: { before: { name: 'Acme' }, after: null } },
    ]);
  });
});
