import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { constants, type IncomingHttpHeaders } from 'node:http2';
import { ERROR_KIND } from '../metadata-names.ts';

/** A status that nobody sent: what this side says of the end of a call. */
export const ownStatus = (code: status, details: string): StatusObject => ({ code, details, metadata: new Metadata() });

/** Of a call that ended well, whose trailers nobody reads. */
const WELL: StatusObject = ownStatus(status.OK, '');

/** As they are written; any other stands for UNKNOWN. */
const CODES: ReadonlyMap<string, status> = new Map(
  Object.values(status)
    .filter((code) => typeof code === 'number')
    .map((code) => [String(code), code]),
);

/** What the last headers of an answer say. */
export function statusOfTrailers(trailers: IncomingHttpHeaders, httpStatus: number | undefined): StatusObject {
  const said = trailers['grpc-status'];
  if (said === '0') return WELL;
  const metadata = Metadata.fromHttp2Headers(trailers);
  if (said === undefined) return { ...statusOfHttp(httpStatus), metadata };
  const text = trailers['grpc-message'];
  metadata.remove('grpc-status');
  metadata.remove('grpc-message');
  const code = typeof said === 'string' ? CODES.get(said) : undefined;
  return { code: code ?? status.UNKNOWN, details: typeof text === 'string' ? decoded(text) : '', metadata };
}

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

/** Of an answer that says nothing of gRPC, as that of a proxy; by the table that all clients of gRPC have. */
export function statusOfHttp(httpStatus: number | undefined): StatusObject {
  if (httpStatus === undefined) return ownStatus(status.UNKNOWN, 'No status information received');
  return ownStatus(STATUS_OF_HTTP.get(httpStatus) ?? status.UNKNOWN, `Received HTTP status code ${httpStatus}`);
}

const STATUS_OF_HTTP: ReadonlyMap<number, status> = new Map([
  [400, status.INTERNAL],
  [401, status.UNAUTHENTICATED],
  [403, status.PERMISSION_DENIED],
  [404, status.UNIMPLEMENTED],
  [429, status.UNAVAILABLE],
  [502, status.UNAVAILABLE],
  [503, status.UNAVAILABLE],
  [504, status.UNAVAILABLE],
]);

/** Of a stream that the other side cut off with a code of HTTP/2, before it said a status. */
export function statusOfReset(code: number, httpStatus: number | undefined): StatusObject {
  if (code === constants.NGHTTP2_NO_ERROR && httpStatus !== undefined && httpStatus !== 200)
    return statusOfHttp(httpStatus);
  return ownStatus(STATUS_OF_RESET.get(code) ?? status.INTERNAL, `Received RST_STREAM with code ${code}`);
}

const STATUS_OF_RESET: ReadonlyMap<number, status> = new Map([
  [constants.NGHTTP2_REFUSED_STREAM, status.UNAVAILABLE],
  [constants.NGHTTP2_CANCEL, status.CANCELLED],
  [constants.NGHTTP2_ENHANCE_YOUR_CALM, status.RESOURCE_EXHAUSTED],
  [constants.NGHTTP2_INADEQUATE_SECURITY, status.PERMISSION_DENIED],
]);

/** Not so when the service itself says that it cannot serve: it has decided, and other attempts would only burden it. */
export const isFaultOfReplica = ({ code, metadata }: StatusObject): boolean =>
  (code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED) && metadata.get(ERROR_KIND).length === 0;

/** How often a call that reached nobody is begun again. */
export const MAX_REFUSALS = 5;
