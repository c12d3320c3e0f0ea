import { describe, expect, it } from '@jest/globals';
import { sizeOf } from '../domain/message-size.ts';
import { kernelMessage } from './jupyter/messages.ts';
import { outputLimit } from './output-limit.ts';

const session = 'the session';
const parent = Buffer.from(JSON.stringify({ msg_id: 'cell', msg_type: 'execute_request', session }));
const printed = (text: string) => kernelMessage('iopub', 'stream', { name: 'stdout', text }, { session, parent });

const shown = (limit: ReturnType<typeof outputLimit>, text: string): { name: string; text: string }[] =>
  limit.pass(printed(text)).map(({ content }) => JSON.parse(Buffer.from(content).toString()) as never);

describe('the limit of what a cell says', () => {
  it('shows the beginning of what is too long, says so once, and shows nothing more', () => {
    const limit = outputLimit(1_000, session);
    limit.expect('cell');
    const [beginning, notice, ...more] = shown(limit, `begun${'x'.repeat(5_000)}`);
    expect(beginning).toEqual({ name: 'stdout', text: `begun${'x'.repeat(995)}` });
    expect(notice).toMatchObject({ name: 'stderr', text: expect.stringContaining('longer than 1000 bytes') });
    expect([more, shown(limit, 'more')]).toEqual([[], []]);
  });

  it.each([
    ['of three bytes each', '語', 333],
    ['of two units each, none of which is cut in two', '😀', 250],
    ['that take more bytes in JSON, in which they travel', '\n', 500],
    ['that take six bytes in JSON', '\u0001', 166],
  ])('counts in bytes: characters %s', (_, character, max) => {
    const limit = outputLimit(1_000, session);
    limit.expect('cell');
    const [beginning] = shown(limit, character.repeat(5_000));
    expect(beginning?.text).toBe(character.repeat(max));
  });

  it('comes in pieces that every gateway carries, cut or not', () => {
    const limit = outputLimit(10 * 2 ** 20, session);
    limit.expect('cell');
    const text = '\n😀'.repeat(400_000);
    const pieces = limit.pass(printed(text));
    expect(pieces.length).toBeGreaterThan(2);
    expect(Math.max(...pieces.map(sizeOf))).toBeLessThanOrEqual(2 ** 20);
    const texts = (messages: typeof pieces) =>
      messages.map(({ content }) => (JSON.parse(Buffer.from(content).toString()) as { text: string }).text);
    expect(texts(pieces).join('') === text).toBe(true);
    const cut = limit.pass(printed('x'.repeat(20 * 2 ** 20)));
    expect(Math.max(...cut.map(sizeOf))).toBeLessThanOrEqual(2 ** 20);
    expect(texts(cut).at(-1)).toContain('the rest is not shown');
  });

  it('lets pass what is not too long', () => {
    const limit = outputLimit(1_000, session);
    limit.expect('cell');
    expect(shown(limit, 'a')).toEqual([{ name: 'stdout', text: 'a' }]);
  });

  it('lets states pass when the rest is cut, and no output that calls itself one', () => {
    const limit = outputLimit(1_000, session);
    limit.expect('cell');
    shown(limit, 'x'.repeat(5_000));
    const status = (content: object) => limit.pass(kernelMessage('iopub', 'status', content, { session, parent }));
    expect(status({ execution_state: 'idle' })).toHaveLength(1);
    expect(status({ execution_state: 'x'.repeat(70_000) })).toEqual([]);
  });
});
