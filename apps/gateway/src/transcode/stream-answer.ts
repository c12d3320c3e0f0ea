import type { ByteText, Download, EventStream, Route } from '@platform-backend/contract/http';
import type { ServiceStream } from '@platform-backend/grpc';
import { answerEmpty } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { EVENT_STREAM_TYPE, problemEvent } from '../exchange/problem.ts';
import type { OpenStream } from './open-streams.ts';
import { backpressure } from './service-stream.ts';

/** Whatever stands between hands the events on as they come. */
const EVENT_HEADERS = ['Content-Type', EVENT_STREAM_TYPE, 'Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'];

/**
 * Sends what a service streams: as events, or as the bytes of a body. Nothing is sent before the first message, so that
 * a failure until then is an ordinary answer; unless it lets itself be waited for, then events begin with a heartbeat.
 */
export function streamAnswer(
  exchange: Exchange,
  { http }: Route,
  streamed: EventStream | Download,
  call: ServiceStream,
  open: OpenStream,
): { message(bytes: Buffer): void; end(): void } {
  const { request, response } = exchange;
  const { kind, headers, piece } = streamed;
  const isEvents = kind === 'events';
  const holdBack = backpressure(call, open);

  const begin = (first?: Buffer): void => {
    const given = first ? headers(first) : [];
    const type = given.some((name) => name === 'Content-Type') ? [] : ['Content-Type', http.contentType ?? BYTES_TYPE];
    // What says that it is a part is one (RFC 9110, 14.4).
    const status = !isEvents && given.includes('Content-Range') ? 206 : http.status;
    response.writeHead(status, [...exchange.headers, ...(isEvents ? EVENT_HEADERS : type), ...given]);
    exchange.interrupt = (problem) => {
      call.cancel();
      // A client that does not read would not read this either, and the end of a body would pass for its whole.
      if (!isEvents || response.writableNeedDrain) response.destroy();
      else response.end(problemEvent(problem, exchange.requestId, http.dialect));
    };
  };
  const write = (bytes: ByteText | Buffer): void => {
    const hasRoom = typeof bytes === 'string' ? response.write(bytes, 'latin1') : response.write(bytes);
    if (!hasRoom) holdBack(response);
  };

  if (isEvents) {
    open.heartbeat = () => {
      if (!response.headersSent) begin();
      if (!response.writableNeedDrain) response.write(':\n\n');
    };
  }
  return {
    message(bytes) {
      open.moved();
      if (!response.headersSent) begin(bytes);
      if (request.method !== 'HEAD') write(piece(bytes));
      else {
        call.cancel();
        response.end();
      }
    },
    end() {
      // To EventSource 204 means that there is nothing to come back for.
      if (response.headersSent) response.end(streamed.kind === 'events' ? streamed.last : '');
      else answerEmpty(exchange, 204);
    },
  };
}

const BYTES_TYPE = 'application/octet-stream';
