import type { Logger } from '@platform-backend/core';
import http, { type RequestListener, type Server, type ServerOptions } from 'node:http';
import { requireExpressGateway } from './load.ts';
import { logThrough } from './logs.ts';
import { providePlugin, type PluginPorts } from './plugin.ts';
import type { ExpressApp, ExpressGateway } from './types.ts';

export interface BootOptions {
  readonly configDirectory: string;
  readonly logger: Logger;
  readonly plugin: PluginPorts;
  readonly serverOptions: ServerOptions;
  /** Makes the server's listener, given express with the whole pipeline mounted. */
  listener(app: ExpressApp): RequestListener;
}

/**
 * Starts express-gateway on its configuration with our plugin, and answers its listening server.
 * One per process: express-gateway keeps its configuration in module state.
 */
export async function bootExpressGateway(options: BootOptions): Promise<Server> {
  // Hot reload would mount every route a second time; a new configuration is a new process.
  process.env['EG_DISABLE_CONFIG_WATCH'] = 'true';
  // An empty variable counts as absent. express-gateway would put it in the place of a default.
  for (const [name, value] of Object.entries(process.env)) if (value === '') Reflect.deleteProperty(process.env, name);
  logThrough(options.logger);
  providePlugin(options.plugin);
  const expressGateway = requireExpressGateway<() => ExpressGateway>();

  // express-gateway makes its server without options and never looks at its errors: a taken port
  // would be an uncaught exception. The moment it makes the server is the only one to give it both.
  const { createServer } = http;
  const failure = Promise.withResolvers<never>();
  http.createServer = ((app: ExpressApp) => {
    const server = createServer(options.serverOptions, options.listener(app));
    server.once('error', failure.reject);
    // Unless somebody listens, Node promises to read any body that a client asks about beforehand.
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
    // And answers by itself, without a body, whoever expects something else.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    // Headers are bounded in bytes. A bound in numbers would leave out those behind it without a word.
    server.maxHeadersCount = 0;
    return server;
  }) as typeof createServer;
  try {
    const run = expressGateway().load(options.configDirectory).run();
    const [gateway] = await Promise.race([run, failure.promise]);
    return gateway.app;
  } finally {
    http.createServer = createServer;
  }
}
