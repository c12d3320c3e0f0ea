/** `npm run new-service -- notes --storage postgres`: writes the files of docs/adding-a-service.md for another service. */
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';
import { declaredServices } from '@platform-backend/service/declared';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { serviceFiles, withArea } from './service-files.ts';

const repository = resolve(import.meta.dirname, '../../..');
const inRepository = (path: string): string => join(repository, path);
const OPTIONS = 'protos/platform/options/v1/options.proto';

interface NewServiceInput {
  readonly service: string;
  /** What one of what it keeps is called. */
  readonly one: string;
  readonly storage: 'postgres' | 'mongo';
}

await runCommand(
  command({
    name: 'npm run new-service --',
    usage: `npm run new-service -- NAME --storage postgres|mongo [--one WORD]

Writes the files of docs/adding-a-service.md for another service: contract, declaration, storage, a test and a page.
  NAME              words in small letters, such as notes
  --storage         where it keeps what it has
  --one             what one of them is called; NAME without its last s unless given`,
    words: true,
    options: { storage: { type: 'string' }, one: { type: 'string' } },
    async run({ values: { storage, one }, positionals }) {
      const wanted = wantedService(positionals, storage, one);
      try {
        process.stdout.write(await newService(wanted));
      } catch (error) {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        process.exitCode = 1;
      }
    },
  }),
);

/** @returns what there is to do next. */
async function newService({ service, one, storage }: NewServiceInput): Promise<string> {
  if (existsSync(inRepository(`apps/${service}`))) throw new Error(`apps/${service} is there already`);
  const hasProtos = existsSync(inRepository(`protos/platform/${service}`));
  const ports = (await declaredServices(inRepository('apps'))).map(({ declaration }) => declaration.port);
  const page = readFileSync(inRepository('docs/adding-a-service.md'), 'utf8').replaceAll(
    /port: \d+/g,
    `port: ${Math.max(...ports) + 1}`,
  );
  const files = serviceFiles(page, storage, { service, one }).filter(
    ({ path }) => !path.startsWith('protos/') || !hasProtos,
  );
  for (const { path, text } of files) write(path, text);
  if (!hasProtos)
    write(OPTIONS, withArea(readFileSync(inRepository(OPTIONS), 'utf8'), `AREA_${service.toUpperCase()}`));
  run('npm', ['run', '--silent', 'generate']);
  const formatted = files.map(({ path }) => path).filter((path) => !path.endsWith('.proto'));
  run(inRepository('node_modules/.bin/oxfmt'), formatted);
  return [
    ...files.map(({ path }) => path),
    ...(hasProtos
      ? [
          `protos/platform/${service} was there: its operations have to come in place of the example's; the compiler names them`,
        ]
      : []),
    'now: npm install, then npm start; docs/adding-a-service.md says what else there is\n',
  ].join('\n');
}

function wantedService(
  [service = '', ...others]: readonly string[],
  storage?: string,
  given?: string,
): NewServiceInput {
  const one = given ?? service.replace(/s$/, '');
  if (storage !== 'postgres' && storage !== 'mongo') throw new WrongUsage('Say --storage postgres or mongo.');
  if (others.length > 0 || ![service, one].every((name) => /^[a-z]+$/.test(name)))
    throw new WrongUsage('A service has one name; names are words in small letters.');
  if (one === service) throw new WrongUsage(`Say what one of ${service} is called: --one entry.`);
  return { service, one, storage };
}

function write(path: string, text: string): void {
  const file = inRepository(path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: repository, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${stdout}${stderr}`);
}
