import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** What we use of express-gateway 1.16 and express 4, which carry no types of their own. */

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
export type ErrorMiddleware = (
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

export interface ExpressApp extends RequestListener {
  get(path: string, handler: Middleware): void;
  set(name: string, value: unknown): void;
  use(handler: Middleware): void;
  /** express tells an error handler by its four parameters. */
  use(path: string, handler: ErrorMiddleware): void;
}

export interface GatewayConfig {
  readonly pipelines: Readonly<Record<string, { readonly policies: readonly PipelineStep[] }>>;
}

/** `{ cors: [{ action: {...} }] }`: one policy with the times it runs. */
export type PipelineStep = Readonly<
  Record<string, readonly { readonly action?: unknown; readonly condition?: unknown }[]>
>;

export interface PluginContext {
  readonly config: { readonly gatewayConfig: GatewayConfig };
  registerPolicy(policy: {
    name: string;
    schema: Readonly<Record<string, unknown>>;
    policy: (settings: Readonly<Record<string, unknown>>) => Middleware;
  }): void;
  registerGatewayRoute(mount: (app: ExpressApp) => void): void;
}

export interface ExpressGateway {
  load(configDirectory: string): { run(): Promise<[{ app: Server }, unknown]> };
}
