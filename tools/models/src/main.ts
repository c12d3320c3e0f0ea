/** `npm run models -- list | install | check | remove`: models that run on this machine. */
import { command, runOneOf } from '@platform-backend/command-line';
import { resolve } from 'node:path';
import { catalogue, modelNamed, usual, withoutChecksums, type Model } from './catalogue.ts';
import { installLibrary, libraryIsThere, removeLibrary } from './library.ts';
import { checkModel, copyModel, fetchModel, installedModels, removeModel, type InstallEvent } from './models-folder.ts';

const usage = `npm run models -- list
npm run models -- install [NAME ...] [--from FOLDER]
npm run models -- check
npm run models -- remove [NAME ...]

Installs models into MODELS_DIR, else $PLATFORM_HOME/models, with the library that runs them. Services use what they find
there at their next start. Without a name: ${usual.join(' and ')}.
  --from FOLDER   takes them from a folder that has them instead of the hub
  MODELS_HUB      a mirror of the hub
For a machine without a network: install on another one with MODELS_DIR set, and bring that folder.`;

const repository = resolve(import.meta.dirname, '../../..');
const { MODELS_DIR, PLATFORM_HOME = '.platform', MODELS_HUB = 'https://huggingface.co' } = process.env;
const folder = MODELS_DIR ? resolve(MODELS_DIR) : resolve(repository, PLATFORM_HOME, 'models');

async function list(): Promise<void> {
  const installed = await installedModels(folder);
  say(folder);
  const known = [...catalogue, ...withoutChecksums];
  for (const model of known) {
    const state = installed.includes(model.name) ? 'installed' : '';
    say(`  ${model.name.padEnd(22)} ${megabytes(sizeOf(model)).padStart(7)}  ${state.padEnd(9)}  ${model.what}`);
  }
  const others = installed.filter((name) => !known.some((model) => model.name === name));
  for (const name of others) say(`  ${name.padEnd(22)} ${''.padStart(7)}  installed  not in the catalogue`);
  say(`  library that runs them: ${libraryIsThere(folder) ? 'installed' : 'not installed'}`);
}

async function install(names: readonly string[], from?: string): Promise<void> {
  const models = (names.length > 0 ? names : usual).map(modelNamed);
  if (!libraryIsThere(folder)) {
    say('installing the library that runs models (474 MB)');
    installLibrary(folder);
  }
  const installed = await installedModels(folder);
  for (const model of models) {
    if (installed.includes(model.name) && (await checkModel(folder, model.name)).length === 0) {
      say(`${model.name} is installed`);
    } else if (from === undefined) {
      await fetched(model);
    } else {
      const others = await copyModel(folder, model, resolve(from));
      const doubt = others.length === 0 ? '' : `; not the hub's: ${others.join(', ')}`;
      say(`${model.name} is installed from ${from}${doubt}`);
    }
  }
}

async function fetched(model: Model): Promise<void> {
  const { name, repository: origin } = model;
  say(`fetching ${name} of ${origin} (${megabytes(sizeOf(model))})`);
  const unpinned: string[] = [];
  const onEvent = (event: InstallEvent): void => {
    if (event.kind === 'progress') showProgress(event);
    else if (!event.pinned) unpinned.push(`  ${event.path} ${event.checksum}`);
  };
  await fetchModel(folder, model, { hub: MODELS_HUB, onEvent });
  say(`${name} is installed`);
  if (unpinned.length > 0) {
    say('No checksum was known beforehand; from now on these are expected:');
    for (const line of unpinned) say(line);
  }
}

async function check(): Promise<void> {
  const installed = await installedModels(folder);
  const problems = (await Promise.all(installed.map((name) => checkModel(folder, name)))).flat();
  if (installed.length > 0 && !libraryIsThere(folder)) problems.push('the library that runs models is not installed');
  for (const problem of problems) say(problem);
  if (problems.length > 0) throw new Error('npm run models -- install mends it.');
  say(`${installed.length} models are as they were installed`);
}

async function remove(names: readonly string[]): Promise<void> {
  const installed = await installedModels(folder);
  for (const name of names.length > 0 ? names : installed) await removeModel(folder, name);
  if ((await installedModels(folder)).length === 0) removeLibrary(folder);
  say(`${(await installedModels(folder)).length} models are left in ${folder}`);
}

function showProgress({ path, bytes, size }: { path: string; bytes: number; size: number | undefined }): void {
  if (!process.stderr.isTTY) return;
  const share = size === undefined ? megabytes(bytes) : `${Math.floor((bytes / size) * 100)} % of ${megabytes(size)}`;
  process.stderr.write(`\r\u001B[K  ${path} ${share}${bytes === size ? '\n' : ''}`);
}

const sizeOf = ({ files }: Model): number => files.reduce((sum, { size = 0 }) => sum + size, 0);

const megabytes = (bytes: number): string => (bytes === 0 ? 'size unknown' : `${(bytes / 1e6).toFixed(1)} MB`);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** What goes wrong with models is told as it is: a name, a file or a hub. */
const telling = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
};

const about = (word: string) => ({ name: `npm run models -- ${word}`, usage });

await runOneOf({
  name: 'npm run models --',
  usage,
  unnamed: 'list',
  commands: {
    list: command({ ...about('list'), run: () => telling(list) }),
    install: command({
      ...about('install'),
      options: { from: { type: 'string' } },
      words: true,
      run: ({ values: { from }, positionals }) => telling(() => install(positionals, from)),
    }),
    check: command({ ...about('check'), run: () => telling(check) }),
    remove: command({ ...about('remove'), words: true, run: ({ positionals }) => telling(() => remove(positionals)) }),
  },
});
