import { AddressRefused, discardBody, ResponseTooLarge, type OutboundFetch } from '@platform-backend/outbound';
import type { FetchedContent } from '../../documents/domain/import-document.ts';
import { reasonOf } from '../../tool-servers/clients/reason-of.ts';
import { FetchFailure } from '../domain/fetch-failure.ts';
import { fetchedName, fetchedType } from '../domain/fetched-name.ts';

export interface AddressRequest {
  readonly url: string;
  /** Empty: as the answer or the address says. */
  readonly name: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** From 0 to 99; where nobody says how much there will be it is not called. */
  readonly report: (percent: number) => void;
}

/** Of what is packed on the way nobody knows how much it is. */
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'platform-import' };

/** Of an answer: it may be another one in a while. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 425, 429]);

/** Asks an address that somebody has named. It and what it answers with reject with a `FetchFailure`, which says nothing of what was answered. */
export async function fetchAddress(
  fetch: OutboundFetch,
  { url, name, maxBytes, signal, report }: AddressRequest,
): Promise<FetchedContent> {
  const answer = await fetch(url, { headers: HEADERS, signal }).catch((error: unknown) => {
    throw failureOf(error, maxBytes);
  });
  const { status, body, headers } = answer;
  const said = headers.has('content-encoding') ? undefined : lengthIn(headers.get('content-length'));
  if (status !== 200 || (said ?? 0) > maxBytes) {
    await discardBody(answer);
    throw status === 200 ? tooLarge(maxBytes) : refused(status);
  }
  const called = name === '' ? fetchedName(url, headers.get('content-disposition')) : name;
  const contentType = fetchedType(called, headers.get('content-type'));
  return { name: called, contentType, said, content: counted(body, { said, maxBytes, report }) };
}

const lengthIn = (header: string | null): number | undefined =>
  header !== null && /^\d+$/.test(header) ? Number(header) : undefined;

async function* counted(
  body: ReadableStream<Uint8Array> | null,
  { said = 0, maxBytes, report }: Pick<AddressRequest, 'maxBytes' | 'report'> & Pick<FetchedContent, 'said'>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of body ?? []) {
      bytes += piece.byteLength;
      if (said > 0) report(Math.min(99, Math.floor((100 * bytes) / said)));
      yield piece;
    }
  } catch (error) {
    throw failureOf(error, maxBytes);
  }
}

const refused = (status: number): FetchFailure =>
  new FetchFailure('address_answered', `The address answers with status ${String(status)}.`, {
    canRetry: status >= 500 || MAY_PASS.has(status),
  });

const tooLarge = (maxBytes: number): FetchFailure =>
  new FetchFailure('too_large', `There are more than ${String(maxBytes)} bytes at the address.`);

function failureOf(error: unknown, maxBytes: number): FetchFailure {
  const cause = causeIn(error);
  if (cause instanceof ResponseTooLarge) return tooLarge(maxBytes);
  if (cause instanceof AddressRefused)
    return new FetchFailure('address_refused', `The address is not asked: ${cause.message}.`);
  const options = { canRetry: true, cause: error };
  return new FetchFailure('address_unreachable', `Nothing came of the address: ${reasonOf(error)}.`, options);
}

function causeIn(error: unknown): unknown {
  if (error instanceof AddressRefused || error instanceof ResponseTooLarge) return error;
  return error instanceof Error && error.cause !== undefined ? causeIn(error.cause) : error;
}
