import type { KernelMessage } from './kernel-provider.ts';
import type { ExecutionState } from './kernel.ts';

/** What a kernel itself would say of its state. */
export const statusMessage = (kernelId: string, state: ExecutionState, at: Date): KernelMessage =>
  ownMessage(kernelId, 'status', { execution_state: state }, at);

/** The word that output from this message on was not kept for a client that was away. */
export const leftOut = (kernelId: string, { parentHeader }: KernelMessage, at: Date): KernelMessage => ({
  ...ownMessage(
    kernelId,
    'stream',
    { name: 'stderr', text: '\nThe rest of what was shown meanwhile was not kept.\n' },
    at,
  ),
  parentHeader,
});

function ownMessage(kernelId: string, type: string, content: object, at: Date): KernelMessage {
  const header = {
    msg_id: `${kernelId}_${at.getTime()}`,
    msg_type: type,
    username: '',
    session: kernelId,
    date: at.toISOString(),
    version: '5.3',
  };
  return {
    ...{ channel: 'iopub', header: json(header), parentHeader: json({}), metadata: json({}), content: json(content) },
    buffers: [],
  };
}

/**
 * The state that a message of a kernel tells; undefined when it tells none. Its code may write any message: whether a kernel
 * has started or is dead is for the service alone to say.
 */
export function stateIn({ channel, header, content }: KernelMessage): LivingState | undefined {
  // Most output is no status: it is not read for that.
  if (channel !== 'iopub' || !Buffer.from(header).includes('"status"')) return undefined;
  if (fieldOf(header, 'msg_type') !== 'status') return undefined;
  const state = fieldOf(content, 'execution_state');
  return livingStates.find((known) => known === state);
}

/** What the word of a restart that somebody has asked for says besides: whoever hears of it later can tell it from one by itself. */
export const requestedRestart = { is_requested: true } as const;

export const isRequestedRestart = ({ content }: KernelMessage): boolean => fieldOf(content, 'is_requested') === true;

type LivingState = Exclude<ExecutionState, 'starting' | 'dead'>;
const livingStates: readonly LivingState[] = ['idle', 'busy', 'restarting'];

/** The id of a message, of its header; undefined when it has none. */
export function messageIdIn(header: Uint8Array): string | undefined {
  const id = fieldOf(header, 'msg_id');
  return typeof id === 'string' ? id : undefined;
}

export function messageTypeIn(header: Uint8Array): string | undefined {
  const type = fieldOf(header, 'msg_type');
  return typeof type === 'string' ? type : undefined;
}

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

/** A guest may have written anything. */
function fieldOf(bytes: Uint8Array, name: string): unknown {
  if (bytes.length > MAX_HEADER_BYTES) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}

const MAX_HEADER_BYTES = 64 * 1024;
