import { AddressRefused, networkErrorCode, ResponseTooLarge } from '@platform-backend/outbound';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { SourceFailure, sourceTooLarge, type FetchInto } from '../domain/source.ts';

/** Brings the body of an answer to a file. @throws SourceFailure where it breaks off, is too large, or there is nothing */
export async function writeBody({ body }: Response, { file, maxBytes, signal }: FetchInto): Promise<void> {
  if (!body) throw new SourceFailure('empty_file', 'It answered nothing');
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        bytes += piece.byteLength;
        if (bytes > maxBytes) throw sourceTooLarge(maxBytes);
        yield piece;
      }
    } catch (error) {
      throw signal.aborted ? error : callFailure(error);
    }
  };
  await pipeline(counted(), createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
}

/** What whoever has set the connection up can do something about. */
export function callFailure(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (error instanceof AddressRefused) return new SourceFailure('address_refused', error.message, error);
  if (error instanceof ResponseTooLarge) return new SourceFailure('too_large', error.message, error);
  const why = networkErrorCode(error);
  if (why !== undefined && TLS.test(why))
    return new SourceFailure('tls_failed', `The connection cannot be encrypted safely (${why})`, error);
  return new SourceFailure('unreachable', `It cannot be reached${why === undefined ? '' : ` (${why})`}`, error);
}

/** What OpenSSL and Node say of certificates and handshakes. */
const TLS = /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|^UNABLE_TO_/;
