import { describe, expect, it } from '@jest/globals';
import type { ActorContext } from '@platform-backend/core';
import { versionAfter } from './convention-version.ts';
import type { Convention } from './convention.ts';

const by: ActorContext = {
  organisationId: 'ours',
  actor: { type: 'user', id: 'ann', name: 'Ann', userId: 'ann', level: 'EDITOR' },
  requestId: 'request',
};
const noon = new Date('2026-01-01T12:00:00Z');
const convention: Convention = { id: 'c', title: 'Tone', content: 'Be brief.', createdAt: noon, updatedAt: noon };

describe('the history of a convention', () => {
  it('says of each change what it left, which fields it changed and who made it', () => {
    expect(versionAfter(by, 'v1', undefined, convention)).toEqual({
      id: 'v1',
      conventionId: 'c',
      createdAt: noon,
      actor: { type: 'user', id: 'ann', name: 'Ann' },
      changedFields: ['title', 'content'],
      title: 'Tone',
      content: 'Be brief.',
    });
    const changed = { ...convention, content: 'Be kind.' };
    expect(versionAfter(by, 'v2', convention, changed)).toMatchObject({ changedFields: ['content'], title: 'Tone' });
  });

  it('has nothing of a change that changed nothing', () => {
    expect(versionAfter(by, 'v2', convention, convention)).toBeUndefined();
  });
});
