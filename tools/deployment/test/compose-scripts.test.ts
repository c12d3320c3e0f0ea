import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const ORGANISATION = 'org_01M8C05GDC9RGSNA667EVTVJMM';
const VOLUMES = ['postgres', 'mongo', 'objects', 'pipelines-work'];

/** In place of Docker: notes down what it is asked, answers it, and fails at what FAILS matches. */
const DOCKER = `#!/usr/bin/env bash
echo "$*" >>"$CALLS"
if [[ -n \${FAILS:-} && "$*" =~ $FAILS ]]; then exit 1; fi
case "$*" in
  'compose config') echo 'name: p' ;;
  'compose config --images'*) echo image ;;
  'compose up '*--scale*) touch "$CALLS.rolling" ;;
  'compose ps --quiet --status running') printf '%s\\n' database service ;;
  'compose ps --all --quiet'*) echo old; if [[ -e $CALLS.rolling ]]; then echo new; fi ;;
  *'FROM organisations WHERE id = '\\''${ORGANISATION}'\\''') echo 1 ;;
  *'FROM organisations WHERE id'*) echo 0 ;;
  'volume ls'*) printf 'p_%s\\n' ${VOLUMES.join(' ')} ;;
  'volume inspect'*) echo "\${@: -1}" | sed s/^p_// ;;
  'inspect --format {{.State.Health.Status}}'*) echo "$HEALTH_OF_NEW" ;;
  'inspect'*) echo false ;;
esac
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'compose-scripts-'));
  writeFileSync(join(folder, 'docker'), DOCKER, { mode: 0o755 });
  const secrets = ['PIPELINES', 'NOTEBOOKS', 'CONTENT'].map((name) => `${name}_APP_PASSWORD='of-${name}'\n`);
  writeFileSync(join(folder, 'environment'), secrets.join(''));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a script ended with, said, and asked of Docker. */
function run(script: string, args: readonly string[], fails = '', healthOfNew = 'healthy 0') {
  const calls = join(folder, 'calls');
  writeFileSync(calls, '');
  rmSync(`${calls}.rolling`, { force: true });
  const { status, stderr } = spawnSync('bash', [`deploy/compose/${script}.sh`, ...args], {
    cwd: repository,
    encoding: 'utf8',
    timeout: 240_000,
    env: {
      PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
      COMPOSE_ENV_FILES: join(folder, 'environment'),
      CALLS: calls,
      FAILS: fails,
      HEALTH_OF_NEW: healthOfNew,
    },
  });
  return { status, stderr, calls: readFileSync(calls, 'utf8').trim().split('\n') };
}

describe('a backup', () => {
  it('has everything that is kept, and starts what it has stopped, and no migration, whose password may be another one by now', () => {
    const backup = join(folder, 'backup');
    const { status, calls } = run('backup', [`${backup}/`]);
    expect(status).toBe(0);
    expect(readdirSync(backup).sort()).toEqual(['environment', 'mongo.tar.gz', 'objects.tar.gz', 'postgres.tar.gz']);
    expect(calls).toContain('start database service');
    const files = readFileSync(join(backup, 'environment'), 'utf8');
    expect(run('backup', [backup]).status).not.toBe(0);
    expect(readFileSync(join(backup, 'environment'), 'utf8')).toBe(files);
  });

  it('that broke off is none: what it has copied is not there to be taken for the whole', () => {
    const backup = join(folder, 'broken off');
    const { status, calls } = run('backup', [backup], '^run .*p_mongo:');
    expect(status).not.toBe(0);
    expect(calls).toContain('start database service');
    expect(existsSync(backup)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('broken off'))).toEqual([]);
  });
});

describe('a roll', () => {
  it('replaces the old replicas when the new ones are there', () => {
    const { status, calls } = run('roll', ['identity']);
    expect(status).toBe(0);
    expect(calls).toEqual(expect.arrayContaining(['stop old', 'rm old']));
  });

  it('replaces old replicas also where nobody could wait for them', () => {
    const { status, calls } = run('roll', ['identity'], '--wait|inspect.* old');
    expect(status).toBe(0);
    expect(calls).toEqual(expect.arrayContaining(['stop old', 'rm old']));
  });

  it.each(['unhealthy 0', 'starting 5', ''])(
    'leaves the old replicas and nothing else where the new ones are %j',
    (health) => {
      const { status, calls } = run('roll', ['identity'], '', health);
      expect(status).not.toBe(0);
      expect(calls).toContain('rm --force new');
      expect(calls.filter((call) => /\bold\b/.test(call))).toEqual([]);
    },
  );

  it('leaves the old replicas as they are where Compose makes no new ones', () => {
    const { status, calls } = run('roll', ['identity'], '^compose up');
    expect(status).not.toBe(0);
    expect(calls.filter((call) => /\b(old|new)\b/.test(call))).toEqual([]);
  });
});

describe('an organisation that is put back', () => {
  const backup = () => {
    const made = join(folder, 'of an organisation');
    mkdirSync(made, { recursive: true });
    writeFileSync(join(made, 'environment'), readFileSync(join(folder, 'environment')));
    for (const name of VOLUMES) writeFileSync(join(made, `${name}.tar.gz`), '');
    return made;
  };
  const restored = (calls: readonly string[]) =>
    calls.flatMap((call) => /apps\/(\w+)\/src\/main\.ts organisation restore org_\w+ /.exec(call)?.[1] ?? []);

  it('is so in every service, and nothing of the backup stays', () => {
    const { status, calls } = run('restore-organisation', [backup(), ORGANISATION]);
    expect(status).toBe(0);
    expect(restored(calls)).toEqual(['pipelines', 'notebooks', 'content']);
    expect(calls.slice(-2)).toEqual([
      expect.stringMatching(/^rm --force p-before/),
      expect.stringMatching(/^volume rm/),
    ]);
  });

  it('is not, and the script says where, when a service has failed', () => {
    const { status, stderr, calls } = run(
      'restore-organisation',
      [backup(), ORGANISATION],
      'apps/notebooks/src/main.ts',
    );
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/notebooks/);
    expect(restored(calls)).toEqual(['pipelines', 'notebooks', 'content']);
  });

  it('is not where there is none of this id, or none any more', () => {
    for (const organisation of ['org_01M8C05GDC9RGSNA667EVTVJMN', '*', "org_'"]) {
      const { status, calls } = run('restore-organisation', [backup(), organisation]);
      expect([status, restored(calls)]).toEqual([1, []]);
    }
  });

  it('is not where its files cannot be written or a database of the backup does not start', () => {
    const files = run('restore-organisation', [backup(), ORGANISATION], '--skip-old-files');
    expect(files.status).not.toBe(0);
    expect(restored(files.calls)).toEqual([]);
    const { status, calls, stderr } = run('restore-organisation', [backup(), ORGANISATION], '^exec ');
    expect(status).toBe(1);
    expect(stderr).toMatch(/does not start/);
    expect(calls.at(-1)).toMatch(/^volume rm/);
  });
});
