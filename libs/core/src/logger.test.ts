import { describe, expect, it } from '@jest/globals';
import { createLogger, type Logger } from './logger.ts';

function recorded(level?: string): { logger: Logger; lines: () => Record<string, unknown>[]; text: () => string } {
  const written: string[] = [];
  const logger = createLogger({
    service: 'identity',
    level,
    destination: { write: (line: string) => void written.push(line) },
  });
  return {
    logger,
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
    text: () => written.join(''),
  };
}

describe('a log line', () => {
  it('is one JSON object with level by name, ISO time and service', () => {
    const { logger, lines, text } = recorded();
    logger.info({ groupId: 'g1' }, 'made');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        service: 'identity',
        groupId: 'g1',
        msg: 'made',
      },
    ]);
    expect(text().endsWith('}\n')).toBe(true);
  });

  it.each([
    { authorization: 'hunter2' },
    { headers: { authorization: 'hunter2', cookie: 'hunter2', 'api-key': 'hunter2', 'set-cookie': ['hunter2'] } },
    { req: { headers: { Authorization: 'hunter2', 'Api-Key': 'hunter2' } } },
    { password: 'hunter2', user: { password: 'hunter2' } },
    { a: { b: { c: { d: { token: 'hunter2', secret: { deep: 'hunter2' } } } } } },
    { configuration: { privateKey: { d: 'hunter2' }, client_secret: 'hunter2', accessToken: 'hunter2' } },
    { list: [{ apiKey: 'hunter2' }] },
  ])('never shows what stands under a secret name (%#)', (fields) => {
    const { logger, text } = recorded();
    logger.info(fields, 'careful');
    logger.child(fields).info('careful');
    expect(text()).toContain('[redacted]');
    expect(text()).not.toContain('hunter2');
  });

  it('shows an error with its stack and cause, but not a secret it carries', () => {
    const { logger, text, lines } = recorded();
    logger.error({
      err: Object.assign(new Error('failed', { cause: new Error('deeper') }), { config: { password: 'hunter2' } }),
    });
    expect(lines()[0]).toMatchObject({
      err: { message: expect.stringContaining('failed'), stack: expect.stringContaining('deeper') },
    });
    expect(text()).not.toContain('hunter2');
  });

  it('is not written below the level', () => {
    const { logger, lines } = recorded('warn');
    logger.info('quiet');
    logger.warn('loud');
    expect(lines()).toHaveLength(1);
  });

  it('is written at info when the level is unknown', () => {
    expect(recorded('verbos').logger.level).toBe('info');
  });
});
