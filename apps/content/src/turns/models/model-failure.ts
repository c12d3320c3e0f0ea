import { DomainError } from '@platform-backend/core';
import { APICallError, RetryError } from 'ai';
import { contextTooLong, modelKeyRefused, modelNotFound, modelUnpaid } from '../domain/errors.ts';

const TOO_LONG =
  /context_length_exceeded|context (?:length|limit|size|window)|maximum context|too long|too many tokens/i;
/** In the words of OpenAI and Anthropic. */
const UNPAID = /insufficient_quota|billing_error|credit balance is too low/i;

/** What has a reason that somebody can do something about says it. */
export function modelFailure(error: unknown, model: string): unknown {
  const cause = error instanceof DomainError ? error.cause : error;
  const refusal = RetryError.isInstance(cause) ? cause.lastError : cause;
  if (!APICallError.isInstance(refusal)) return error;
  const { statusCode = 0, responseBody = '' } = refusal;
  if (statusCode === 401 || statusCode === 403) return modelKeyRefused({ cause: error });
  if (statusCode === 402 || UNPAID.test(responseBody)) return modelUnpaid({ cause: error });
  if (statusCode < 400 || statusCode >= 500 || statusCode === 429) return error;
  if (TOO_LONG.test(responseBody)) return contextTooLong({ cause: error });
  if (statusCode === 404 || /model_not_found|model\b[^"]*\b(?:not exist|not found)/i.test(responseBody))
    return modelNotFound({ model, cause: error });
  return error;
}
