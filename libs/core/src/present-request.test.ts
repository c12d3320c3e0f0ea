import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.ts';
import { inRequest, presentRequestId } from './present-request.ts';

describe('the present request', () => {
  it('is known to all that it causes, and to nothing else', async () => {
    const deep = async (): Promise<string | undefined> => {
      await Promise.resolve();
      return presentRequestId();
    };
    const both = await Promise.all([inRequest('r1', deep), inRequest('r2', deep), deep()]);
    expect(both).toEqual(['r1', 'r2', undefined]);
  });

  it('stands once in each log line that comes of it, whoever writes it', () => {
    const written: string[] = [];
    const logger = createLogger({ service: 'test', destination: { write: (line) => void written.push(line) } });
    const child = logger.child({ requestId: 'r1' });
    inRequest('r1', () => {
      logger.warn('bare');
      logger.warn({ event: 'a.b' }, 'with fields');
      logger.child({ step: 1 }).warn({ event: 'a.b' }, 'of a child');
      child.warn('of a child that says it');
      logger.warn({ requestId: 'r2' }, 'about another one');
      logger.error(new Error('no'));
    });
    logger.warn('beside it');
    const ids = written.map((line) => line.match(/"requestId":"[^"]*"/g));
    const [own, other] = [['"requestId":"r1"'], ['"requestId":"r2"']];
    expect(ids).toEqual([own, own, own, own, other, own, null]);
    for (const line of written) JSON.parse(line);
  });
});
