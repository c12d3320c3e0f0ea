import { answerProblem } from '../exchange/answer.ts';
import { OVERLOADED } from '../exchange/problem.ts';
import type { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import type { PolicyDefinition } from '../pipeline/policy.ts';

export interface LoadSheddingPorts {
  readonly limit: ConcurrencyLimit;
  /** Called with each call that is let in. */
  readonly entered: () => void;
  readonly shed: () => void;
}

/**
 * Answers 503 with `Retry-After` at once where more calls are under way than can be served, before anything of them is read or sent
 * on. Streams are bounded by `OpenStreams`: they are long and cost little while they last.
 */
export const loadSheddingPolicy = ({ limit, entered, shed }: LoadSheddingPorts): PolicyDefinition => ({
  name: 'load-shedding',
  settings: { type: 'object' },
  create: () => (exchange, next) => {
    const { target, response } = exchange;
    // Whose client has gone away already is never told again that it has.
    if (!target.route || target.route.stream || response.destroyed) {
      next(exchange);
      return;
    }
    // People without an organisation have a share each.
    const holder = exchange.caller?.organisationId ?? exchange.caller?.userId;
    if (!limit.enter(holder)) {
      shed();
      answerProblem(exchange, OVERLOADED);
      return;
    }
    entered();
    const leave = (): void => {
      if (exchange.leaveCalls) limit.leave(holder);
      exchange.leaveCalls = undefined;
    };
    // What is a stream may be known only when its body is read.
    exchange.leaveCalls = leave;
    response.on('close', leave);
    next(exchange);
  },
});
