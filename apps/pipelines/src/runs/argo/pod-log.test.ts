import { describe, expect, it } from '@jest/globals';
import { MAX_LOG_LINES } from '../domain/limits.ts';
import { linesOfPod } from './pod-log.ts';

const time = '2026-07-01T12:00:00.123456789Z';
const at = new Date('2026-07-01T12:00:00.123Z');

describe('the log of a pod', () => {
  it('is what its program has written, without the lines of the executor around it', () => {
    const log = [
      `${time} time=2026-11-22T04:49:27.022Z level=INFO msg="waiting for signals" argo=true signalPath=/x`,
      `${time} time=2026-11-22T04:49:27.022Z level=INFO msg="waiting for signals" signalPath=/x argo=true`,
      `${time} 3 rows have no id`,
      `${time} time=2026-11-22T04:49:27.023Z level=INFO msg="sub-process exited" argo=true error="exit status 3"`,
      `${time} `,
      `${time} Error: exit status 3`,
      '',
    ].join('\n');
    expect(linesOfPod(log)).toEqual([
      { number: 0, at, text: '3 rows have no id' },
      { number: 1, at, text: '' },
    ]);
  });

  it('has an end that says so where there were too many lines', () => {
    const lines = linesOfPod(Array.from({ length: MAX_LOG_LINES + 5 }, () => `${time} x`).join('\n'));
    expect(lines).toHaveLength(MAX_LOG_LINES + 1);
    expect(lines.at(-1)).toMatchObject({ number: MAX_LOG_LINES, text: expect.stringContaining('More than') });
  });
});
