import { discardBody } from '@platform-backend/outbound/discard-body';
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { SignedUpload } from '../domain/pod-job.ts';

/** The object store as whoever has signed addresses reaches it. */
export interface SignedFiles {
  readonly text: (url: string) => Promise<string>;
  readonly fetchTo: (url: string, path: string) => Promise<void>;
  /** False: something else is there already, and stays. */
  readonly putText: (to: SignedUpload, text: string) => Promise<boolean>;
  readonly putFile: (to: SignedUpload, path: string) => Promise<boolean>;
}

/** A store that is away for a moment shall not cost a step: about a minute in all. */
const TRIES = 8;
const MAX_WAIT_MS = 15_000;

/** Of what is there already: our own store says the first, S3 both. */
const TAKEN: readonly number[] = [409, 412];

/** Every request is made again until it is answered; what is refused is not asked for again. */
export function signedFiles(signal: AbortSignal): SignedFiles {
  async function ask<T>(request: () => Promise<Response>, use: (response: Response) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await use(await request());
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Refused || attempt === TRIES) throw error;
        await delay(Math.min(200 * 2 ** attempt, MAX_WAIT_MS), undefined, { signal });
      }
    }
  }

  const get = <T>(url: string, use: (response: Response) => Promise<T>): Promise<T> =>
    ask(
      () => fetch(url, { signal }),
      async (response) => use(await requireAnswer(response)),
    );

  const put = ({ url, headers }: SignedUpload, body: () => Promise<Blob> | string): Promise<boolean> =>
    ask(
      async () => {
        // S3 would replace what is there, whoever is late.
        const asked = { method: 'PUT', headers: { ...headers, 'If-None-Match': '*' }, signal };
        return fetch(url, { ...asked, body: await body() });
      },
      async (response) => {
        if (!TAKEN.includes(response.status)) await requireAnswer(response);
        await discardBody(response);
        return response.ok;
      },
    );

  return {
    text: (url) => get(url, (response) => response.text()),
    fetchTo: (url, path) =>
      get(url, async (response) => {
        await using file = await open(path, 'w', 0o600);
        const body = (response.body ?? []) as AsyncIterable<Uint8Array>;
        for await (const piece of body) await file.writeFile(piece);
      }),
    putText: (to, text) => put(to, () => text),
    putFile: (to, path) => put(to, () => openAsBlob(path)),
  };
}

class Refused extends Error {}

async function requireAnswer(response: Response): Promise<Response> {
  if (response.ok) return response;
  await discardBody(response);
  // An address is a permission: it is not to be read in a log.
  const message = `the object store answered ${response.status}`;
  throw response.status >= 500 || response.status === 429 ? new Error(message) : new Refused(message);
}

/** SHA-256 in hex. */
export async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path) as AsyncIterable<Uint8Array>) hash.update(piece);
  return hash.digest('hex');
}
