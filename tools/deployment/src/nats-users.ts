/**
 * Prints deploy/nats/users.conf, the users of the NATS servers in docker-compose.yml:
 * npm run -s compose:nats-users > deploy/nats/users.conf
 */
import { command, runCommand } from '@platform-backend/command-line';
import { natsAuthorization, type EventAccess } from '@platform-backend/events/set-up';
import { declaredServices } from '@platform-backend/service/declared';
import { fileURLToPath } from 'node:url';

const APPS = new URL('../../../apps/', import.meta.url);

/** What each app does with events, as it declares itself. */
export const eventAccesses = async (): Promise<EventAccess[]> => {
  const services = await declaredServices(fileURLToPath(APPS));
  const { href } = new URL('gateway/src/event-access.ts', APPS);
  const gateway = ((await import(href)) as { eventAccess: EventAccess }).eventAccess;
  return [...services.map(({ eventAccess }) => eventAccess), gateway].toSorted((one, other) =>
    one.service < other.service ? -1 : 1,
  );
};

/** The variable of a NATS server that holds a user's password. */
export const passwordVariable = (user: string): string => `NATS_${user.toUpperCase()}_PASSWORD`;

export const natsUsersFile = async (): Promise<string> =>
  `# Made from what the apps declare by: npm run -s compose:nats-users > deploy/nats/users.conf\n${natsAuthorization(
    await eventAccesses(),
    (user) => `$${passwordVariable(user)}`,
  )}`;

if (import.meta.main) {
  await runCommand(
    command({
      name: 'npm run compose:nats-users --',
      usage: `npm run -s compose:nats-users > deploy/nats/users.conf

Prints the users of the NATS servers in docker-compose.yml, with the rights that the apps declare.`,
      run: async () => process.stdout.write(await natsUsersFile()),
    }),
  );
}
