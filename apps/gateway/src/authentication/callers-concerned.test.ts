import { describe, expect, it } from '@jest/globals';
import { callersConcerned } from './callers-concerned.ts';

const concerned = (name: string, data: Record<string, unknown> = {}) =>
  callersConcerned({
    ...{ id: 'e', source: '/platform/identity', type: `platform.v1.identity.${name}`, organisationId: 'org' },
    ...{ subject: 's', time: new Date(), data },
  });

describe('callers who are forgotten at an event', () => {
  it.each(['added', 'removed', 'suspended', 'reactivated', 'level_changed'])(
    'are one person, whose membership was %s',
    (verb) => expect(concerned(`member.${verb}`, { user_id: 'ada' })).toEqual({ userId: 'ada' }),
  );

  it.each(['updated', 'rotated', 'revoked'])('are one key, which was %s', (verb) =>
    expect(concerned(`api_key.${verb}`, { api_key_id: 'k', user_id: 'ada' })).toEqual({ apiKeyId: 'k' }),
  );

  it('are none where nobody has less than before', () => {
    for (const name of [
      'api_key.created',
      'member.invited',
      'member.invitation_withdrawn',
      'member.invitation_declined',
    ])
      expect(concerned(name, { user_id: 'ada' })).toBeUndefined();
    expect(concerned('member.level_changed', { user_id: null })).toBeUndefined();
  });

  it('are all of an organisation that was deleted, or of which something is told that is not known here', () => {
    for (const name of ['organisation.deleted', 'member.cloned', 'api_key.lent'])
      expect(concerned(name)).toEqual({ organisationId: 'org' });
  });
});
