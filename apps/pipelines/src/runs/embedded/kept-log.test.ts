import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import type { LogLine } from '../domain/run-engine.ts';
import { keptLog } from './kept-log.ts';

describe('a log that could not be written for a while', () => {
  it('says afterwards how many lines it lacks, in their place', async () => {
    const written: LogLine[] = [];
    let isUnreachable = true;
    const append = (lines: readonly LogLine[]) => {
      if (isUnreachable) return Promise.reject(new Error('away'));
      written.push(...lines);
      return Promise.resolve();
    };
    const log = keptLog({ append, clock: systemClock, logger: { warn: () => undefined }, maxLines: 10 });
    log.write('first');
    log.write('second');
    await log.end();
    isUnreachable = false;
    log.write('third');
    await log.end();
    expect(written.map(({ number, text }) => [number, text])).toEqual([
      [0, '2 lines could not be kept'],
      [2, 'third'],
    ]);
  });
});
