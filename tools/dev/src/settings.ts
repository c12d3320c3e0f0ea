import { byVariable, flag, integer, optional, readConfiguration, secret, text } from '@platform-backend/core';
import { join, relative, resolve } from 'node:path';

/** The repository, for services and packages are found relative to it. */
export const repository = resolve(import.meta.dirname, '../../..');

const platformSettings = {
  PLATFORM_PORT: integer({
    default: 8080,
    min: 1,
    max: 65_535,
    description: 'where the gateway listens; two copies run side by side with different ones, and different homes',
  }),
  PLATFORM_HOME: text({
    default: '.platform',
    description:
      'data, secrets, logs (`logs/NAME.log`, put aside at 10 MiB, three of each), and `run.json`, which says what runs where',
  }),
} as const;

/** What chooses the server of the services that keep documents. */
export const mongoSettings = {
  MONGO_URL: optional(
    secret(
      text({
        // All members of a replica set may be named, which makes it no URL.
        pattern: /^mongodb(?:\+srv)?:\/\/[^/?\s]+(?:[/?]|$)/,
        mustBe: 'a URL that starts with mongodb:// or mongodb+srv:// and names a host',
        example: 'mongodb://127.0.0.1:27017',
        description:
          'a MongoDB replica set for all services that keep documents; each has a database there, named after it (after the database in the address and it, if there is one)',
      }),
    ),
  ),
  MONGOD_BINARY: optional(
    text({
      defaultDescription: '`mongod` on `PATH`',
      description: 'the MongoDB server to run where `MONGO_URL` names none',
    }),
  ),
  PLATFORM_MONGO_DOWNLOAD: flag({
    default: true,
    defaultDescription: '`on`',
    description: 'whether a home without documents may download a `mongod` where there is none; `off` does without',
  }),
} as const;

/** Every variable that the starter reads for itself. */
export const startSettings = byVariable({ ...platformSettings, ...mongoSettings });

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

/** @throws ConfigurationError naming everything that is wrong with these. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { PLATFORM_PORT: port, PLATFORM_HOME: named } = readConfiguration(env, platformSettings);
  const home = resolve(repository, named);
  const fromHere = relative(repository, home);
  return {
    port,
    home,
    homeAsTyped: fromHere.startsWith('..') ? home : fromHere,
    isDefault: home === join(repository, '.platform'),
    apps: join(repository, 'apps'),
  };
}
