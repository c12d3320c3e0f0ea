import { AddressRefused, networkErrorCode, ResponseTooLarge } from '@platform-backend/outbound';

/** What somebody who keeps the server can do something about; nothing of what it has sent. */
export function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused || error instanceof ResponseTooLarge) return error.message;
  const { name, code, status, cause } = error as {
    readonly name?: string;
    readonly code?: unknown;
    readonly status?: unknown;
    readonly cause?: unknown;
  };
  // What is around it says no more than that the protocol did not come about.
  if (typeof cause === 'object' && cause !== null && typeof status !== 'number') return reasonOf(cause);
  if (name === 'TimeoutError' || name === 'AbortError' || code === 'REQUEST_TIMEOUT') return 'it takes too long';
  if (typeof status === 'number') return `it answers with status ${String(status)}`;
  const network = networkErrorCode(error);
  return network === undefined
    ? 'it cannot be reached, or does not speak the protocol'
    : `it cannot be reached (${network})`;
}

/** For the log, and nothing of what it has sent either: that may repeat the headers that it was asked with. */
export function causeOf(error: unknown): Error {
  const { name, code, status } = error as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly status?: unknown;
  };
  return Object.assign(new Error(reasonOf(error)), { name, code, status });
}
