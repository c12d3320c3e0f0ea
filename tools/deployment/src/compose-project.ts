import { freePort } from '@platform-backend/embedded';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeEnvironment } from './compose-environment.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** docker-compose.yml as a project of its own, with keys, volumes and a port of its own. */
export interface ComposeProject {
  /** By which its containers are found among all of the engine. */
  readonly name: string;
  readonly port: number;
  /** Of ada and grace. */
  readonly password: string;
  /** @throws Error with what it printed when it fails. */
  readonly compose: (args: readonly string[]) => Promise<string>;
  /** Commands for this project: what `.env` is to people is the project's own file, and what lies beside the repository its folder. */
  readonly bash: (script: string) => Promise<string>;
  /** The containers of a service that run. */
  readonly containersOf: (service: string) => Promise<string[]>;
}

export async function whatIsMissing(): Promise<string | undefined> {
  if ((await execute('docker', ['info'])).code !== 0) return 'No Docker engine answers here';
  return (await execute('docker', ['compose', 'version'])).code === 0 ? undefined : 'Docker has no Compose here';
}

export function execute(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** @throws Error with what it printed when it fails. */
export async function succeeding(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const { code, output } = await execute(program, args, env);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${output.slice(-4_000)}`);
  return output;
}

/** `overrides`: what the test wants otherwise, as a file of Compose after those of `COMPOSE_FILE`. */
export async function composeProject(folder: string, overrides: object): Promise<ComposeProject> {
  const port = await freePort();
  const made = await composeEnvironment();
  const environment = join(folder, 'environment');
  const lines = Object.entries(made).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(environment, lines.join(''), { mode: 0o600 });
  const more = join(folder, 'overrides.json');
  writeFileSync(more, JSON.stringify(overrides));
  const name = `platform-test-${String(process.pid)}`;
  const env = {
    ...process.env,
    COMPOSE_PROJECT_NAME: name,
    COMPOSE_FILE: [process.env['COMPOSE_FILE'] ?? 'docker-compose.yml', more].join(delimiter),
    COMPOSE_ENV_FILES: environment,
    PLATFORM_PORT: String(port),
  };
  const compose = (args: readonly string[]) => succeeding('docker', ['compose', ...args], env);
  return {
    name,
    port,
    password: made['DEMO_USER_PASSWORD'] ?? '',
    compose,
    bash: (script) => {
      const ofProject = script.replaceAll(/(?:\.\/)?\.env\b/g, environment).replaceAll(' ../', ` ${folder}/`);
      return succeeding('bash', ['-euo', 'pipefail', '-c', ofProject.replaceAll('>../', `>${folder}/`)], env);
    },
    containersOf: async (service) =>
      (await containersOf(name)).flatMap((one) => (one.service === service ? one.id : [])),
  };
}

/** Of a project, those that run. The engine itself is asked: Compose, which reads its files first, would take a good part of a core for it. */
export async function containersOf(project: string): Promise<{ readonly id: string; readonly service: string }[]> {
  const found = await succeeding('docker', [
    ...['ps', '--no-trunc', '--filter', `label=com.docker.compose.project=${project}`],
    ...['--format', '{{.ID}} {{.Label "com.docker.compose.service"}}'],
  ]);
  return found.split('\n').flatMap((line) => {
    const [id = '', service = ''] = line.split(' ');
    return id === '' ? [] : [{ id, service }];
  });
}
