import { answerProblem } from '../exchange/answer.ts';
import { NOT_FOUND } from '../exchange/problem.ts';
import type { Fail } from '../pipeline/policy.ts';
import type { PluginPorts } from './plugin.ts';
import type { ErrorMiddleware, ExpressApp } from './types.ts';

/**
 * Answers what express would answer with a page of HTML: a request that no pipeline took, and an
 * error on the way. To be mounted after everything else.
 */
export function mountTail(app: ExpressApp, exchangeOf: PluginPorts['exchangeOf'], fail: Fail): void {
  app.use((request, response) => answerProblem(exchangeOf(request, response), NOT_FOUND));
  const onError: ErrorMiddleware = (error, request, response, _next) => fail(exchangeOf(request, response), error);
  app.use('/', onError);
}
