import { describe, expect, it } from '@jest/globals';
import { keepingHidden, withoutHidden, type AssistantSources } from './hidden-sources.ts';

const before: AssistantSources = {
  documentIds: ['a', 'secret', 'b'],
  collections: ['closed', 'open'],
  toolServerIds: ['locked'],
};
const hidden = {
  documentIds: new Set(['secret', 'elsewhere']),
  collections: new Set(['closed']),
  toolServerIds: new Set(['locked']),
};

describe('what an assistant looks at and whoever changes it may not open', () => {
  it('is not shown, and all else is as it was where what was shown is sent back', () => {
    const shown = withoutHidden(before, hidden);
    expect(shown).toEqual({ documentIds: ['a', 'b'], collections: ['open'], toolServerIds: [] });
    expect(keepingHidden(shown, before, hidden)).toEqual(before);
  });

  it('stays behind what is wanted in place of what was shown', () => {
    expect(keepingHidden({ documentIds: ['b', 'a'], collections: [] }, before, hidden)).toEqual({
      ...{ documentIds: ['b', 'a', 'secret'], collections: ['closed'] },
    });
  });
});
