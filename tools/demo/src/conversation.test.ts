import { describe, expect, it } from '@jest/globals';
import { readable, shortened } from './conversation.ts';

describe('printing a conversation', () => {
  it('shows only the beginning of a credential', () => {
    expect(shortened('Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl')).toBe('Bearer eyJhbGciO…');
    expect(shortened('application/json')).toBe('application/json');
  });

  it('keeps short JSON on one line and spreads long JSON', () => {
    expect(readable({ name: 'Ada' })).toBe('{"name":"Ada"}');
    expect(readable({ text: 'x'.repeat(120) }).split('\n')).toHaveLength(3);
  });
});
