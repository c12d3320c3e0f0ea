import { originNotAllowed } from '../errors.ts';
import { answerEmpty } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { PolicyDefinition } from '../pipeline/policy.ts';

/** What a page may read of an answer beside the few headers that browsers show anyway. */
const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Api-Version',
  'X-Credit-Warning',
  'X-Error-Code',
  'X-Next-Cursor',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');

const EVERY_METHOD = 'DELETE, GET, HEAD, PATCH, POST, PUT';

/**
 * Lets pages of the configured origins call the API. Credentials are never cookies here, so `*` gives
 * a page nothing that it does not already hold.
 */
export const corsPolicy: PolicyDefinition = {
  name: 'cors',
  settings: {
    type: 'object',
    properties: {
      origins: {
        type: 'string',
        default: '*',
        description: 'of which origins pages may read answers, separated by commas; `*`: of all',
      },
      maxAgeSeconds: {
        type: 'integer',
        minimum: 0,
        default: 600,
        description: 'how long a browser remembers what it was told before a request',
      },
    },
  },
  create(settings) {
    const { origins, maxAgeSeconds } = settings as { origins: string; maxAgeSeconds: number };
    const allowed = allowedOrigins(origins);

    return (exchange, next) => {
      const { method, headers } = exchange.request;
      const { origin } = headers;
      const answerTo = origin === undefined ? undefined : allowed(origin);
      if (answerTo !== undefined) {
        exchange.headers.push('Access-Control-Allow-Origin', answerTo, 'Access-Control-Expose-Headers', EXPOSED);
      }
      // No browser asks before it opens a WebSocket, nor hides from the page what comes of it.
      else if (origin !== undefined && exchange.upgrade) throw originNotAllowed();
      // Which origin asked decides what is answered, so a shared cache must keep the answers apart.
      if (origins !== '*') exchange.headers.push('Vary', 'Origin');

      const isPreflight = answerTo !== undefined && headers['access-control-request-method'] !== undefined;
      // A path that leads nowhere has no methods; a page may ask all the same, so that it sees the 404 or 307 itself.
      const allow = exchange.target.allow ?? (isPreflight ? EVERY_METHOD : undefined);
      if (method !== 'OPTIONS' || allow === undefined) next(exchange);
      else answerOptions(exchange, allow, isPreflight, maxAgeSeconds);
    };
  },
};

/** Answers which methods a path has; to a browser's preflight also which headers it may send. */
function answerOptions(exchange: Exchange, allow: string, isPreflight: boolean, maxAgeSeconds: number): void {
  const { headers } = exchange.request;
  const methods = `${allow}, OPTIONS`;
  answerEmpty(exchange, 204, [
    'Allow',
    methods,
    ...(isPreflight
      ? [
          'Access-Control-Allow-Methods',
          methods,
          'Access-Control-Allow-Headers',
          headers['access-control-request-headers'] ?? '*',
          'Access-Control-Max-Age',
          String(maxAgeSeconds),
        ]
      : []),
  ]);
}

function allowedOrigins(origins: string): (origin: string) => string | undefined {
  if (origins === '*') return () => '*';
  const known = new Set(origins.split(',').map((origin) => origin.trim()));
  return (origin) => (known.has(origin) ? origin : undefined);
}
