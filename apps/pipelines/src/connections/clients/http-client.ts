import { discardBody, type OutboundFetch } from '@platform-backend/outbound';
import type { HttpSettings } from '../domain/connection.ts';
import { SourceFailure, type HttpSource, type OpenConnection, type SourceClient } from '../domain/source.ts';
import { callFailure, writeBody } from './fetch-file.ts';

const ACCEPTED = {
  csv: 'text/csv',
  jsonl: 'application/x-ndjson, application/json',
  json: 'application/json',
  parquet: 'application/vnd.apache.parquet, application/octet-stream',
} as const;

/** An HTTP interface, asked with GET. */
export function httpClient(fetch: OutboundFetch): SourceClient<HttpSettings, HttpSource> {
  async function get(
    { settings, secret }: OpenConnection<HttpSettings>,
    url: URL,
    accept: string,
    signal: AbortSignal,
  ) {
    const headers = new Headers({ 'user-agent': 'platform-pipelines', accept });
    // Redirects to another host are followed without it.
    if (secret !== '') headers.set(settings.headerName, secret);
    try {
      return await fetch(url, { headers, signal });
    } catch (error) {
      throw signal.aborted ? error : callFailure(error);
    }
  }

  return {
    async test(connection, signal) {
      const response = await get(connection, new URL(connection.settings.baseUrl), '*/*', signal);
      await discardBody(response);
      const { status } = response;
      if (status === 401 || status === 403 || status >= 500) throw failureOf(status);
    },

    async fetch(connection, { path, format, csv }, into) {
      const response = await get(connection, urlBelow(connection.settings, path), ACCEPTED[format], into.signal);
      if (response.status < 200 || response.status > 299) {
        await discardBody(response);
        throw failureOf(response.status);
      }
      await writeBody(response, into);
      return { format, ...(csv && { csv }) };
    },
  };
}

/** @throws SourceFailure where it leads to something that is not below the address of the connection. */
export function urlBelow({ baseUrl }: Pick<HttpSettings, 'baseUrl'>, path: string): URL {
  const base = new URL(baseUrl);
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  const text = path === '' ? base.pathname : `${folder}${path.replace(/^\/+/, '')}`;
  const url = new URL(`${base.origin}${text}`);
  // The parser has taken the dots out, those that are written as `%2e` among them.
  if (url.origin !== base.origin || !`${url.pathname}/`.startsWith(folder))
    throw new SourceFailure('address_refused', 'The path leads out of the address of the connection');
  return url;
}

function failureOf(status: number): SourceFailure {
  if (status === 401 || status === 403)
    return new SourceFailure(
      'authentication_failed',
      `It answered ${status}: the secret is refused, or lacks the right`,
    );
  if (status === 404 || status === 410) return new SourceFailure('source_not_found', `It answered ${status}`);
  return new SourceFailure('source_failed', `It answered ${status}`);
}
