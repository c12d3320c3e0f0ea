import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import fc from 'fast-check';
import type { KernelMessage } from '../domain/kernel-provider.ts';
import { MAX_BUFFERS } from '../domain/message-frame.ts';
import { framingFor, type Frame, type Framing } from './channel-frames.ts';

const framings: [string, Framing][] = [
  ['named', framingFor('other, v1.kernel.websocket.jupyter.org')],
  ['of clients that name none', framingFor('')],
];

const json = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => Buffer.from(JSON.stringify(value)));
const messages: fc.Arbitrary<KernelMessage> = fc.record({
  channel: fc.constantFrom('shell', 'control', 'stdin'),
  header: json,
  parentHeader: json,
  metadata: json,
  content: json,
  buffers: fc.array(
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    { maxLength: MAX_BUFFERS },
  ),
});

const frames: fc.Arbitrary<Frame> = fc.oneof(
  fc.uint8Array({ maxLength: 600 }).map((binary) => ({ binary })),
  fc.string({ maxLength: 200 }).map((text) => ({ text })),
  fc.json().map((text) => ({ text })),
  fc
    .record({ channel: fc.jsonValue(), header: fc.jsonValue(), content: fc.jsonValue(), metadata: fc.jsonValue() })
    .map((message) => ({ text: JSON.stringify(message) })),
);

/** Any error but that for bad input fails the test: it would be ours, and in the log. */
function isRead(framing: Framing, frame: Frame): boolean {
  try {
    framing.decode(frame);
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'bad_frame') return false;
    throw error;
  }
}

describe.each(framings)('a frame of the subprotocol %s', (_, framing) => {
  it('gives every message back as it was', () => {
    fc.assert(fc.property(messages, (message) => expect(framing.decode(framing.encode(message))).toEqual(message)));
  });

  it('is a message or refused as bad input, whatever it is', () => {
    fc.assert(
      fc.property(frames, (frame) => void isRead(framing, frame)),
      { numRuns: 2_000 },
    );
  });

  it('is a message or refused as bad input, whichever of its bytes are changed', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(messages, changes, (message, changed) => {
        const { text, binary } = framing.encode({ ...message, buffers: [Buffer.from('1')] });
        const bytes = Buffer.from(binary ?? text ?? '');
        for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
        isRead(framing, { binary: bytes });
        isRead(framing, { text: bytes.toString('latin1') });
      }),
      { numRuns: 1_000 },
    );
  });

  it('is nothing that a kernel alone may say', () => {
    const part = Buffer.from('{}');
    const parts = { header: part, parentHeader: part, metadata: part, content: part, buffers: [] };
    expect(isRead(framing, framing.encode({ channel: 'iopub', ...parts }))).toBe(false);
  });
});

describe('a message for a client that names no subprotocol', () => {
  it('has its id and its type beside its header, as those of a Jupyter Server', () => {
    const parts = { parentHeader: Buffer.from('{}'), metadata: Buffer.from('{}'), content: Buffer.from('{}') };
    const textOf = (header: string) => {
      const { text } = framingFor('').encode({ channel: 'iopub', header: Buffer.from(header), ...parts, buffers: [] });
      return JSON.parse(text ?? '') as object;
    };
    expect(textOf('{"msg_id":"a\\"b","msg_type":"status"}')).toMatchObject({
      ...{ channel: 'iopub', msg_id: 'a"b', msg_type: 'status', header: { msg_id: 'a"b', msg_type: 'status' } },
    });
    expect(textOf('{}')).toMatchObject({ msg_id: '', msg_type: '', header: {} });
  });
});

describe('a text of a client that names no subprotocol', () => {
  it.each([
    ['nothing', 'null'],
    ['a list', '[]'],
    ['one nested without end', `{"header":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},"content":{}}`],
    ['one of more than 8 MiB, in bytes', `{"header":{},"content":{"code":"${'語'.repeat(2_800_000)}"}}`],
    ['a channel that is no text', '{"channel":{},"header":{},"content":{}}'],
  ])('is refused as bad input if it is %s', (_, text) => {
    expect(isRead(framingFor(''), { text })).toBe(false);
  });
});
