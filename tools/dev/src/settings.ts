import { join, relative, resolve } from 'node:path';

/** The repository, for services and packages are found relative to it. */
export const repository = resolve(import.meta.dirname, '../../..');

/** What the starter itself reads from its environment; everything else is passed on to the services. */
export interface Settings {
  readonly port: number;
  /** Data, secrets, logs and run.json. */
  readonly home: string;
  /** `PLATFORM_HOME` as a person would write it here. */
  readonly homeAsTyped: string;
  readonly isDefault: boolean;
  /** The folder that holds each service's and the gateway's own folder. */
  readonly apps: string;
}

/** @throws Error with one clear sentence. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const portText = env['PLATFORM_PORT'] ?? '8080';
  const port = Number(portText);
  if (!/^\d+$/.test(portText) || port < 1 || port > 65_535) {
    throw new Error(`PLATFORM_PORT must be a port between 1 and 65535, not "${portText}".`);
  }
  const home = resolve(repository, env['PLATFORM_HOME'] ?? '.platform');
  const fromHere = relative(repository, home);
  return {
    port,
    home,
    homeAsTyped: fromHere.startsWith('..') ? home : fromHere,
    isDefault: home === join(repository, '.platform'),
    apps: join(repository, 'apps'),
  };
}
