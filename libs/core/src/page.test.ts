import { describe, expect, it } from '@jest/globals';
import { parsePosition, positionText } from './page.ts';

describe('positions in a list', () => {
  it('survive the way through a cursor to the millisecond', () => {
    const position = { createdAt: new Date('2026-03-01T12:00:00.007Z'), id: 'org_1,with a comma' };
    expect(parsePosition(positionText(position))).toEqual(position);
  });

  it.each([
    '',
    'x',
    '2026-03-01T12:00:00.007Z',
    '2026-03-01T12:00:00.007Z,',
    '2026-99-01T12:00:00.007Z,a',
    '2026-03-01,a',
  ])('refuse the text %j as a wrong cursor', (text) => {
    expect(() => parsePosition(text)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        violations: [expect.objectContaining({ loc: ['query', 'cursor'] })],
      }),
    );
  });
});
