import { lookup as lookUp } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Agent, RequestInit as UndiciRequest } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { discardBody } from './discard-body.ts';
import { AddressRefused, ResponseTooLarge } from './failures.ts';
import { resolveName, type ResolvedAddress } from './resolve-name.ts';

/** As the `fetch` of the platform, for texts and bytes that are sent as a whole. */
export type OutboundFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface OutboundOptions {
  readonly policy: AddressPolicy;
  /** Of the body of an answer; what is beyond ends in `ResponseTooLarge`. */
  readonly maxBytes: number;
  /**
   * For how long an answer may be silent before its headers and within its body, in milliseconds; 0: for as long as the signal of a
   * request lets it. Unless given, five minutes.
   */
  readonly silenceMs?: number;
  /** The addresses of a name. Unless given: those of name servers, and of a name that operators allow those that the system knows. */
  readonly resolve?: Resolve;
}

const MAX_REDIRECTS = 3;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_MS = 300_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What is sent on to another host: nothing that may be a secret. */
const HEADERS_FOR_OTHERS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'content-type', 'user-agent']);

/**
 * Asks addresses that organisations name. A name is resolved once for each connection, all its addresses are checked, and the connection
 * goes to one of those: another answer of the resolver a moment later changes nothing. Redirects are followed by the same rules, to
 * another host without headers and only where nothing is sent; with `redirect: 'manual'` they are answered.
 */
export function outboundFetch({ policy, maxBytes, silenceMs = SILENCE_MS, resolve }: OutboundOptions): OutboundFetch {
  const agentFor = async (judge: AddressPolicy['requireAddresses'], addressesOf: Resolve): Promise<Agent> => {
    const { Agent } = await loadUndici();
    const lookup: LookupFunction = (hostname, options, callback) => {
      addressesOf(hostname)
        .then((addresses) => {
          const [first] = addresses;
          if (!first) throw new AddressRefused(`${hostname} has no address`);
          judge(
            hostname,
            addresses.map(({ address }) => address),
          );
          if (options.all === true) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        })
        .catch((error: unknown) => callback(error as Error, ''));
    };
    const connect = { lookup, timeout: CONNECT_TIMEOUT_MS };
    return new Agent({ connect, headersTimeout: silenceMs, bodyTimeout: silenceMs });
  };
  let checked: Promise<Agent> | undefined;
  let allowed: Promise<Agent> | undefined;
  const dispatcherFor = (url: URL): Promise<Agent> =>
    policy.isAllowed(url)
      ? // What an operator allows may be one port of a name, and names are resolved without one.
        (allowed ??= agentFor(() => undefined, resolve ?? systemAddresses))
      : (checked ??= agentFor(policy.requireAddresses, resolve ?? ((hostname) => resolveName(hostname))));

  async function ask(url: URL, init: RequestInit): Promise<Response> {
    policy.requireUrl(url);
    const [dispatcher, { fetch: undiciFetch }] = await Promise.all([dispatcherFor(url), loadUndici()]);
    try {
      return await undiciFetch(url, { ...(init as unknown as UndiciRequest), redirect: 'manual', dispatcher });
    } catch (error) {
      // The library says no more than that it failed.
      throw error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
    }
  }

  return async (input, init = {}) => {
    let url = new URL(input);
    let request: RequestInit = { ...init, headers: [...new Headers(init.headers)] };
    for (let redirects = 0; ; redirects += 1) {
      const answer = await ask(url, request);
      const isFollowed = REDIRECTS.has(answer.status) && init.redirect !== 'manual';
      const location = isFollowed ? answer.headers.get('location') : null;
      if (location === null) return bounded(answer, maxBytes);
      await discardBody(answer);
      if (redirects === MAX_REDIRECTS) throw new AddressRefused('It redirects too often');
      const next = new URL(location, url);
      request = redirected(request, answer.status, next.origin === url.origin);
      url = next;
    }
  };
}

/** With the first address that is asked: most processes that could ask one never do. */
const loadUndici = () => import('undici');

const systemAddresses: Resolve = (hostname) => lookUp(hostname, { all: true });

function redirected({ method = 'GET', body, ...init }: RequestInit, status: number, isSameHost: boolean): RequestInit {
  const becomesGet = status === 303 || ((status === 301 || status === 302) && method === 'POST');
  const hasBody = body !== undefined && body !== null;
  if (!isSameHost && (hasBody || !['GET', 'HEAD'].includes(method)))
    throw new AddressRefused('It redirects to another host what is sent to it');
  const kept = [...new Headers(init.headers)].filter(([name]) => isSameHost || HEADERS_FOR_OTHERS.has(name));
  if (becomesGet) return { ...init, headers: kept.filter(([name]) => name !== 'content-type'), method: 'GET' };
  return { ...init, headers: kept, method, ...(hasBody && { body }) };
}

/** The same answer, whose body ends in an error beyond its limit. */
function bounded({ status, statusText, headers, body }: Response, maxBytes: number): Response {
  const isUsual = status <= MAX_STATUS;
  const init = {
    status: isUsual ? status : MAX_STATUS,
    statusText,
    headers: [...headers] as [string, string][],
  };
  const answer = new Response(body === null ? null : counted(body, maxBytes), init);
  return isUsual ? answer : Object.defineProperty(answer, 'status', { value: status });
}

/** What a `Response` can be made with; servers also answer 999. */
const MAX_STATUS = 599;

function counted(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new ResponseTooLarge(maxBytes);
        controller.enqueue(chunk);
      },
    }),
  );
}
