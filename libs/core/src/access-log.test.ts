import { describe, expect, it } from '@jest/globals';
import { symbols } from 'pino';
import { accessLogOf, type AccessLog } from './access-log.ts';
import { createLogger } from './logger.ts';

/** What is written beside a logger of that level, with the levels that the destination was told. */
function record(level: string, log: (accessLog: AccessLog) => void): { lines: unknown[]; levels: unknown[] } {
  const [lines, levels]: unknown[][] = [[], []];
  const destination = {
    [symbols.needsMetadataGsym]: true as const,
    lastLevel: 0,
    write(line: string) {
      lines?.push(JSON.parse(line));
      levels?.push(destination.lastLevel);
    },
  };
  log(accessLogOf(createLogger({ service: 'gateway', level, destination })));
  return { lines: lines ?? [], levels: levels ?? [] };
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('the access log', () => {
  it('writes lines of the same form as the logger it stands beside, and tells where they go of their level', () => {
    const { lines, levels } = record('info', (log) => {
      log.info({ route: '/"things"/', status: 200, code: undefined, caller: { userId: 'u' } }, 'request');
      log.warn({}, 'call');
      log.error({ status: 500 }, 'a "call"');
    });
    const common = { time, service: 'gateway' };
    expect(lines).toEqual([
      { level: 'info', ...common, route: '/"things"/', status: 200, caller: { userId: 'u' }, msg: 'request' },
      { level: 'warn', ...common, msg: 'call' },
      { level: 'error', ...common, status: 500, msg: 'a "call"' },
    ]);
    expect(levels).toEqual([30, 40, 50]);
  });

  it('is silent below that logger’s level', () => {
    const { lines } = record('warn', (log) => {
      log.info({ status: 200 }, 'request');
      log.warn({ status: 500 }, 'request');
    });
    expect(lines).toEqual([expect.objectContaining({ level: 'warn' })]);
  });

  it('says of a line that cannot be written that there was one', () => {
    const { lines } = record('info', (log) => log.info({ status: 200n }, 'request'));
    expect(lines).toEqual([{ level: 'info', time, service: 'gateway', msg: 'a log line could not be written' }]);
  });
});
