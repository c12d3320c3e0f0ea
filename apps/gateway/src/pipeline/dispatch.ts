import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Exchange } from '../exchange/exchange.ts';
import type { Next } from './policy.ts';

export interface DispatchOptions {
  readonly exchangeOf: (request: IncomingMessage, response: ServerResponse) => Exchange;
  /** The pipeline without express; undefined when the configuration needs express to run it. */
  readonly front: Next | undefined;
  /** express-gateway with the whole pipeline, which takes everything. */
  readonly express: RequestListener;
}

/**
 * The server's listener: operations of the contract take the short way, all else goes through
 * express-gateway. Both ways run the same policies in the same order.
 */
export function dispatcher({ exchangeOf, front, express }: DispatchOptions): RequestListener {
  if (!front) return express;
  return (request, response) => {
    const exchange = exchangeOf(request, response);
    if (exchange.target.route) front(exchange);
    else express(request, response);
  };
}
