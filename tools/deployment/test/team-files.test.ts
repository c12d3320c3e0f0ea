import { describe, expect, it } from '@jest/globals';
import { hasSharedPrograms, sharedProgram } from '@platform-backend/testing';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const json = (path: string): unknown => JSON.parse(read(path));
const apps = readdirSync(join(root, 'apps'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(root, 'apps', entry.name, 'package.json')))
  .map(({ name }) => name);
const manifest = json('package.json') as {
  license?: string;
  scripts: Record<string, string>;
};

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly container?: { readonly image: string };
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly permissions?: object;
  readonly concurrency?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).sort();
const workflow = (path: string): Workflow => parse(read(path)) as Workflow;
const stepsOf = (path: string): Job['steps'] => Object.values(workflow(path).jobs).flatMap(({ steps }) => steps);

describe('the workflows', () => {
  it.each(workflows)('%s may read the repository and no more, is one of its kind, and comes to an end', (path) => {
    const { permissions, concurrency, jobs } = workflow(path);
    expect(permissions).toEqual({ contents: 'read' });
    expect(concurrency).toBeDefined();
    for (const { 'timeout-minutes': timeout } of Object.values(jobs)) expect(timeout).toBeGreaterThan(0);
    for (const { uses } of stepsOf(path))
      if (uses !== undefined) expect(uses).toMatch(/^(actions\/[\w-]+|sigstore\/cosign-installer)@v\d+$/);
  });

  it('may write only where they release: versions, images, pages and the chart', () => {
    const writers = workflows.flatMap((path) =>
      Object.entries(workflow(path).jobs).flatMap(([name, { permissions = {} }]) => {
        const written = Object.keys(permissions).filter((scope) => permissions[scope] === 'write');
        return written.length === 0 ? [] : [`${path} ${name}: ${written.join()}`];
      }),
    );
    expect(writers).toEqual([
      '.github/workflows/release.yml version: contents',
      '.github/workflows/release.yml image: contents,packages,id-token',
      '.github/workflows/release.yml chart: packages',
    ]);
  });

  it('release images with a list of what is in them and how they were made, signed by what was built, and look whether that is believed', () => {
    const { steps = [] } = workflow('.github/workflows/release.yml').jobs['image'] ?? {};
    const at = (what: RegExp) => steps.findIndex(({ uses = '', run = '' }) => what.test(uses) || what.test(run));
    const order = [
      /^sigstore\/cosign-installer@/,
      /docker buildx build(?=[^]* --sbom=true)(?=[^]* --provenance=mode=max)(?=[^]* --push)/,
      /^cosign sign --yes "\$IMAGE"$/m,
      /^cosign verify (?=[^]*--certificate-oidc-issuer)(?=[^]*--certificate-identity )[^]*"\$IMAGE"/m,
    ].map(at);
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    // The image as it was built, and not whatever its tag names by then.
    expect(steps.map(({ run = '' }) => run).join('\n')).toContain('image=$image@$(jq -r \'."containerimage.digest"\'');
  });

  it('do what .ci/run does, the same on a bare machine, and the long tests', () => {
    const commands = workflows.flatMap(stepsOf).map(({ run = '' }) => run);
    for (const command of [/ \.ci\/run$/, /^npm test$/, / npm run test:long$/]) {
      expect(commands).toContainEqual(expect.stringMatching(command));
    }
    const bare = workflow('.github/workflows/checks.yml').jobs['bare'];
    expect(bare?.container?.image).toMatch(/^node:/);
    expect(bare?.steps.map(({ run = '' }) => run).join('\n')).not.toMatch(/ffmpeg|bubblewrap|python|\.ci\/run/);
  });

  it('install before the long tests what .ci/run installs', () => {
    const installed = (text: string) =>
      (/--no-install-recommends([\w\s\\-]+)/.exec(text)?.[1]?.match(/[a-z][\w-]+/g) ?? []).sort();
    const inCi = installed(read('.ci/run'));
    expect(inCi).toContain('ffmpeg');
    expect(installed(read('.github/workflows/long-tests.yml'))).toEqual(inCi);
  });

  it('are read without a complaint by actionlint, where it lies beside the repository', () => {
    if (!hasSharedPrograms) {
      process.stdout.write(
        'actionlint is not beside the repository (../shared/bin/get): the workflows were not checked by it\n',
      );
      return;
    }
    const actionlint = sharedProgram('actionlint');
    const { status, stdout, stderr } = spawnSync(actionlint, workflows, { cwd: root, encoding: 'utf8' });
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});

describe('the editor', () => {
  const tasks = json('.vscode/tasks.json') as {
    inputs: readonly { options: readonly string[] }[];
    tasks: readonly { label: string; command: string }[];
  };
  const launch = json('.vscode/launch.json') as {
    configurations: readonly { preLaunchTask?: string; command?: string; port?: number }[];
  };

  it('starts scripts and tasks that exist', () => {
    const commands = [...tasks.tasks, ...launch.configurations].flatMap(({ command }) => command ?? []);
    const scripts = commands.map((command) => /^npm (?:run )?([\w:-]+)/.exec(command)?.[1] ?? command);
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([]);
    const labels = tasks.tasks.map(({ label }) => label);
    for (const { preLaunchTask } of launch.configurations) if (preLaunchTask) expect(labels).toContain(preLaunchTask);
  });

  it('offers every app to be debugged', () => {
    expect(tasks.inputs.flatMap(({ options }) => options).sort()).toEqual(apps.toSorted());
  });
});

describe('the pages for a team', () => {
  it('name an owner for every app and its contract, and no path that is gone', () => {
    const owned = [...read('.github/CODEOWNERS').matchAll(/^(\/\S+) +@/gm)].map(([, path = '']) => path);
    expect(owned.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const wanted = apps.flatMap((app) => [
      `/apps/${app}/`,
      ...(existsSync(join(root, 'protos/platform', app)) ? [`/protos/platform/${app}/`] : []),
    ]);
    expect(owned).toEqual(expect.arrayContaining(wanted));
  });

  it('agree on the licence and on the Node that is used', () => {
    expect(manifest.license).toBe('Apache-2.0');
    expect(read('LICENSE')).toMatch(/^\s*Apache License\s+Version 2\.0, January 2004/);
    const { version } = json('node_modules/node/package.json') as { version: string };
    expect(read('.nvmrc').trim()).toBe(version.split('.')[0]);
  });
});
