import { signedRead } from '@platform-backend/objects';
import { discardBody, type OutboundFetch } from '@platform-backend/outbound';
import type { S3Settings } from '../domain/connection.ts';
import { SourceFailure, type OpenConnection, type S3Source, type SourceClient } from '../domain/source.ts';
import { callFailure, writeBody } from './fetch-file.ts';

/** For how long a signed address holds: whatever it gives has begun by then. */
const SIGNED_SECONDS = 60;

/** Of what S3 says is wrong. */
const MAX_ERROR_BYTES = 64 * 1024;

/** A bucket of S3: addresses are signed here, and asked as all others are, so that none but public ones are. */
export function s3Client(fetch: OutboundFetch): SourceClient<S3Settings, S3Source> {
  async function get({ settings, secret }: OpenConnection<S3Settings>, key: string | undefined, signal: AbortSignal) {
    const url = await signedRead({ ...settings, secretAccessKey: secret }, key, SIGNED_SECONDS);
    let response: Response;
    try {
      // A bucket of another region is no address that was signed.
      response = await fetch(url, { signal, redirect: 'manual' });
    } catch (error) {
      throw signal.aborted ? error : callFailure(error);
    }
    if (response.status >= 200 && response.status <= 299) return response;
    throw failureOf(response.status, await codeIn(response));
  }

  return {
    test: async (connection, signal) => discardBody(await get(connection, undefined, signal)),
    async fetch(connection, { key, format, csv }, into) {
      await writeBody(await get(connection, key, into.signal), into);
      return { format, ...(csv && { csv }) };
    },
  };
}

/** As `AccessDenied`; empty where it says nothing of that kind. */
async function codeIn(response: Response): Promise<string> {
  const length = Number(response.headers.get('content-length') ?? MAX_ERROR_BYTES);
  if (length > MAX_ERROR_BYTES) {
    await discardBody(response);
    return '';
  }
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > MAX_ERROR_BYTES) break;
    }
  } catch {
    // What is wrong is told by the status alone then.
  }
  return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(text)?.[1] ?? '';
}

function failureOf(status: number, code: string): SourceFailure {
  const said = `S3 answered ${status}${code === '' ? '' : ` (${code})`}`;
  if (status === 301 || status === 307 || code === 'AuthorizationHeaderMalformed')
    return new SourceFailure('source_failed', `${said}: the bucket is in another region`);
  if (status === 401 || status === 403) return new SourceFailure('authentication_failed', said);
  return new SourceFailure(status === 404 ? 'source_not_found' : 'source_failed', said);
}
