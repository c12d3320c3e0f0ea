import type { KernelMessage } from '../../domain/kernel-provider.ts';
import { readHeader, readJson, requestMessage } from './messages.ts';

/** Runs nothing, and nobody is told of it. */
const NOTHING = {
  ...{ code: '', silent: true, store_history: false, user_expressions: {} },
  ...{ allow_stdin: false, stop_on_error: false },
};

/** Requests of a provider's own to its kernel, in a session that no client has. */
export function silentRequests(session: string, send: (message: KernelMessage) => Promise<void>) {
  const waiting = new Map<string, (reply: KernelMessage) => void>();
  return {
    /** Each message of the session on the shell channel, with the id of what it answers. */
    heard: (requestId: string, message: KernelMessage): void => waiting.get(requestId)?.(message),

    /**
     * Until the kernel carries out what it is asked: what waits behind a cell that was interrupted it aborts, and what comes
     * while it does so. Never, when it has ended.
     */
    async untilItExecutes(): Promise<void> {
      for (let status: unknown = 'aborted'; status === 'aborted';) {
        const request = requestMessage('shell', 'execute_request', NOTHING, session);
        const id = readHeader(request.header)?.msg_id ?? '';
        const replied = new Promise<KernelMessage>((resolve) => waiting.set(id, resolve));
        await send(request).catch(() => undefined);
        status = readJson((await replied).content)?.['status'];
        waiting.delete(id);
      }
    },
  };
}
