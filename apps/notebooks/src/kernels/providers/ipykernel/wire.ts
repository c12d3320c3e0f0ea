import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Channel, KernelMessage } from '../../domain/kernel-provider.ts';
import { MAX_BUFFERS } from '../../domain/message-frame.ts';

/** Jupyter's messages on ZeroMQ: identities or a topic, a delimiter, a signature, the four texts and the buffers. */

const delimiter = Buffer.from('<IDS|MSG>');

export function toFrames(message: KernelMessage, key: string): Buffer[] {
  const texts = textsOf(message);
  return [
    delimiter,
    Buffer.from(signature(texts, key)),
    ...texts,
    ...message.buffers.map((buffer) => Buffer.from(buffer)),
  ];
}

/** Undefined for what is no message, has too many buffers or was not signed with the key. */
export function fromFrames(channel: Channel, frames: readonly Buffer[], key: string): KernelMessage | undefined {
  const start = frames.findIndex((frame) => frame.equals(delimiter));
  const [signed, header, parentHeader, metadata, content, ...buffers] = frames.slice(start + 1);
  if (start === -1 || !signed || !header || !parentHeader || !metadata || !content) return undefined;
  if (buffers.length > MAX_BUFFERS) return undefined;
  const message: KernelMessage = { channel, header, parentHeader, metadata, content, buffers };
  const expected = Buffer.from(signature(textsOf(message), key));
  return signed.length === expected.length && timingSafeEqual(signed, expected) ? message : undefined;
}

const textsOf = ({ header, parentHeader, metadata, content }: KernelMessage): Buffer[] =>
  [header, parentHeader, metadata, content].map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength));

function signature(texts: readonly Buffer[], key: string): string {
  const hmac = createHmac('sha256', key);
  for (const text of texts) hmac.update(text);
  return hmac.digest('hex');
}
