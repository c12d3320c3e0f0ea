/** Nothing was asked: services may not call this address. The message is for whoever has named it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** There is more of the answer than whoever asked reads. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  constructor(maxBytes: number) {
    super(`The answer has more than ${String(maxBytes)} bytes`);
  }
}

/**
 * What the system or TLS calls the failure of a request or connection, as `ECONNREFUSED`; undefined where nothing is known that may be
 * shown, as of what does not speak HTTP.
 */
export function networkErrorCode(error: unknown): string | undefined {
  // The library says no more of an answer that broke off than that it was terminated.
  const { code } = (error instanceof TypeError && error.cause instanceof Error ? error.cause : error) as {
    readonly code?: unknown;
  };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined;
}
