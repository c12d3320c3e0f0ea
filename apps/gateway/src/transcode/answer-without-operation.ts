import { answerEmpty, answerProblem } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { methodNotAllowed, NOT_FOUND } from '../exchange/problem.ts';

/** Says why a method and path lead to no operation (D17). */
export function answerWithoutOperation(exchange: Exchange): void {
  const { location, allow } = exchange.target;
  if (location !== undefined) answerEmpty(exchange, 307, ['Location', location]);
  else answerProblem(exchange, allow === undefined ? NOT_FOUND : methodNotAllowed(allow));
}
