/**
 * Prints deploy/nats/users.conf, the users of the NATS servers in docker-compose.yml:
 * npm run -s compose:nats-users > deploy/nats/users.conf
 */
import { natsAuthorization, type EventAccess } from '@platform/events/set-up';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const APPS = new URL('../../../apps/', import.meta.url);

/** What each app does with events, as it declares itself. */
export const eventAccesses = async (): Promise<EventAccess[]> => {
  const modules = readdirSync(fileURLToPath(APPS))
    .toSorted()
    .map((app) => new URL(`${app}/src/event-access.ts`, APPS))
    .filter((path) => existsSync(path))
    .map(async ({ href }) => ((await import(href)) as { eventAccess: EventAccess }).eventAccess);
  return await Promise.all(modules);
};

/** The variable of a NATS server that holds a user's password. */
export const passwordVariable = (user: string): string => `NATS_${user.toUpperCase()}_PASSWORD`;

export const natsUsersFile = async (): Promise<string> =>
  `# Made from apps/*/src/event-access.ts by: npm run -s compose:nats-users > deploy/nats/users.conf\n${natsAuthorization(
    await eventAccesses(),
    (user) => `$${passwordVariable(user)}`,
  )}`;

if (import.meta.main) process.stdout.write(await natsUsersFile());
