import { describe, expect, it } from '@jest/globals';
import { markdownOf } from './message-report.ts';

const finished = { isFinished: true, annotations: {} };

describe('a report of a message', () => {
  it('is the message alone where it cites nothing', () => {
    for (const annotations of [{}, { citations: [] }])
      expect(markdownOf({ ...finished, message: 'So it is.', annotations })).toBe('So it is.');
  });

  it('is none of a message that is still written, or says nothing', () => {
    const begun = { ...finished, message: 'Do', isFinished: false };
    expect(() => markdownOf(begun)).toThrow(expect.objectContaining({ code: 'message_not_finished' }));
    const empty = { ...finished, message: ' ' };
    expect(() => markdownOf(empty)).toThrow(expect.objectContaining({ code: 'message_empty' }));
  });
});
