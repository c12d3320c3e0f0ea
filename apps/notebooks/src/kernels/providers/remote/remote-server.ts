import { upstreamFailed } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

export interface RemoteServerOptions {
  /** Of the server, such as http://jupyter:8888/base/. */
  readonly url: string;
  readonly token?: string | undefined;
}

export interface RemoteServer {
  /** Asks its API: what it answers, as JSON; undefined for an empty answer. Anything but success is UPSTREAM_FAILED. */
  readonly ask: <Answer>(method: 'GET' | 'POST', path: string, body?: object) => Promise<Answer>;
  /** Ends a kernel; one that is not there is ended. UPSTREAM_FAILED: it may still be there. */
  readonly remove: (kernelId: string) => Promise<void>;
  /** The channels of a kernel. */
  readonly channels: (kernelId: string, session: string) => WebSocket;
}

const askTimeoutMs = 30_000;
/** A server fails to remove a kernel that died just now and that it is starting again. */
const removalAttempts = 6;
const removalPauseMs = 500;
const maxMessageBytes = 16 * 2 ** 20;
export const subprotocol = 'v1.kernel.websocket.jupyter.org';

export function remoteServer({ url, token }: RemoteServerOptions): RemoteServer {
  const base = new URL('api/', url.endsWith('/') ? url : `${url}/`);
  // In a header, never in an address: those are logged.
  const headers = token === undefined ? {} : { authorization: `token ${token}` };

  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(new URL(path, base), {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      // Whoever redirects would be told the token.
      redirect: 'error',
      signal: AbortSignal.timeout(askTimeoutMs),
    }).catch((error: unknown) => Promise.reject(upstreamFailed(error)));

  return {
    async ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
      const response = await send(method, path, body);
      if (!response.ok) {
        await response.body?.cancel();
        throw upstreamFailed(new Error(`${method} ${path} was answered with ${response.status}`));
      }
      const text = await response.text();
      return (text === '' ? undefined : JSON.parse(text)) as Answer;
    },

    async remove(kernelId) {
      for (let attempt = 1; ; attempt += 1) {
        const { ok, status, body } = await send('DELETE', `kernels/${kernelId}`);
        await body?.cancel();
        if (ok || status === 404) return;
        if (attempt === removalAttempts) throw upstreamFailed(new Error(`a kernel is not removed: ${status}`));
        await delay(attempt * removalPauseMs);
      }
    },

    channels(kernelId, session) {
      const address = new URL(`kernels/${kernelId}/channels?session_id=${session}`, base);
      address.protocol = address.protocol.replace('http', 'ws');
      return new WebSocket(address, [subprotocol], { headers, maxPayload: maxMessageBytes, perMessageDeflate: false });
    },
  };
}
