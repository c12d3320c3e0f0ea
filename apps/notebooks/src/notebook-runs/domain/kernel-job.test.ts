import { describe, expect, it } from '@jest/globals';
import { exceptionFailure, goneFailure } from './kernel-job.ts';
import { readFinding } from './program-check.ts';

/** Of an odd length before each of its characters, which have two units each. */
const long = `.${'😀'.repeat(5_000)}`;

describe('why a program fails', () => {
  it('is said in few words and whole characters: who keeps it as JSON would be refused half of one', () => {
    const messages = [
      exceptionFailure('Error', long, null).message,
      goneFailure(long, null).message,
      readFinding(JSON.stringify({ cellIndex: 0, message: long, line: 1, column: 1 }))?.message ?? '',
    ];
    expect(messages.map((message) => message.isWellFormed())).toEqual([true, true, true]);
    expect(messages.map((message) => message.length)).toEqual([2_000, 1_999, 999]);
  });

  it('is the end of its kernel, whether the kernel says so itself or is found dead', () => {
    const reason = 'It needed more memory than 1024 MB';
    expect(exceptionFailure('DeadKernelError', reason, 2)).toEqual(goneFailure(reason, 2));
    expect(goneFailure(reason, 2).code).toBe('out_of_memory');
  });
});
