import { answer, answerEmpty } from '../exchange/answer.ts';
import { entityTag, isKnown } from '../exchange/entity-tag.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { JSON_TYPE } from '../exchange/problem.ts';

/** `/openapi.json`, `/asyncapi.json`: the contract for other programs to read, rendered once at start. */
export function descriptionPage(document: unknown): (exchange: Exchange) => void {
  const body = Buffer.from(JSON.stringify(document));
  const tag = entityTag(body);
  // Documentation pages live on other origins, and there is nothing here that is not public.
  const headers = ['ETag', tag, 'Cache-Control', 'public, max-age=60', 'Access-Control-Allow-Origin', '*'];

  return (exchange) => {
    if (isKnown(exchange, tag)) answerEmpty(exchange, 304, headers);
    else answer(exchange, 200, JSON_TYPE, body, headers);
  };
}
