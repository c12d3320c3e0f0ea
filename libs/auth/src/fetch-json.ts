/** Largest answer of an issuer that is read, in bytes. A key set has a few KiB. */
const MAX_ANSWER = 256 * 1024;

/**
 * Fetches a JSON object. Follows no redirect: an issuer's documents stand where its configuration
 * says, and a redirect could lead anywhere.
 *
 * @throws Error when there is no such answer within `timeoutMs`.
 */
export async function fetchJson(url: string, timeoutMs: number): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body as AsyncIterable<Uint8Array> | null) ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER) throw new Error(`${url} answered more than ${MAX_ANSWER} bytes.`);
    chunks.push(chunk);
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${url} did not answer with a JSON object.`);
  }
  return value as Record<string, unknown>;
}
