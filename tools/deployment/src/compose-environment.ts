/**
 * Prints the variables that docker-compose.yml asks for, with keys and passwords made for this
 * machine alone:  npm run -s compose:environment > .env
 */
import { generateServiceKeys } from '@platform-backend/auth';
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';
import { serviceVariable } from '@platform-backend/core';
import { OPERATOR } from '@platform-backend/events/set-up';
import { declaredServices } from '@platform-backend/service/declared';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { passwordVariable } from './nats-users.ts';

const APPS = fileURLToPath(new URL('../../../apps', import.meta.url));

/**
 * 192 bits, in letters that need no quoting in a URL or a shell. A letter comes first, for a NATS server reads what its
 * environment says like its configuration, where other texts may be numbers.
 */
const password = (): string => `p${randomBytes(24).toString('hex')}`;

/** Name and value of every variable that docker-compose.yml requires: those of each service follow from its declaration. */
export const composeEnvironment = async (): Promise<Record<string, string>> => {
  const services = (await declaredServices(APPS)).map(({ declaration }) => declaration);
  // Only who calls others needs a key of its own; everybody else needs to know it.
  const callers = services
    .filter(({ calls, callsIfThere }) => Object.keys({ ...calls, ...callsIfThere }).length > 0)
    .map(({ name }) => name);
  const { privateKeys, publicKeys } = await generateServiceKeys(['gateway', ...callers]);
  const own = (name: string, suffix: string, value: string) => [serviceVariable(name, suffix), value] as const;
  return {
    ...Object.fromEntries(
      Object.entries(privateKeys).map(([name, key]) => own(name, 'PRIVATE_KEY', JSON.stringify(key))),
    ),
    SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
    CURSOR_KEY: randomBytes(32).toString('base64url'),
    POSTGRES_PASSWORD: password(),
    MONGO_PASSWORD: password(),
    MONGO_KEY: password(),
    OBJECTS_KEY: password(),
    SECRETS_KEY: password(),
    ...Object.fromEntries(
      services.flatMap(({ name }) => [own(name, 'OWNER_PASSWORD', password()), own(name, 'APP_PASSWORD', password())]),
    ),
    ...Object.fromEntries(
      ['cluster', OPERATOR, 'gateway', ...services.map(({ name }) => name)].map((user) => [
        passwordVariable(user),
        password(),
      ]),
    ),
    // By name, so that whoever reads the file sees that, say, no money moves.
    ...Object.fromEntries(services.flatMap(({ development }) => Object.entries(development?.defaults?.({}) ?? {}))),
    KEYCLOAK_OWNER_PASSWORD: password(),
    KEYCLOAK_ADMIN_PASSWORD: password(),
    DEMO_USER_PASSWORD: password(),
  };
};

interface PublicKeys {
  readonly keys: readonly { readonly kid: string }[];
}

/**
 * A new key for a caller, as the variables of the three rounds in which it takes the place of the old one: both public keys are known, it
 * signs with the new one, the old one is known to nobody.
 */
export const newServiceKey = async (
  name: string,
  { keys }: PublicKeys,
): Promise<readonly (readonly [name: string, value: string])[]> => {
  if (!keys.some(({ kid }) => kid === name))
    throw new WrongUsage(`SERVICE_PUBLIC_KEYS knows no "${name}", but ${keys.map(({ kid }) => kid).join(', ')}.`);
  const { privateKeys, publicKeys } = await generateServiceKeys([name]);
  const withNew = (others: PublicKeys['keys']) =>
    ['SERVICE_PUBLIC_KEYS', JSON.stringify({ keys: [...others, ...publicKeys.keys] })] as const;
  return [
    withNew(keys),
    [serviceVariable(name, 'PRIVATE_KEY'), JSON.stringify(privateKeys[name])],
    withNew(keys.filter(({ kid }) => kid !== name)),
  ];
};

if (import.meta.main) {
  await runCommand(
    command({
      name: 'npm run compose:environment --',
      usage: `npm run -s compose:environment > .env

Prints the variables that docker-compose.yml asks for, with keys and passwords made for this machine alone.

  --new-key SERVICE   prints instead the three lines by which a service gets a new key, one after the other, see docs/runbooks.md;
                      SERVICE_PUBLIC_KEYS of the environment says which keys there are`,
      options: { 'new-key': { type: 'string' } },
      async run({ values: { 'new-key': name } }) {
        const known = process.env['SERVICE_PUBLIC_KEYS'];
        if (name !== undefined && known === undefined)
          throw new WrongUsage('SERVICE_PUBLIC_KEYS is missing: set -a && . ./.env');
        const lines =
          name === undefined
            ? Object.entries(await composeEnvironment())
            : await newServiceKey(name, JSON.parse(known ?? '') as PublicKeys);
        // Single quotes keep Compose from reading anything into a value; none of ours holds one.
        for (const [variable, value] of lines) process.stdout.write(`${variable}='${value}'\n`);
      },
    }),
  );
}
