import { beginningInBytes, beginningOf } from '@platform-backend/core';
import type { KernelMessage } from '../domain/kernel-provider.ts';
import { sizeOf } from '../domain/message-size.ts';
import { kernelMessage, parentIdOf, readHeader } from './jupyter/messages.ts';

/** Says of each message on iopub what is to be passed on instead: itself, nothing, or its beginning and the word that something was cut. */
export interface OutputLimit {
  /** A request begins a new count when the first output answers it, once. */
  readonly expect: (requestId: string) => void;
  readonly pass: (message: KernelMessage) => readonly KernelMessage[];
}

/** Of one message with a stream: gateways carry none above ten MiB, and clients wait for ever for one that is lost. */
const pieceBytes = 2 ** 20;

/** What is longer is not read to show its beginning. */
const maxReadBytes = 64 * 2 ** 20;

/** What clients wait for passes whatever was cut. It is short, or it is not what it says. */
const passes = new Set(['status', 'error', 'execute_input']);
const maxPassedBytes = 64 * 1024;
/** What a message has besides its text, the header of the request among it. */
const headerBytes = 4096;

/** Requests that may still begin a count; older ones are finished long since. */
const maxExpected = 1000;

/** What answers no request counts to the last one, so that nobody gets more by making up requests. */
export function outputLimit(maxBytes: number, session: string): OutputLimit {
  const expected = new Set<string>();
  let current = '';
  let bytes = 0;
  let isCut = false;
  return {
    expect(requestId) {
      expected.add(requestId);
      for (const oldest of expected.size > maxExpected ? expected : []) {
        expected.delete(oldest);
        break;
      }
    },
    pass(message) {
      const type = readHeader(message.header)?.msg_type;
      const parent = parentIdOf(message);
      if (parent !== current && expected.delete(parent)) {
        current = parent;
        bytes = 0;
        isCut = false;
      }
      if (passes.has(type ?? '') && sizeOf(message) < maxPassedBytes) return [message];
      const room = maxBytes - bytes;
      bytes += sizeOf(message);
      const says = (name: string, text: string) =>
        kernelMessage('iopub', 'stream', { name, text }, { session, parent: message.parentHeader });
      if (bytes <= maxBytes) {
        const long = type === 'stream' && sizeOf(message) > pieceBytes ? streamOf(message) : undefined;
        return long ? piecesOf(long.text).map((text) => says(long.name, text)) : [message];
      }
      if (isCut) return [];
      isCut = true;
      const notice = says('stderr', `\nThe output is longer than ${maxBytes} bytes: the rest is not shown.\n`);
      const cut = type === 'stream' && room > 0 ? streamOf(message) : undefined;
      const shown = cut ? piecesOf(beginningAsJson(cut.text, room)).map((text) => says(cut.name, text)) : [];
      return [...shown, notice];
    },
  };
}

/** A text in parts, each of which is one message. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== '';) {
    const piece = beginningAsJson(rest, pieceBytes - headerBytes);
    pieces.push(piece === '' ? rest : piece);
    rest = piece === '' ? '' : rest.slice(piece.length);
  }
  return pieces;
}

/** The beginning of a text that takes so many bytes in JSON, as the message does of which it is cut. */
function beginningAsJson(text: string, maxBytes: number): string {
  // No unit takes less than a byte.
  const json = beginningInBytes(JSON.stringify(beginningOf(text, maxBytes)).slice(1, -1), maxBytes);
  // An escape has up to six characters, and may be cut within.
  for (let end = json.length; end > json.length - 6; end -= 1) {
    try {
      return JSON.parse(`"${json.slice(0, end)}"`) as string;
    } catch {
      // That was within one.
    }
  }
  return '';
}

/** Everything that was written for some time is one message: its beginning is worth being seen, however long it is. */
function streamOf({ content }: KernelMessage): { readonly name: string; readonly text: string } | undefined {
  if (content.length > maxReadBytes) return undefined;
  try {
    const { name, text } = JSON.parse(Buffer.from(content).toString('utf8')) as Record<string, unknown>;
    return typeof text === 'string' ? { name: name === 'stdout' ? 'stdout' : 'stderr', text } : undefined;
  } catch {
    return undefined;
  }
}
