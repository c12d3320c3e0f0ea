import { posix } from 'node:path';
import { appOf, byDefault, hasHealthCheck, isOneShot, type ComposeFile, type ComposeService } from './compose-file.ts';

/** The environment variables of one app. */
export type AppSettings = SettingNames & {
  /** What it reads when it only migrates its database and ends. */
  migration?: SettingNames;
};

export type SettingNames = { required: readonly string[]; known: readonly string[] };

/** What the file is held against. */
export type Facts = {
  /** Every app of the repository with its settings. */
  apps: ReadonlyMap<string, AppSettings>;
  /** The programs under deploy/ that jobs run, with what each reads. */
  jobs: ReadonlyMap<string, SettingNames>;
  /** Settings that no service passes on, each with the reason why its default is right here. */
  leftOut: Readonly<Record<string, string>>;
  /** What `${NAME}` may stand for: the names that `npm run compose:environment` prints. */
  provided: readonly string[];
  /** The apps that run what customers write in a sandbox of their own. */
  sandboxing: readonly string[];
  /** Whether the repository has this path. */
  exists: (path: string) => boolean;
};

/** Everything that would keep `docker compose up` from working, one sentence each. */
export const composeProblems = (text: string, file: ComposeFile, facts: Facts): string[] => [
  ...missingApps(file, facts),
  ...leftOutProblems(file, facts),
  ...Object.entries(file.services).flatMap(([name, service]) =>
    [
      ...imageProblems(service, file, facts),
      ...environmentProblems(service, facts),
      ...addressProblems(service, file),
      ...userProblems(service),
      ...wallProblems(service, facts),
      ...dependencyProblems(service, file),
      ...mountProblems(service, file, facts),
      ...workProblems(service),
      ...(isOneShot(service) || hasHealthCheck(service) ? [] : ['has no health check']),
    ].map((problem) => `${name} ${problem}.`),
  ),
  ...portProblems(file),
  ...unusedProblems(file),
  ...variableProblems(text, facts),
];

const missingApps = ({ services }: ComposeFile, { apps }: Facts): string[] => {
  const running = Object.values(services).filter((service) => !isOneShot(service));
  return [...apps.keys()]
    .filter((app) => !running.some((service) => appOf(service) === app))
    .map((app) => `apps/${app} has no service.`);
};

/** A tag with at least major and minor version: `18.4`, `2.12.2-alpine`. */
const PINNED = /^[^:]+(?:\/[^:]+)*:v?\d+\.\d+[\w.-]*$/;

const imageProblems = (service: ComposeService, { services }: ComposeFile, { apps, exists }: Facts): string[] => {
  const { image, build, init } = service;
  if (image === undefined) return ['has no image'];
  const app = appOf(service);
  if (app === undefined) return PINNED.test(image) ? [] : [`uses the image ${image}, which is not pinned to a version`];
  const builders = Object.values(services).filter((other) => other.image === image && other.build);
  return [
    ...(apps.has(app) ? [] : [`runs ${app}, which is no app`]),
    // One that a second service built would stay as it is when the first is built anew.
    ...(builders.length === 1 ? [] : [`runs the image ${image}, which ${String(builders.length)} services build`]),
    ...(build ? buildProblems(build, app, exists) : []),
    ...(build || service.pull_policy === 'never' ? [] : [`would look for the image ${image} in a registry`]),
    ...(init === true ? [] : ['has no init that reaps what sandboxes leave']),
  ];
};

const buildProblems = (
  { context, dockerfile, args }: NonNullable<ComposeService['build']>,
  app: string,
  exists: Facts['exists'],
): string[] => [
  ...(args?.['APP'] === app ? [] : [`builds ${args?.['APP'] ?? 'nothing'} as the image of ${app}`]),
  ...(exists(posix.join(context, dockerfile)) ? [] : [`is built by ${dockerfile}, which does not exist`]),
];

const settingsOf = (service: ComposeService, { apps, jobs }: Facts): SettingNames | undefined => {
  const app = apps.get(appOf(service) ?? '');
  if (!isOneShot(service)) return app;
  return service.command?.map((word) => jobs.get(word)).find((settings) => settings !== undefined) ?? app?.migration;
};

/** Each app is a user of its own at NATS; what a job does there, it does as the operator. */
const userProblems = (service: ComposeService): string[] => {
  const { NATS_URL: url } = service.environment ?? {};
  if (url === undefined) return [];
  const own = isOneShot(service) ? 'operator' : (appOf(service) ?? '');
  const variable = `NATS_${own.toUpperCase()}`;
  // By its other name while its password is replaced.
  const expected = `nats://\${${variable}_USER:-${own}}:\${${variable}_PASSWORD:?}@`;
  return url.startsWith(expected) ? [] : [`does not connect to NATS as ${own}, by a URL that begins with ${expected}`];
};

/** What of a container stands in the way of bubblewrap, see docs/decisions/0055. */
const IN_THE_WAY = ['seccomp', 'apparmor', 'systempaths'];

/** Walls of a container are down where its app makes sandboxes that need it, and nowhere else. */
const wallProblems = (service: ComposeService, { sandboxing }: Facts): string[] => {
  const { privileged = false, security_opt: options = [] } = service;
  const makesSandboxes = !isOneShot(service) && sandboxing.includes(appOf(service) ?? '');
  const isDown = (wall: string) => options.includes(`${wall}=unconfined`);
  return [
    ...(privileged ? ['is privileged'] : []),
    ...(makesSandboxes ? IN_THE_WAY.filter((wall) => !isDown(wall)) : []).map(
      (wall) => `makes sandboxes, and lacks the security option ${wall}=unconfined`,
    ),
    ...(makesSandboxes ? [] : IN_THE_WAY.filter(isDown)).map((wall) => `needs no ${wall}=unconfined`),
  ];
};

const environmentProblems = (service: ComposeService, facts: Facts): string[] => {
  const settings = settingsOf(service, facts);
  if (!settings) return [];
  const given = Object.keys(service.environment ?? {});
  return [
    ...settings.required.filter((name) => !given.includes(name)).map((name) => `lacks ${name}`),
    ...given
      .filter((name) => !settings.known.includes(name))
      .map((name) => `sets ${name}, which its app does not read`),
    ...settings.known
      .filter((name) => !given.includes(name) && !settings.required.includes(name) && !(name in facts.leftOut))
      .map((name) => `neither sets ${name} nor leaves it out for a reason`),
  ];
};

const leftOutProblems = ({ services }: ComposeFile, facts: Facts): string[] =>
  Object.keys(facts.leftOut).flatMap((name) => {
    const readers = Object.entries(services).filter(([, service]) => settingsOf(service, facts)?.known.includes(name));
    if (readers.length === 0) return [`${name} is left out for a reason, and no app reads it.`];
    return readers
      .filter(([, { environment = {} }]) => name in environment)
      .map(([reader]) => `${name} is left out for a reason and set by ${reader}.`);
  });

/** Every `host:port` in the environment of an app leads to a service that listens there. */
const addressProblems = (service: ComposeService, { services }: ComposeFile): string[] => {
  if (appOf(service) === undefined) return [];
  return Object.entries(service.environment ?? {}).flatMap(([name, value]) => {
    const address = /(?:^|[/@])([a-z][a-z0-9-]*):(\d+)(?:\/|$)/.exec(value);
    const [, host = '', port = ''] = address ?? [];
    if (address === null || host === 'localhost') return [];
    const target = services[host];
    if (!target) return [`leads by ${name} to ${host}, which is no service`];
    const listens = target.environment?.[`${appOf(target)?.toUpperCase() ?? ''}_LISTEN`];
    return listens === undefined || listens.endsWith(`:${port}`)
      ? []
      : [`calls ${host} by ${name} on port ${port}, but it listens on ${listens}`];
  });
};

const dependencyProblems = (service: ComposeService, { services }: ComposeFile): string[] =>
  Object.entries(service.depends_on ?? {}).flatMap(([name, { condition }]) => {
    const target = services[name];
    if (!target) return [`waits for ${name}, which is no service`];
    if (condition === 'service_healthy')
      return hasHealthCheck(target) ? [] : [`waits for the health of ${name}, which has no health check`];
    if (condition === 'service_completed_successfully')
      return isOneShot(target) ? [] : [`waits for the end of ${name}, which never ends`];
    return [`waits for ${name} by ${condition}, which does not say that it works`];
  });

/** Where a fresh volume can be written: it belongs to root, so the image must run as root or hand it over itself. */
const WRITABLE: Readonly<Record<string, readonly string[]>> = {
  postgres: ['/var/lib/postgresql'],
  mongo: ['/data/db'],
  nats: ['/data'],
  'our own image': ['/var/lib/platform/objects', '/var/lib/platform/work', '/var/lib/platform/models'],
};

const mountProblems = (
  service: ComposeService,
  { volumes = {}, configs = {} }: ComposeFile,
  { exists }: Facts,
): string[] => [
  ...(service.volumes ?? []).flatMap((volume) => {
    const [source = '', target = ''] = byDefault(volume).split(':');
    if (source.startsWith('.')) return exists(source) ? [] : [`mounts ${source}, which does not exist`];
    if (!(source in volumes)) return [`mounts the volume ${source}, which is not declared`];
    const image = appOf(service) === undefined ? (service.image ?? '').replace(/:[^:/]+$/, '') : 'our own image';
    if (WRITABLE[image]?.includes(target)) return [];
    return [`mounts the volume ${source} at ${target}, where ${image} is not known to be able to write`];
  }),
  ...(service.configs ?? [])
    .filter(({ source }) => !(source in configs))
    .map(({ source }) => `uses the config ${source}, which is not declared`),
];

/** What is worked with may be larger than memory, where temporary files are. */
const workProblems = ({ environment = {}, volumes = [] }: ComposeService): string[] =>
  Object.entries(environment)
    .filter(([name]) => /^(TMPDIR|\w+_WORK_DIRECTORY)$/.test(name))
    .filter(([, folder]) => !volumes.some((volume) => byDefault(volume).split(':')[1] === folder))
    .map(([name, folder]) => `works in ${folder} by ${name}, which is no volume`);

const portProblems = ({ services }: ComposeFile): string[] => {
  const published = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => ({ name, port })));
  const hostPort = (port: string) =>
    port
      .replace(/\$\{\w+:-(\d+)\}/, '$1')
      .split(':')
      .slice(0, -1)
      .join(':');
  const seen = new Set<string>();
  return published.flatMap(({ name, port }) => {
    const host = hostPort(port);
    const taken = seen.has(host);
    seen.add(host);
    return [
      ...(host.startsWith('127.0.0.1:') ? [] : [`${name} is open to other machines by ${port}.`]),
      ...(taken ? [`${name} publishes ${host}, which is taken.`] : []),
    ];
  });
};

const unusedProblems = ({ services, volumes = {}, configs = {} }: ComposeFile): string[] => {
  const mounted = Object.values(services).flatMap((service) =>
    (service.volumes ?? []).map((volume) => byDefault(volume).split(':', 1)[0]),
  );
  const configured = Object.values(services).flatMap((service) => (service.configs ?? []).map(({ source }) => source));
  return [
    ...Object.keys(volumes)
      .filter((name) => !mounted.includes(name))
      .map((name) => `The volume ${name} is used by nobody.`),
    ...Object.keys(configs)
      .filter((name) => !configured.includes(name))
      .map((name) => `The config ${name} is used by nobody.`),
  ];
};

/** `$$` stands for a dollar sign; a variable with a default, or that counts where it is there, needs no value. */
const VARIABLE = /(?<!\$)\$\{(\w+)(:[-+])?/g;

const variableProblems = (text: string, { provided }: Facts): string[] => {
  const asked = [...text.matchAll(VARIABLE)]
    .filter(([, , hasDefault]) => hasDefault === undefined)
    .map(([, name = '']) => name);
  return [
    ...[...new Set(asked)].filter((name) => !provided.includes(name)).map((name) => `Nobody provides \${${name}}.`),
    ...provided.filter((name) => !asked.includes(name)).map((name) => `${name} is provided and never asked for.`),
  ];
};
