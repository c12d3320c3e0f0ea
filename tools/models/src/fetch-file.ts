import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { checksumOf } from './checksum.ts';

export interface FileToFetch {
  readonly url: string;
  readonly path: string;
  readonly size?: number | undefined;
  readonly sha256?: string | undefined;
}

export interface FetchOptions {
  readonly onProgress?: (bytes: number, size: number | undefined) => void;
  /** How often a transfer that broke is taken up again before it is given up. */
  readonly attempts?: number;
  /** A transfer in which nothing moves for so long has broken. */
  readonly stallMs?: number;
  /** Before the second attempt; each further pause is twice as long. */
  readonly pauseMs?: number;
}

/** Trying again would bring the same. */
class Refused extends Error {}

/**
 * Fetches a file and answers its checksum. What has come before a break is kept beside it and the transfer goes on
 * from there, now or in the next call. Only a whole file with the right bytes is ever put at `path`.
 */
export async function fetchFile(
  { url, path, size, sha256 }: FileToFetch,
  { onProgress, attempts = 6, stallMs = 30_000, pauseMs = 1_000 }: FetchOptions = {},
): Promise<string> {
  const part = `${path}.part`;
  await mkdir(dirname(path), { recursive: true });
  for (let attempt = 1; ; attempt += 1) {
    try {
      await transfer(url, part, size, stallMs, onProgress);
      break;
    } catch (error) {
      if (error instanceof Refused || attempt >= attempts) {
        throw new Error(`${url} could not be fetched: ${messageOf(error)}`, { cause: error });
      }
      await pause(pauseMs * 2 ** (attempt - 1));
    }
  }
  const checksum = await checksumOf(part);
  if (sha256 !== undefined && checksum !== sha256) {
    await rm(part);
    throw new Error(
      `${url} has other bytes than expected: its SHA-256 is ${checksum}, not ${sha256}. Nothing was kept.`,
    );
  }
  await rename(part, path);
  return checksum;
}

async function transfer(
  url: string,
  part: string,
  size: number | undefined,
  stallMs: number,
  onProgress: FetchOptions['onProgress'],
): Promise<void> {
  let bytes = await sizeOf(part);
  if (size !== undefined && bytes === size) return;
  if (size !== undefined && bytes > size) bytes = 0;
  const stalled = new AbortController();
  const abort = (): void => stalled.abort(new Error(`nothing moved for ${stallMs} ms`));
  let timer = setTimeout(abort, stallMs);
  try {
    const response = await fetch(url, {
      signal: stalled.signal,
      // Bytes as they are: a compressed answer could not be taken up in its midst.
      headers: { 'accept-encoding': 'identity', ...(bytes > 0 && { range: `bytes=${bytes}-` }) },
    });
    if (response.status === 416) {
      await rm(part, { force: true });
      throw new Error('what had come was not the beginning of it');
    }
    if (response.status >= 400 && response.status < 500 && response.status !== 408 && response.status !== 429) {
      throw new Refused(`the answer is ${response.status}`);
    }
    if (!response.ok || !response.body) throw new Error(`the answer is ${response.status}`);
    const goesOn = response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${bytes}-`);
    if (!goesOn) bytes = 0;
    const length = response.headers.get('content-length');
    const total = size ?? (length === null ? undefined : bytes + Number(length));
    const file = await open(part, goesOn ? 'a' : 'w');
    try {
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        clearTimeout(timer);
        timer = setTimeout(abort, stallMs);
        bytes += chunk.length;
        if (total !== undefined && bytes > total) throw new Refused(`it is larger than ${total} bytes`);
        await file.writeFile(chunk);
        onProgress?.(bytes, total);
      }
    } finally {
      await file.close();
    }
    if (total !== undefined && bytes < total) throw new Error(`it ended after ${bytes} of ${total} bytes`);
  } catch (error) {
    if (error instanceof Refused) await rm(part, { force: true });
    throw stalled.signal.aborted ? stalled.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/** `fetch` says what it is about in the cause alone. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
