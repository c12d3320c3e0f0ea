import { newId } from '@platform-backend/core';
import type { KernelMessage } from '../../kernels/domain/kernel-provider.ts';
import type { Json } from '../../notebooks/domain/json.ts';

/** What a job says to its kernel. */
export interface JobRequest {
  readonly id: string;
  readonly message: KernelMessage;
}

/** What a kernel says to its job. */
export interface KernelSignal {
  readonly type: string;
  /** Of the request that it answers; empty when it answers none. */
  readonly parentId: string;
  readonly content: Readonly<Record<string, Json>>;
}

export interface ExecutionInput {
  readonly code: string;
  /** Neither counted nor shown. */
  readonly isSilent: boolean;
  /** Somebody answers `input()`. */
  readonly mayAsk: boolean;
}

export const executeRequest = (session: string, { code, isSilent, mayAsk }: ExecutionInput): JobRequest =>
  request('shell', 'execute_request', session, {
    code,
    silent: isSilent,
    store_history: !isSilent,
    user_expressions: {},
    allow_stdin: mayAsk,
    // Whoever runs the program decides what comes behind an error; a kernel that stopped might drop it.
    stop_on_error: false,
  });

/** The answer to `input()`. */
export const inputReply = (session: string, value: string): JobRequest =>
  request('stdin', 'input_reply', session, { value });

/** A guest may have written anything: what cannot be read is nothing. */
export function readKernelSignal({ header, parentHeader, content }: KernelMessage): KernelSignal {
  const type = objectIn(header)['msg_type'];
  const parentId = objectIn(parentHeader)['msg_id'];
  return { type: textOf(type), parentId: textOf(parentId), content: objectIn(content) };
}

/** A text in what a guest has said; empty when there is none. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function request(channel: 'shell' | 'stdin', type: string, session: string, content: object): JobRequest {
  const id = newId();
  const header = {
    msg_id: id,
    msg_type: type,
    session,
    username: 'job',
    date: new Date().toISOString(),
    version: '5.3',
  };
  const [parentHeader, metadata] = [bytesOf({}), bytesOf({})];
  return {
    id,
    message: { channel, header: bytesOf(header), parentHeader, metadata, content: bytesOf(content), buffers: [] },
  };
}

const bytesOf = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

function objectIn(bytes: Uint8Array): Readonly<Record<string, Json>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, Json>) : {};
  } catch {
    return {};
  }
}
