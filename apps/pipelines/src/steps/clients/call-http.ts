import { SecretUnreadable, type SecretBox } from '@platform-backend/core/secret-box';
import {
  AddressRefused,
  discardBody,
  networkErrorCode,
  ResponseTooLarge,
  type OutboundFetch,
} from '@platform-backend/outbound';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { failedReport, type StepReport } from '../../step-engine/domain/step-job.ts';
import { headerContext, MAX_RESPONSE_BYTES } from '../domain/http-request.ts';
import type { CallHttp, HttpCall } from '../domain/http-step.ts';

export interface CallHttpOptions {
  readonly fetch: OutboundFetch;
  readonly box: Pick<SecretBox, 'open'>;
}

/** Calls over the internet. What cannot be reached, or does not say that it has gone well, is a failure of the step. */
export const callHttp =
  ({ fetch, box }: CallHttpOptions): CallHttp =>
  async (call, { file, isRead, signal }) => {
    const { url, request, body } = call;
    const failed = (error: unknown): StepReport => {
      if (signal.aborted) throw error;
      return failureOf(error);
    };
    let response: Response;
    try {
      response = await fetch(url, {
        method: request.method,
        headers: headersOf(call, box),
        ...(body !== undefined && { body }),
        // Its secrets are for whom it names.
        redirect: 'manual',
        signal,
      });
    } catch (error) {
      return failed(error);
    }
    const { status } = response;
    if (status < 200 || status > 299) {
      await discardBody(response);
      return failedReport(`http_${status}`, `It answered ${status}`);
    }
    if (!isRead || !response.body) {
      await discardBody(response);
      return isRead ? failedReport('empty_file', 'It answered nothing') : { status, bytes: 0 };
    }
    const written = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    try {
      await pipeline(piecesOf(response.body), written);
    } catch (error) {
      // What else fails is this machine's, and no word about whoever was called.
      if (error instanceof BrokenAnswer) return failed(error.cause);
      throw error;
    }
    return { status, bytes: written.bytesWritten };
  };

class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
}

async function* piecesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new BrokenAnswer('the answer broke off', { cause: error });
  }
}

function headersOf({ organisationId, url, request, body, idempotencyKey }: HttpCall, box: Pick<SecretBox, 'open'>) {
  const { headers, secretHeaders } = request;
  const all = new Headers({ 'user-agent': 'platform-pipelines', accept: ACCEPTED[request.responseFormat] });
  if (body !== undefined) all.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  for (const [name, sealed] of Object.entries(secretHeaders))
    all.set(name, box.open(sealed, headerContext(organisationId, url, name)));
  all.set('idempotency-key', idempotencyKey);
  return all;
}

const ACCEPTED = {
  JSON: 'application/json',
  JSONL: 'application/x-ndjson, application/json',
  CSV: 'text/csv',
} as const;

/** What whoever has written the step can do something about. */
function failureOf(error: unknown): StepReport {
  if (error instanceof AddressRefused) return failedReport('http_refused', error.message);
  if (error instanceof ResponseTooLarge)
    return failedReport('too_large', `It answered more than ${MAX_RESPONSE_BYTES} bytes`);
  if (error instanceof SecretUnreadable)
    return failedReport(
      'secret_unreadable',
      'A secret header cannot be read any more: publish it once more, with its value',
    );
  const code = networkErrorCode(error);
  const why = code === undefined ? ', or does not speak HTTP' : ` (${code})`;
  return failedReport('http_unreachable', `It cannot be reached${why}`);
}
