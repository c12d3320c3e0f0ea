import { describe, expect, it } from '@jest/globals';
import { missingPrograms } from '@platform-backend/system-programs';
import { itWhere, leaveOut } from '@platform-backend/testing/where';
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsIn } from '../src/documented-commands.ts';
import { send } from '../src/http.ts';
import { buyCredits, callerOf } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { Organisation } from '../src/resources.ts';
import { terminal } from '../src/terminal.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Of commands that are not run here, and why. */
const ELSEWHERE: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^([A-Z_]+=\S+ )*npm start$/, 'is how the platform of these tests is started'],
  [/^npm (test|run test:long|test -- apps\/identity)$/, 'is what runs this file among others'],
  [/^npm run debug /, 'tools/dev/test/debugging.test.ts'],
  [/^IDENTITY=|^npx buf curl /, 'e2e/test/grpc-clients.test.ts'],
  [
    /^npm run (generate|format|generate:configuration|generate:errors)$/,
    'writes files that others read; the checks of npm test run it',
  ],
  [/^npm (run new-service .*|install)$/, 'tools/dev/test/adding-a-service.test.ts'],
  [/^npm test -- --affected$/, 'is npm test, of what has been changed'],
  [/^(MODELS_DIR=\S+ )?npm run models -- install\b/, 'fetches from a model hub; tools/models/test has one of its own'],
  [
    /^(npm run -s compose:environment|(MODELS_FOLDER=\S+ )?docker|kubectl) /,
    'needs an engine of containers; tools/deployment/test',
  ],
  [/^npm run bench -- soak /, 'measures for a quarter of an hour; bench/src/soak has its tests'],
  [/^grep -h REQUEST_ID /, 'has the id of a request in its place; e2e/test/pipelines.test.ts'],
  [/^helm /, 'needs Helm, and a cluster; tools/deployment/test/deploying.test.ts'],
  [/^cosign /, 'needs a registry of images'],
  [/^git clone /, 'has been done'],
  [/^rm -rf \.platform$/, 'takes the data of whoever runs this'],
];
/** What they print when there is nothing left to do but to press Ctrl-C. */
const UNTIL_INTERRUPTED: readonly (readonly [command: RegExp, printed: RegExp])[] = [[/ --watch /, /^PASS /m]];

const curlLack = missingPrograms('curl');

/** Its commands are for what Compose runs, and `npm run test:containers` runs them. */
const RUNBOOKS = join('docs', 'runbooks.md');
const ofRepository = globSync('docs/*.md', { cwd: ROOT }).filter((page) => page !== RUNBOOKS);

const pages = ['README.md', 'CONTRIBUTING.md', ...ofRepository].flatMap((page) => {
  const commands = commandsIn(readFileSync(join(ROOT, page), 'utf8'));
  const here = commands
    .filter((command) => !ELSEWHERE.some(([those]) => those.test(command)))
    .filter((command) => curlLack === undefined || !command.startsWith('curl '));
  return here.length === 0 ? [] : [{ page, commands: here }];
});

/** Started as in the terminal of a newcomer, like all that is typed here. */
const platform = sharedPlatform();

describe('a newcomer', () => {
  /** What a shell at the root of the repository answers, interrupted once it has printed something when that is given. */
  const typed = async (
    script: string,
    {
      until,
      home = platform.home,
      variables = {},
    }: { until?: RegExp; home?: string; variables?: Readonly<Record<string, string>> } = {},
  ) => {
    const env = { ...terminal(), ...variables, PLATFORM_HOME: home };
    const child = spawn('bash', ['-c', script], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let [stdout, stderr] = ['', ''];
    const look = (): void => {
      if (until?.test(stdout + stderr) && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      look();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      look();
    });
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { status, stdout, stderr };
  };

  itWhere(curlLack, 'pastes what npm start printed, and it works', async () => {
    // The lines to paste are the indented commands; a backslash continues one on the next line.
    const commands = platform.output.replaceAll(/\\\n\s*/g, ' ').match(/^ {2}(?:TOKEN=|curl ).*$/gm) ?? [];
    expect(commands.length).toBeGreaterThanOrEqual(3);
    const { stdout } = await typed(commands.map((command) => `${command.trim()}; echo`).join('\n'));
    const [created, current] = stdout
      .trim()
      .split(/\n+/)
      .map((line) => JSON.parse(line) as Organisation);
    expect(created?.id).toMatch(/^org_[0-9A-Z]{26}$/);
    expect(current).toEqual(created);
    expect(current?.members).toMatchObject([
      { user: { email: 'ada@example.com', name: 'Ada' }, permission_level: 'OWNER' },
    ]);
  });

  it('finds the whole interface described', async () => {
    const { status, body } = await send<{ openapi: string; info: { version: string }; paths: object }>(
      platform.url,
      'GET',
      '/openapi.json',
    );
    expect([status, body.openapi.slice(0, 3), body.info.version]).toEqual([200, '3.1', '0.13.96']);
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/client-groups/', '/conventions/{convention_id}', '/inference/transcribe']),
    );
  });

  it.each(['/healthz', '/readyz'])('sees at %s that all is well', async (path) => {
    expect((await send(platform.url, 'GET', path)).status).toBe(200);
  });

  if (curlLack !== undefined) leaveOut(`${curlLack}: requests of the pages are not tested`);

  it.each(pages)(
    'types the commands of $page as they stand, and each does what it should',
    async ({ page, commands }) => {
      // Of everybody who follows a page only the port and the name are another.
      const asked = commands.map((command) =>
        command
          .replaceAll('http://127.0.0.1:8080', platform.url)
          .replaceAll('ada@', `ada.${page.replaceAll(/\W/g, '-')}@`),
      );
      /** What was kept under a name is there for the commands that follow, as in the terminal of whoever types them. */
      const variables: Record<string, string> = {};
      for (const command of asked) {
        const until = UNTIL_INTERRUPTED.find(([those]) => those.test(command))?.[1];
        const kept = /^([A-Z]+)=\$\(/.exec(command)?.[1];
        const script = kept === undefined ? command : `${command} && printf %s "$${kept}"`;
        const answer = await typed(script, { variables, ...(until && { until }) });
        if (kept !== undefined) variables[kept] = answer.stdout;
        const { TOKEN: token = '' } = variables;
        // As an organisation of npm start has them from its beginning.
        if (command.includes('/organisations/ ')) await buyCredits({ call: callerOf(platform, token) });
        expect({ command, ...answer }).toMatchObject({
          command,
          status: until ? expect.any(Number) : 0,
          stderr: until ? expect.anything() : expect.not.stringContaining('rror'),
        });
        if (command.startsWith('curl')) {
          const body = JSON.parse(answer.stdout) as object;
          expect({ command, body }).not.toMatchObject({ body: { detail: expect.anything() } });
        }
        if (command === 'npm run demo') {
          expect(answer.stdout).toContain('Every answer was the promised one.');
          expect(answer.stdout).toMatch(/POST \/client-groups\/\n {4}api-key: pk_/);
        }
      }
    },
    300_000,
  );

  it('is told by npm run demo what to do when nothing runs', async () => {
    const home = mkdtempSync(join(tmpdir(), 'platform-empty-'));
    const { status, stderr } = await typed('npm run -s demo', { home });
    rmSync(home, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toContain('Start it with "npm start"');
  });
});
