import {
  createJsonResponseHandler,
  createStatusCodeErrorResponseHandler,
  jsonSchema,
  postFormDataToApi,
  postJsonToApi,
  retryWithExponentialBackoff,
} from '@ai-sdk/provider-utils';
import { DomainError, unavailable, upstreamFailed } from '@platform-backend/core';
import { APICallError, RetryError } from 'ai';

export interface ApiOptions {
  /** With its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Servers of one's own often need none. */
  readonly apiKey: string | undefined;
  readonly model: string;
}

/** Answers what the server says in JSON, whatever that is; refused as `apiFailure` says. */
export interface OpenAiClient {
  postJson(path: string, body: object, signal: AbortSignal | undefined): Promise<unknown>;
  postForm(path: string, form: FormData, signal: AbortSignal | undefined): Promise<unknown>;
}

type Post = Omit<Parameters<typeof postJsonToApi<unknown>>[0], 'body'>;

/**
 * Any server that speaks OpenAI's protocol. It asks again twice, with growing pauses, or as long as the server says.
 *
 * @param timeoutMs of one attempt
 */
export function openAiClient({ baseUrl, apiKey }: ApiOptions, timeoutMs: number): OpenAiClient {
  async function post(
    path: string,
    signal: AbortSignal | undefined,
    send: (post: Post) => Promise<{ readonly value: unknown }>,
  ): Promise<unknown> {
    const url = `${baseUrl.replace(/\/$/, '')}/${path}`;
    const attempt = async () => {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const { value } = await send({
          url,
          headers: { authorization: `Bearer ${apiKey ?? 'none'}` },
          abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
          failedResponseHandler: createStatusCodeErrorResponseHandler(),
          successfulResponseHandler: createJsonResponseHandler(jsonSchema({})),
        });
        return value;
      } catch (error) {
        if (!timeout.aborted || signal?.aborted) throw error;
        throw new APICallError({ message: 'timed out', cause: error, url, requestBodyValues: {}, isRetryable: true });
      }
    };
    try {
      return await retryWithExponentialBackoff({
        maxRetries: 2,
        initialDelayInMs: 500,
        ...(signal !== undefined && { abortSignal: signal }),
        shouldRetry: (error) => APICallError.isInstance(error) && error.isRetryable,
        getDelayInMs: ({ error, exponentialBackoffDelay }) => namedDelayMs(error) ?? exponentialBackoffDelay,
        createRetryError: ({ message, reason, errors }) => new RetryError({ message, reason, errors }),
      })(attempt);
    } catch (error) {
      throw signal?.aborted ? unavailable(error) : apiFailure(error);
    }
  }
  return {
    postJson: (path, body, signal) => post(path, signal, (options) => postJsonToApi({ ...options, body })),
    postForm: (path, formData, signal) => post(path, signal, (options) => postFormDataToApi({ ...options, formData })),
  };
}

/** As long as the server says, unless that is longer than anybody would wait for an answer. */
function namedDelayMs(error: unknown): number | undefined {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const named = Number(headers?.['retry-after-ms'] ?? Number(headers?.['retry-after']) * 1_000);
  return named >= 0 && named < 60_000 ? named : undefined;
}

function lastCall(error: unknown): APICallError | undefined {
  const cause = error instanceof DomainError ? error.cause : error;
  const last = RetryError.isInstance(cause) ? cause.lastError : cause;
  return APICallError.isInstance(last) ? last : undefined;
}

/** With which status the server has refused it at last; undefined: it has not answered, or something else has failed. */
export const statusOf = (error: unknown): number | undefined => lastCall(error)?.statusCode;

/** The server reads no text that is so long, or no request that is so large. */
export function isTooLong(error: unknown): boolean {
  const last = lastCall(error);
  if (!last) return false;
  const { statusCode, responseBody = '' } = last;
  return statusCode === 413 || ((statusCode === 400 || statusCode === 422) && LENGTH.test(responseBody));
}

const LENGTH =
  /too (?:long|large|many tokens)|max(?:imum)?[ _](?:context|sequence|input|length|batch)|context[ _](?:length|size)|exceed/i;

/** The server has no such model: another setting helps, and no other request. */
export function isWrongModel(error: unknown): boolean {
  const last = lastCall(error);
  if (!last) return false;
  const { statusCode = 0, responseBody = '' } = last;
  return statusCode === 404 || (statusCode >= 400 && statusCode < 500 && NO_SUCH_MODEL.test(responseBody));
}

/**
 * In the words of OpenAI (`model_not_found`, `invalid model ID`, the parameter that is wrong), of vLLM and others (`The model ... does not exist`),
 * and of what checks requests in Python (`"loc": ["body", "model"]`).
 */
const NO_SUCH_MODEL =
  /model_not_found|"param":\s*"model"|"loc":\s*\[[^\]]*"model"\s*\]|(?:invalid|unknown|no such|unsupported) model|model\b[^{}]{0,200}\b(?:not exist|not found|not supported|not available|unknown|invalid)/i;

/** Asked too often, or by too many. */
const BUSY = new Set([429, 529]);

/** UNAVAILABLE: it cannot be reached, or is asked too often; UPSTREAM_FAILED: it answers with anything else. */
export function apiFailure(error: unknown): DomainError {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (!APICallError.isInstance(last)) return upstreamFailed(error);
  if (last.statusCode === undefined) return unavailable(error, 5);
  // Who has used up what was paid for gets nothing by waiting.
  if (!BUSY.has(last.statusCode) || last.responseBody?.includes('"insufficient_quota"')) return upstreamFailed(error);
  const seconds = Number(last.responseHeaders?.['retry-after']);
  return unavailable(error, seconds > 0 && seconds <= 3600 ? Math.ceil(seconds) : 5);
}
