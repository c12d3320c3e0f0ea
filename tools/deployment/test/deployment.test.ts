import { describe, expect, it } from '@jest/globals';
import { loadContract } from '@platform/contract';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { settingsReadBy } from '../src/app-settings.ts';
import { composeProblems, type AppSettings } from '../src/check-compose.ts';
import { realmProblems, type Realm } from '../src/check-realm.ts';
import { composeEnvironment } from '../src/compose-environment.ts';
import { appOf, type ComposeFile } from '../src/compose-file.ts';
import { copiedFromContext, lastStage, parseDockerfile } from '../src/dockerfile.ts';
import { leftOut } from '../src/left-out.ts';
import { natsUsersFile } from '../src/nats-users.ts';
import { readStreamConfig } from '../../../deploy/event-streams.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const inRepository = (path: string): string => join(ROOT, path);
const exists = (path: string): boolean => existsSync(inRepository(path));
const read = (path: string): string => readFileSync(inRepository(path), 'utf8');

const composeText = read('docker-compose.yml');
const compose = parse(composeText, { merge: true }) as ComposeFile;
const apps = readdirSync(inRepository('apps')).filter((name) => exists(`apps/${name}/src/main.ts`));

type Reader = (env: NodeJS.ProcessEnv, domains: Iterable<string>) => unknown;

/** An app reads its environment by `read…Config…` in `config.ts` or `configuration.ts`, for migrations by `readMigration…`. */
const readersOf = async (app: string): Promise<{ service: Reader; migration?: Reader }> => {
  const path = ['config', 'configuration'].map((name) => `apps/${app}/src/${name}.ts`).find(exists);
  if (path === undefined) throw new Error(`apps/${app} has no config.ts`);
  const module = (await import(inRepository(path))) as Record<string, unknown>;
  const readers = Object.entries(module).filter((entry): entry is [string, Reader] => /^read\w*Config/.test(entry[0]));
  const service = readers.find(([name]) => !name.includes('Migration'))?.[1];
  const migration = readers.find(([name]) => name.includes('Migration'))?.[1];
  if (!service) throw new Error(`${path} has no function that reads the configuration`);
  return { service, ...(migration && { migration }) };
};

/** Also counts what the templates in an app's config folder name. */
const settingsOf = async (app: string): Promise<AppSettings> => {
  const domains = new Set(loadContract().operations.map(({ domain }) => domain));
  const readBy = (reader: Reader) => settingsReadBy((env) => reader(env, domains));
  const { service, migration } = await readersOf(app);
  const folder = `apps/${app}/config`;
  const templates = exists(folder) ? readdirSync(inRepository(folder)).filter((name) => name.endsWith('.yml')) : [];
  const named = templates.flatMap((name) =>
    [...read(`${folder}/${name}`).matchAll(/\$\{(\w+)/g)].map(([, variable = '']) => variable),
  );
  const { required, known } = readBy(service);
  return { required, known: [...known, ...named], ...(migration && { migration: readBy(migration) }) };
};

describe('docker-compose.yml', () => {
  it('would bring up every app with a complete and correct environment', async () => {
    const settings = new Map<string, AppSettings>();
    for (const app of apps) settings.set(app, await settingsOf(app));
    const provided = Object.keys(await composeEnvironment());
    const jobs = new Map([['deploy/event-streams.ts', settingsReadBy(readStreamConfig)]]);
    expect(composeProblems(composeText, compose, { apps: settings, jobs, leftOut, provided, exists })).toEqual([]);
  });

  it('has a PostgreSQL, a NATS cluster of three and an OpenID provider, and nothing that no service uses', () => {
    const images = Object.values(compose.services).flatMap(({ image }) => image?.replace(/:[^:/]+$/, '') ?? []);
    expect(images.toSorted()).toEqual(['nats', 'nats', 'nats', 'postgres', 'quay.io/keycloak/keycloak']);
  });

  it('reads secrets from a file that neither git nor an image takes up', () => {
    expect(read('.gitignore').split('\n')).toEqual(expect.arrayContaining(['.env', '.env.*']));
    // Everything is left out of the build context that the rest of the file does not name.
    expect(read('deploy/Dockerfile.dockerignore').split('\n')).toEqual(expect.arrayContaining(['*', '**/.env*']));
  });

  it('asks the gateway to trust exactly the access tokens of the realm that Keycloak imports', () => {
    const realm = JSON.parse(read('deploy/keycloak/platform-realm.json')) as Realm;
    const { OIDC_ISSUER: issuer = '', OIDC_AUDIENCE: audience = '' } = compose.services['gateway']?.environment ?? {};
    expect(realmProblems(realm, { issuer, audience })).toEqual([]);
    expect(issuer.startsWith(compose.services['keycloak']?.environment?.['KC_HOSTNAME'] ?? 'unset')).toBe(true);
  });

  it('gives a service no owner’s password: only its migration has one', () => {
    const holders = Object.entries(compose.services).filter(
      ([, service]) => appOf(service) !== undefined && JSON.stringify(service.environment).includes('_OWNER_PASSWORD'),
    );
    expect(holders.map(([name]) => name)).toEqual(['identity-migration', 'billing-migration']);
  });
});

describe('the configuration tables of the README', () => {
  it.each(apps)('name every variable that %s reads', async (app) => {
    const { known, migration } = await settingsOf(app);
    const named = new Set([...read('README.md').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
    expect([...known, ...(migration?.known ?? [])].filter((name) => !named.has(name))).toEqual([]);
  });
});

describe('the Dockerfile', () => {
  const instructions = parseDockerfile(read('deploy/Dockerfile'));
  const image = lastStage(instructions);
  const ignored = read('deploy/Dockerfile.dockerignore');

  it.each(apps)('copies only what exists and what the build context lets in, for %s', (app) => {
    for (const source of copiedFromContext(instructions).map((path) => path.replace('${APP}', app))) {
      expect([source, exists(source)]).toEqual([source, true]);
      const admitted = ignored
        .split('\n')
        .some((line) => line.startsWith('!') && (source === line.slice(1) || source.startsWith(`${line.slice(1)}/`)));
      expect([source, admitted]).toEqual([source, true]);
    }
  });

  it('runs on the Node release that the repository pins', () => {
    const base = /^NODE_IMAGE=node:(\d+\.\d+\.\d+)-/.exec(
      instructions.find(({ name }) => name === 'ARG')?.words ?? '',
    )?.[1];
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> };
    expect(base).toBe(packages['node_modules/node']?.version);
  });

  it('does not run as root, says how to see its health and lets Node receive signals', () => {
    const words = (wanted: string) => image.find(({ name }) => name === wanted)?.words;
    expect(words('USER')).toBe('node');
    expect(words('HEALTHCHECK')).toContain('deploy/healthcheck.ts');
    expect(words('CMD')).toContain('exec node');
  });

  it('installs every workspace that the root package.json names', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    const copied = copiedFromContext(instructions);
    expect(
      workspaces.map((pattern) => pattern.split('/')[0]).filter((folder) => !copied.includes(folder ?? '')),
    ).toEqual([]);
  });
});

describe('the files that containers mount', () => {
  it('the users of NATS are those that the apps declare', async () => {
    expect(read('deploy/nats/users.conf')).toBe(await natsUsersFile());
  });

  it.each(['deploy/postgres/create-service-databases.sh'])('%s is a shell script', (path) => {
    expect(spawnSync('sh', ['-n', inRepository(path)], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it('the database script makes every database that somebody is told to connect to', () => {
    const script = read('deploy/postgres/create-service-databases.sh');
    const made = [...script.matchAll(/^create(?:_for_service)? (\w+) /gm)].map(([, name]) => name);
    const wanted = [...composeText.matchAll(/postgres:5432\/(\w+)/g)].map(([, name]) => name);
    expect(made.toSorted()).toEqual([...new Set(wanted)].toSorted());
  });
});
