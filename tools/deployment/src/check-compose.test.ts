import { describe, expect, it } from '@jest/globals';
import { composeProblems, type Facts } from './check-compose.ts';
import type { ComposeFile, ComposeService } from './compose-file.ts';

const facts: Facts = {
  apps: new Map([['identity', { required: ['IDENTITY_LISTEN'], known: ['IDENTITY_LISTEN', 'NATS_URL'] }]]),
  jobs: new Map([['deploy/job.ts', { required: ['JOB_SETTING'], known: ['JOB_SETTING'] }]]),
  leftOut: {},
  provided: [],
  sandboxing: [],
  exists: (path) => path === 'deploy/Dockerfile',
};

const NATS_URL = 'nats://${NATS_IDENTITY_USER:-identity}:${NATS_IDENTITY_PASSWORD:?}@nats:4222';
const identity: ComposeService = {
  image: 'platform-identity',
  init: true,
  build: { context: '.', dockerfile: 'deploy/Dockerfile', args: { APP: 'identity' } },
  environment: { IDENTITY_LISTEN: '0.0.0.0:5001', NATS_URL },
  depends_on: { nats: { condition: 'service_healthy' } },
};
const nats: ComposeService = { image: 'nats:2.12.2', healthcheck: { test: ['CMD', 'true'] } };

/** What runs once in the image of that. */
const ofIdentity: ComposeService = { ...identity, restart: 'no', pull_policy: 'never', build: undefined };

const problems = (change: ComposeFile['services'] = {}, rest: Partial<ComposeFile> = {}, text = '', given = facts) =>
  composeProblems(text, { services: { identity, nats, ...change }, ...rest }, given);

describe('checking a Compose file', () => {
  it('has nothing to say about a good one', () => {
    expect(problems()).toEqual([]);
  });

  it('reports an app that no service runs', () => {
    expect(composeProblems('', { services: { nats } }, facts)).toEqual(['apps/identity has no service.']);
  });

  it('reports a required variable that is absent and one that the app does not read', () => {
    const environment = { NATS_URL, NATS_ULR: 'x' };
    expect(problems({ identity: { ...identity, environment } })).toEqual([
      'identity lacks IDENTITY_LISTEN.',
      'identity sets NATS_ULR, which its app does not read.',
    ]);
  });

  it('reports a setting that is neither passed on nor left out for a reason, and a reason that is none', () => {
    const known = ['IDENTITY_LISTEN', 'NATS_URL', 'STREAM_REPLICAS'];
    const apps = new Map([['identity', { required: ['IDENTITY_LISTEN'], known }]]);
    expect(problems({}, {}, '', { ...facts, apps })).toEqual([
      'identity neither sets STREAM_REPLICAS nor leaves it out for a reason.',
    ]);
    expect(problems({}, {}, '', { ...facts, apps, leftOut: { STREAM_REPLICAS: 'as they are' } })).toEqual([]);
    expect(problems({}, {}, '', { ...facts, leftOut: { NATS_URL: 'none', STREAM_REPLICAS: 'unknown' } })).toEqual([
      'NATS_URL is left out for a reason and set by identity.',
      'STREAM_REPLICAS is left out for a reason, and no app reads it.',
    ]);
  });

  it('checks the job that migrates against the variables that migrating reads', () => {
    const migration = { required: ['OWNER_URL'], known: ['OWNER_URL'] };
    const apps = new Map([
      ['identity', { required: ['IDENTITY_LISTEN'], known: ['IDENTITY_LISTEN', 'NATS_URL'], migration }],
    ]);
    const job: ComposeService = { ...ofIdentity, environment: { NATS_ULR: 'x' } };
    expect(problems({ job }, {}, '', { ...facts, apps })).toEqual([
      'job lacks OWNER_URL.',
      'job sets NATS_ULR, which its app does not read.',
    ]);
  });

  it('checks a job with a program of its own against the variables that this reads', () => {
    const job: ComposeService = { ...ofIdentity, command: ['node', 'deploy/job.ts'], environment: {} };
    expect(problems({ job })).toEqual(['job lacks JOB_SETTING.']);
    expect(problems({ job: { ...job, environment: { JOB_SETTING: '1' } } })).toEqual([]);
  });

  it('reports an app that is another user at NATS than itself, and a job that is not the operator', () => {
    const environment = { IDENTITY_LISTEN: '0.0.0.0:5001', NATS_URL: NATS_URL.replaceAll(/identity/gi, 'billing') };
    expect(problems({ identity: { ...identity, environment } })).toEqual([
      'identity does not connect to NATS as identity, by a URL that begins with nats://${NATS_IDENTITY_USER:-identity}:${NATS_IDENTITY_PASSWORD:?}@.',
    ]);
    const jobs = new Map([['deploy/job.ts', { required: [], known: ['NATS_URL'] }]]);
    const job: ComposeService = {
      ...ofIdentity,
      command: ['node', 'deploy/job.ts'],
      environment: { NATS_URL },
    };
    expect(problems({ job }, {}, '', { ...facts, jobs })).toEqual([
      'job does not connect to NATS as operator, by a URL that begins with nats://${NATS_OPERATOR_USER:-operator}:${NATS_OPERATOR_PASSWORD:?}@.',
    ]);
  });

  it('requires an unconfined container for an app that makes sandboxes, and for no other', () => {
    const walls = ['seccomp', 'apparmor', 'systempaths'].map((wall) => `${wall}=unconfined`);
    const sandboxing = { ...facts, sandboxing: ['identity'] };
    const withOptions = (options: string[], given: Facts) =>
      problems({ identity: { ...identity, security_opt: ['no-new-privileges:true', ...options] } }, {}, '', given);
    expect(withOptions(walls, sandboxing)).toEqual([]);
    expect(withOptions(walls.slice(1), sandboxing)).toEqual([
      'identity makes sandboxes, and lacks the security option seccomp=unconfined.',
    ]);
    expect(withOptions(walls.slice(0, 1), facts)).toEqual(['identity needs no seccomp=unconfined.']);
    expect(problems({ identity: { ...identity, privileged: true } })).toEqual(['identity is privileged.']);
  });

  it('reports an address that leads nowhere or to a port where nobody listens', () => {
    const environment = { METRICS_LISTEN: '0.0.0.0:9464', IDENTITY_LISTEN: '0.0.0.0:5001', NATS_URL };
    const apps = new Map([['identity', { required: [], known: Object.keys(environment) }]]);
    const leading = (NATS_URL: string) =>
      problems({ identity: { ...identity, environment: { ...environment, NATS_URL } } }, {}, '', { ...facts, apps });
    expect(leading(NATS_URL.replace('@nats:', '@natz:'))).toEqual([
      'identity leads by NATS_URL to natz, which is no service.',
    ]);
    expect(leading(NATS_URL.replace('nats:4222', 'identity:5001'))).toEqual([]);
    expect(leading(NATS_URL.replace('nats:4222', 'identity:5002'))).toEqual([
      'identity calls identity by NATS_URL on port 5002, but it listens on 0.0.0.0:5001.',
    ]);
  });

  it.each(['nats', 'nats:latest', 'nats:2', 'registry.example/nats'])(
    'refuses the image %s, which is not pinned',
    (image) => {
      expect(problems({ nats: { ...nats, image } })).toEqual([
        `nats uses the image ${image}, which is not pinned to a version.`,
      ]);
    },
  );

  it('requires one service to build the image of an app, whichever run in it', () => {
    const job: ComposeService = { ...ofIdentity, environment: {} };
    expect(problems({ job, another: job })).toEqual([]);
    expect(problems({ job: { ...job, build: identity.build } })).toEqual([
      'identity runs the image platform-identity, which 2 services build.',
      'job runs the image platform-identity, which 2 services build.',
    ]);
    expect(problems({ job: { ...job, pull_policy: undefined } })).toEqual([
      'job would look for the image platform-identity in a registry.',
    ]);
    const build = { context: '.', dockerfile: 'Dockerfile', args: { APP: 'billing' } };
    expect(problems({ identity: { ...identity, build } })).toEqual([
      'identity builds billing as the image of identity.',
      'identity is built by Dockerfile, which does not exist.',
    ]);
    expect(problems({ extra: { ...identity, image: 'platform-extra' } })).toContain(
      'extra runs extra, which is no app.',
    );
  });

  it('requires an init process in front of an app', () => {
    expect(problems({ identity: { ...identity, init: false } })).toEqual([
      'identity has no init that reaps what sandboxes leave.',
    ]);
  });

  it('requires a volume for the work of an app', () => {
    const environment = { IDENTITY_LISTEN: '0.0.0.0:5001', NATS_URL, TMPDIR: '/var/lib/platform/work' };
    const apps = new Map([['identity', { required: [], known: Object.keys(environment) }]]);
    const working = (volumes: string[]) =>
      problems({ identity: { ...identity, environment, volumes } }, { volumes: { work: null } }, '', {
        ...facts,
        apps,
      });
    expect(working(['${WORK_FOLDER:-work}:/var/lib/platform/work'])).toEqual([]);
    expect(working(['work:/var/lib/platform/objects'])).toEqual([
      'identity works in /var/lib/platform/work by TMPDIR, which is no volume.',
    ]);
  });

  it('reports a dependency on nothing, on health that is never checked and on the end of what never ends', () => {
    const waiting = (depends_on: ComposeService['depends_on']) =>
      problems({ identity: { ...identity, ...(depends_on && { depends_on }) } });
    expect(waiting({ natz: { condition: 'service_healthy' } })).toEqual([
      'identity waits for natz, which is no service.',
    ]);
    expect(waiting({ nats: { condition: 'service_completed_successfully' } })).toEqual([
      'identity waits for the end of nats, which never ends.',
    ]);
    expect(waiting({ nats: { condition: 'service_started' } })).toHaveLength(1);
    const job: ComposeService = { image: 'nats:2.12.2', restart: 'no' };
    expect(problems({ job, identity: { ...identity, depends_on: { job: { condition: 'service_healthy' } } } })).toEqual(
      ['identity waits for the health of job, which has no health check.'],
    );
  });

  it('requires a health check of everything that keeps running', () => {
    expect(problems({ extra: { image: 'extra:1.0' } })).toEqual(['extra has no health check.']);
  });

  it('reports mounts of files that do not exist and volumes that are not declared or not used', () => {
    const mounting = { nats: { ...nats, volumes: ['./deploy/missing.conf:/etc/x:ro', 'data:/data'] } };
    expect(problems(mounting, { volumes: { other: null } })).toEqual([
      'nats mounts ./deploy/missing.conf, which does not exist.',
      'nats mounts the volume data, which is not declared.',
      'The volume other is used by nobody.',
    ]);
  });

  it('reports a volume at a place where the image’s user may not write, or is not known to', () => {
    const at = (image: string, path: string) =>
      problems({ nats: { ...nats, image, volumes: [`data:${path}`] } }, { volumes: { data: null } });
    expect(at('nats:2.12.2', '/data')).toEqual([]);
    expect(at('postgres:18.4-bookworm', '/var/lib/postgresql')).toEqual([]);
    expect(at('quay.io/keycloak/keycloak:26.4.0', '/opt/keycloak/data/h2')).toEqual([
      'nats mounts the volume data at /opt/keycloak/data/h2, where quay.io/keycloak/keycloak is not known to be able to write.',
    ]);
  });

  it('reports ports that are taken twice or open to other machines', () => {
    const ports = ['127.0.0.1:${PLATFORM_PORT:-8080}:80', '127.0.0.1:8080:81', '9000:9000'];
    expect(problems({ nats: { ...nats, ports } })).toEqual([
      'nats publishes 127.0.0.1:8080, which is taken.',
      'nats is open to other machines by 9000:9000.',
    ]);
  });

  it('reports a variable that nobody provides and one that nobody asks for', () => {
    const text = 'a: ${MISSING:?}\nb: ${DEFAULTED:-1}\nc: $${ESCAPED}';
    expect(problems({}, {}, text, { ...facts, provided: ['LEFT_OVER'] })).toEqual([
      'Nobody provides ${MISSING}.',
      'LEFT_OVER is provided and never asked for.',
    ]);
  });
});
