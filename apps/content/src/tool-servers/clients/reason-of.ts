import { AddressRefused, ResponseTooLarge } from '@platform-backend/outbound';

/** What somebody who keeps the server can do something about; nothing of what it has sent. */
export function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused || error instanceof ResponseTooLarge) return error.message;
  const { name, code, status, cause } = error as {
    readonly name?: string;
    readonly code?: unknown;
    readonly status?: unknown;
    readonly cause?: unknown;
  };
  if (cause instanceof AddressRefused || cause instanceof ResponseTooLarge) return cause.message;
  if (name === 'TimeoutError' || name === 'AbortError') return 'it takes too long';
  if (typeof status === 'number') return `it answers with status ${String(status)}`;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return `it cannot be reached (${code})`;
  return 'it cannot be reached, or does not speak the protocol';
}
