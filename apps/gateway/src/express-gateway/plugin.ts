/**
 * The plugin that system.config.yml names. express-gateway loads it by that name and hands it only
 * its own context, so what it registers is left here beforehand by `boot`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerProblem } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { methodNotAllowed } from '../exchange/problem.ts';
import { guarded, type Fail, type Policy, type PolicyDefinition } from '../pipeline/policy.ts';
import { openContext } from '../policies/request-context.ts';
import type { ExpressApp, GatewayConfig, PluginContext } from './types.ts';

export interface PluginPorts {
  readonly policies: readonly PolicyDefinition[];
  /** Answers of the gateway itself, such as /healthz, by exact path. */
  readonly routes: ReadonlyMap<string, (exchange: Exchange) => void>;
  /** The same of what is posted. */
  readonly posts: ReadonlyMap<string, (exchange: Exchange) => void>;
  /** The exchange of a request; the same one however often it is asked for. */
  readonly exchangeOf: (request: IncomingMessage, response: ServerResponse) => Exchange;
  readonly fail: Fail;
}

/** A policy as express-gateway made it from the configuration. */
export interface PreparedPolicy {
  readonly name: string;
  readonly policy: Policy;
}

let ports: PluginPorts | undefined;
let prepared: PreparedPolicy[] = [];
let gatewayConfig: GatewayConfig | undefined;

/** Says what the plugin will register; once, before express-gateway starts. */
export function providePlugin(given: PluginPorts): void {
  ports = given;
  prepared = [];
}

/** The configuration as express-gateway read it, and the policies it made of it, in pipeline order. */
export function preparedPipeline(): { config: GatewayConfig; policies: readonly PreparedPolicy[] } {
  if (!gatewayConfig) throw new Error('express-gateway has not loaded its plugin');
  return { config: gatewayConfig, policies: prepared };
}

export const version = '1.2.0';

export const schema = {
  $id: 'urn:platform:gateway:plugin',
  type: 'object',
  properties: { package: { type: 'string' } },
};

export function init(context: PluginContext): void {
  if (!ports) throw new Error('the plugin was loaded before boot said what it registers');
  const { policies, exchangeOf, fail } = ports;
  const own = ports;
  gatewayConfig = context.config.gatewayConfig;

  for (const definition of policies) {
    context.registerPolicy({
      name: definition.name,
      schema: { $id: `urn:platform:gateway:policy:${definition.name}`, ...definition.settings },
      policy: (settings) => {
        const policy = definition.create(settings);
        prepared.push({ name: definition.name, policy });
        const step = guarded(policy, fail);
        return (request, response, next) => step(exchangeOf(request, response), () => next());
      },
    });
  }
  context.registerGatewayRoute((app) => mountRoutes(app, own));
}

const METHOD_NOT_ALLOWED = methodNotAllowed('GET, HEAD');
const ONLY_POST = methodNotAllowed('POST');

/** Compares paths itself: express would also accept another case and another slash. */
function mountRoutes(app: ExpressApp, { routes, posts, exchangeOf }: PluginPorts): void {
  app.use((request, response, next) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    const route = routes.get(path);
    const post = posts.get(path);
    if (!route && !post) {
      next();
      return;
    }
    const exchange = exchangeOf(request, response);
    openContext(exchange);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const answerOf = isRead ? route : request.method === 'POST' ? post : undefined;
    if (answerOf) answerOf(exchange);
    else answerProblem(exchange, route ? METHOD_NOT_ALLOWED : ONLY_POST);
  });
}
