import { SecretsNotSetUp, SecretUnreadable, type SecretBox } from '@platform-backend/core/secret-box';
import { AddressRefused, ResponseTooLarge, type OutboundFetch } from '@platform-backend/outbound';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { failedReport, type StepReport } from '../../step-engine/domain/step-job.ts';
import { headerContext } from '../app/http-headers.ts';
import { MAX_RESPONSE_BYTES } from '../domain/http-request.ts';
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
    try {
      const response = await fetch(url, {
        method: request.method,
        headers: headersOf(call, box),
        ...(body !== undefined && { body }),
        // Its secrets are for whom it names.
        redirect: 'manual',
        signal,
      });
      const { status } = response;
      if (status < 200 || status > 299) {
        await response.body?.cancel();
        return failedReport(`http_${status}`, `It answered ${status}`);
      }
      if (!isRead || !response.body) {
        await response.body?.cancel();
        return isRead ? failedReport('empty_file', 'It answered nothing') : { status, bytes: 0 };
      }
      const written = createWriteStream(file, { flags: 'wx', mode: 0o600 });
      await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), written);
      return { status, bytes: written.bytesWritten };
    } catch (error) {
      if (signal.aborted) throw error;
      return failureOf(error);
    }
  };

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
  if (error instanceof SecretUnreadable || error instanceof SecretsNotSetUp)
    return failedReport('secret_unreadable', 'A secret header cannot be read any more: publish it once more');
  const { code } = error as { readonly code?: unknown };
  const why = typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : ', or does not speak HTTP';
  return failedReport('http_unreachable', `It cannot be reached${why}`);
}
