import { describe, expect, it } from '@jest/globals';
import { accessLogOf } from './access-log.ts';
import { createLogger } from './logger.ts';

const record = (level: string): string[] => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  accessLogOf(createLogger({ service: 'gateway', level, destination })).info({ status: 200 }, 'request');
  return lines;
};

describe('the access log', () => {
  it('writes lines of the same form as the logger it stands beside', () => {
    expect(record('info').map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 'info', time: expect.stringMatching(/Z$/), service: 'gateway', status: 200, msg: 'request' },
    ]);
  });

  it('is silent below that logger’s level', () => {
    expect(record('warn')).toEqual([]);
  });
});
