import { describe, expect, it } from '@jest/globals';
import { loadPlatformContract } from '@platform-backend/contracts';
import type { Settings } from '@platform-backend/core';
import { gatewaySettings } from '@platform-backend/gateway/settings';
import { declaredServices } from '@platform-backend/service/declared';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { parse } from 'yaml';
import { streamJobSettings } from '../../../deploy/event-streams.ts';
import { settingNames } from '../src/app-settings.ts';
import { composeProblems, type AppSettings } from '../src/check-compose.ts';
import { realmProblems, type Realm } from '../src/check-realm.ts';
import { composeEnvironment } from '../src/compose-environment.ts';
import { appOf, byDefault, type ComposeFile } from '../src/compose-file.ts';
import { copiedFromContext, lastStage, parseDockerfile } from '../src/dockerfile.ts';
import { leftOut } from '../src/left-out.ts';
import { natsUsersFile } from '../src/nats-users.ts';
import { BACKUP, blocksUnder, RESTORE, RESTORE_OF_ONE, RUN_UNDER_LOAD } from '../src/runbook.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const inRepository = (path: string): string => join(ROOT, path);
const exists = (path: string): boolean => existsSync(inRepository(path));
const read = (path: string): string => readFileSync(inRepository(path), 'utf8');

const composeText = read('docker-compose.yml');
const compose = parse(composeText, { merge: true }) as ComposeFile;
const services = await declaredServices(inRepository('apps'));
const apps = readdirSync(inRepository('apps')).filter((name) => exists(`apps/${name}/src/main.ts`));

/** Those that run what customers write. */
const sandboxing = apps.filter((app) => read(`apps/${app}/package.json`).includes('"@platform-backend/sandbox"'));

const domains = new Set(loadPlatformContract().operations.map(({ domain }) => domain));

/** A service reads its environment as it declares itself, the gateway by settings of its own. */
const variablesOf = (app: string): { running: Settings; migrating?: Settings } =>
  services.find(({ declaration }) => declaration.name === app)?.variables ?? { running: gatewaySettings(domains) };

/** Also counts what the templates in an app's config folder name. */
const settingsOf = (app: string): AppSettings => {
  const { running, migrating } = variablesOf(app);
  const folder = `apps/${app}/config`;
  const templates = exists(folder) ? readdirSync(inRepository(folder)).filter((name) => name.endsWith('.yml')) : [];
  const named = templates.flatMap((name) =>
    [...read(`${folder}/${name}`).matchAll(/\$\{(\w+)/g)].map(([, variable = '']) => variable),
  );
  const { required, known } = settingNames(running);
  return { required, known: [...known, ...named], ...(migrating && { migration: settingNames(migrating) }) };
};

describe('docker-compose.yml', () => {
  it('would bring up every app with a complete and correct environment', async () => {
    const settings = new Map(apps.map((app) => [app, settingsOf(app)]));
    const provided = Object.keys(await composeEnvironment());
    const jobs = new Map([['deploy/event-streams.ts', settingNames(streamJobSettings)]]);
    const facts = { apps: settings, jobs, leftOut, provided, sandboxing, exists };
    expect(composeProblems(composeText, compose, facts)).toEqual([]);
  });

  it('has a PostgreSQL, a MongoDB, a NATS cluster of three and an OpenID provider, and nothing that no service uses', () => {
    const foreign = Object.values(compose.services).filter((service) => appOf(service) === undefined);
    const images = foreign.map(({ image = '' }) => image.replace(/:[^:/]+$/, ''));
    expect(images.toSorted()).toEqual(['mongo', 'nats', 'nats', 'nats', 'postgres', 'quay.io/keycloak/keycloak']);
  });

  it('reads secrets from a file that neither git nor an image takes up', () => {
    expect(read('.gitignore').split('\n')).toEqual(expect.arrayContaining(['.env', '.env.*']));
    // Everything is left out of the build context that the rest of the file does not name.
    expect(read('deploy/Dockerfile.dockerignore').split('\n')).toEqual(expect.arrayContaining(['*', '**/.env*']));
  });

  it('asks the gateway to trust exactly the access tokens of the realm that Keycloak imports', () => {
    const realm = JSON.parse(read('deploy/keycloak/platform-realm.json')) as Realm;
    const environment = compose.services['gateway']?.environment ?? {};
    const {
      OIDC_ISSUER: issuer = '',
      OIDC_AUDIENCE: audience = '',
      GATEWAY_DOCS_CLIENT_ID: docsClientId,
    } = environment;
    expect(realmProblems(realm, { issuer, audience, docsClientId })).toEqual([]);
    expect(issuer.startsWith(compose.services['keycloak']?.environment?.['KC_HOSTNAME'] ?? 'unset')).toBe(true);
  });

  it('tells every app the address at which it publishes the gateway, whatever its port', () => {
    const urls = Object.values(compose.services).flatMap(
      ({ environment }) => environment?.['PLATFORM_PUBLIC_URL'] ?? [],
    );
    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) {
      expect(byDefault(url)).toBe('http://127.0.0.1:8080');
      expect(byDefault(url.replace('${PLATFORM_PORT:-8080}', '18080'))).toBe('http://127.0.0.1:18080');
    }
  });

  it('gives the gateway time for its delay, which is some, and for its drain', () => {
    const { stop_grace_period: grace = '', environment = {} } = compose.services['gateway'] ?? {};
    const delayMs = Number(byDefault(environment['GATEWAY_DRAIN_DELAY_MS'] ?? '0'));
    expect(delayMs).toBeGreaterThan(0);
    const limitMs = Number(gatewaySettings(domains).GATEWAY_DRAIN_LIMIT_MS.fallback?.value);
    expect(Number(grace.replace(/s$/, '')) * 1000).toBeGreaterThan(delayMs + limitMs);
  });

  it('passes on every setting of content, and models from a folder', () => {
    const { environment = {}, volumes = [] } = compose.services['content'] ?? {};
    for (const name of settingsOf('content').known.filter(
      (known) => /^(CONTENT|EMBEDDINGS|TRANSCRIPTION|LLM)_/.test(known) && !(known in leftOut),
    ))
      expect(environment).toHaveProperty(name);
    expect(volumes.map(byDefault)).toContain(`models:${environment['MODELS_DIR'] ?? ''}:ro`);
  });

  it('gives a service no owner’s password: only its migration has one', () => {
    const holders = Object.entries(compose.services).filter(
      ([, service]) => appOf(service) !== undefined && JSON.stringify(service.environment).includes('_OWNER_PASSWORD'),
    );
    expect(holders.map(([name]) => name).toSorted()).toEqual(
      services.map(({ declaration }) => `${declaration.name}-migration`),
    );
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

  it('has bubblewrap for exactly the apps that make sandboxes, and ffmpeg for the one that hears', () => {
    const apt = instructions
      .filter(({ name, words }) => name === 'RUN' && words.includes('apt-get'))
      .map(({ words }) => words);
    const named = (program: string) =>
      apt.flatMap((words) => new RegExp(`([\\w|]+)\\)[^;]*install [^;]*${program}`).exec(words)?.[1]?.split('|') ?? []);
    expect(named('bubblewrap')).toEqual(sandboxing.toSorted());
    expect(named('ffmpeg')).toEqual(['content']);
    // What apt keeps for the next time would be in the image.
    for (const words of apt) {
      expect(words).toContain('type=tmpfs,target=/var/cache/apt');
      expect(words).toContain('type=tmpfs,target=/var/lib/apt/lists');
    }
  });

  it('makes an ffmpeg that knows all that content asks of it', () => {
    const made = instructions.find(({ words }) => words.includes('--enable-ffmpeg'))?.words ?? '';
    const enabled = (kind: string) =>
      [...made.matchAll(new RegExp(`--enable-${kind}='?([\\w,*]+)`, 'g'))].flatMap(([, names = '']) =>
        names.split(','),
      );
    const asked = read('apps/content/src/transcription/models/decode-sound.ts');
    const named = (pattern: RegExp) => [...asked.matchAll(pattern)].map(([, name = '']) => name);
    const demuxers = named(/'audio\/\w+': '(\w+)'/g);
    // What it writes; ffmpeg has another name for raw samples when it is made.
    const muxers = [...named(/'-f',\s+'(\w+)'/g), ...named(/(?<=as: .*)'(\w+)'/g)];
    const protocols = named(/[`'](file|pipe|https?|tcp|data|fd):/g);
    for (const found of [demuxers, muxers, protocols]) expect(found).not.toEqual([]);
    expect(enabled('demuxer')).toEqual(expect.arrayContaining(demuxers));
    expect(enabled('muxer')).toEqual(
      expect.arrayContaining(muxers.map((name) => (name === 's16le' ? 'pcm_s16le' : name))),
    );
    expect(enabled('protocol')).toEqual(expect.arrayContaining(protocols));
    expect(enabled('encoder')).toEqual(expect.arrayContaining(named(/'-c:a',\s+'(\w+)'/g)));
  });

  it('installs what the lock file says, which lists the packages of every platform', () => {
    const installing = instructions.filter(({ words }) => words.includes('npm '));
    expect(installing.map(({ words }) => words)).toEqual([expect.stringContaining('npm ci --workspace')]);
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
    };
    const absent = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => {
        return !ancestorsOf(path).some((folder) => `${folder}node_modules/${name}` in packages);
      }),
    );
    expect(absent).toEqual([]);
  });

  it('does not run as root, says how to see its health and lets Node receive signals', () => {
    const words = (wanted: string) => image.find(({ name }) => name === wanted)?.words;
    expect(words('USER')).toBe('node');
    expect(words('HEALTHCHECK')).toContain('deploy/healthcheck.sh');
    expect(words('ENTRYPOINT')).toBe('["tini", "-s", "--"]');
    expect(words('CMD')).toContain('exec node');
  });
});

describe('the files that containers mount', () => {
  it('the users of NATS are those that the apps declare', async () => {
    expect(read('deploy/nats/users.conf')).toBe(await natsUsersFile());
  });

  it.each([
    ...['deploy/postgres/create-service-databases.sh', 'deploy/mongo/start.sh', 'deploy/mongo/healthcheck.sh'],
    ...['backup', 'restore', 'restore-organisation', 'roll'].map((name) => `deploy/compose/${name}.sh`),
  ])('%s is a shell script', (path) => {
    const checked = spawnSync('bash', ['-n', inRepository(path)], { encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(['create-service-databases.js', 'become-primary.js', 'is-primary.js'])(
    'deploy/mongo/%s is a script of mongosh',
    (name) => {
      expect(() => new Script(read(`deploy/mongo/${name}`))).not.toThrow();
    },
  );

  /** What a script makes, and the databases at such addresses that somebody is told to connect to. */
  it.each([
    ['deploy/postgres/create-service-databases.sh', /^create(?:_for_service)? (\w+) /gm, /postgres:5432\/(\w+)/g],
    ['deploy/mongo/create-service-databases.js', /^createForService\('(\w+)'\)/gm, /mongo:27017\/(\w+)/g],
  ])('%s makes every database that somebody is told to connect to', (path, makes, addresses) => {
    const made = [...read(path).matchAll(makes)].map(([, name]) => name);
    const wanted = [...composeText.matchAll(addresses)].map(([, name]) => name);
    expect(made.toSorted()).toEqual([...new Set(wanted)].toSorted());
  });

  it('the script for MongoDB gives the running service no right to change what its migration has made', () => {
    const made = mongoRolesOf(read('deploy/mongo/create-service-databases.js'));
    const app = made.find(({ user }) => user === 'content_app');
    expect(app?.roles).toEqual(['documents']);
    expect(made.find(({ user }) => user === 'content_owner')?.roles).toEqual(['readWrite', 'dbAdmin']);
    const actions = made.find(({ role }) => role === 'documents')?.privileges?.[0]?.actions;
    for (const change of ['createIndex', 'collMod', 'bypassDocumentValidation']) expect(actions).not.toContain(change);
  });
});

describe('docs/runbooks.md', () => {
  const page = read('docs/runbooks.md');

  it.each([...RUN_UNDER_LOAD, BACKUP, RESTORE, RESTORE_OF_ONE])(
    'has commands below "%s" that a shell understands',
    (heading) => {
      for (const block of blocksUnder(page, heading))
        expect(spawnSync('bash', ['-n', '-c', block], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    },
  );

  it('has no commands that `npm run test:containers` does not run', () => {
    const run = [...RUN_UNDER_LOAD, BACKUP, RESTORE, RESTORE_OF_ONE].flatMap((heading) => blocksUnder(page, heading));
    expect(run.length).toBe(page.split('```sh\n').length - 1);
  });
});

/** Where Node looks for packages from a folder of the lock file, each with a slash behind it. */
function ancestorsOf(path: string): string[] {
  const parts = path.split('/');
  return [...parts.keys(), parts.length].map((length) =>
    parts
      .slice(0, length)
      .map((part) => `${part}/`)
      .join(''),
  );
}

interface MadeInMongo {
  readonly role?: string;
  readonly privileges?: readonly { readonly actions: readonly string[] }[];
  readonly user?: string;
  readonly roles?: readonly string[];
}

/** The users and roles that the script makes, by running it without a server. */
function mongoRolesOf(script: string): MadeInMongo[] {
  const made: MadeInMongo[] = [];
  const database = {
    createRole: (role: MadeInMongo) => made.push(role),
    createUser: (user: MadeInMongo) => made.push(user),
  };
  const environment = { CONTENT_OWNER_PASSWORD: 'o', CONTENT_APP_PASSWORD: 'a' };
  new Script(script).runInNewContext({ db: { getSiblingDB: () => database }, process: { env: environment } });
  return made;
}
