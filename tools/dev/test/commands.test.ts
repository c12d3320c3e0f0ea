import { describe, expect, it } from '@jest/globals';
import { repetitions } from '@platform-backend/testing';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { repository } from '../src/settings.ts';

interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** As `npm run NAME -- ...` runs it, without the time that npm takes. */
async function answerOf(name: string, args: readonly string[]): Promise<Answer> {
  const { PATH = '' } = process.env;
  const child = spawn('sh', ['-c', `${String(scripts[name])} "$@"`, name, ...args], {
    cwd: repository,
    env: { ...process.env, PATH: `${join(repository, 'node_modules/.bin')}:${PATH}`, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const read = async (stream: Readable): Promise<string> => (await stream.toArray()).join('');
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([
    read(child.stdout.setEncoding('utf8')),
    read(child.stderr.setEncoding('utf8')),
  ]);
  return { code: await code, out, err };
}

/** Each of these takes a moment of a processor; two at a time leave none idle. */
async function answersOf(calls: readonly (readonly [string, readonly string[]])[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  const left = [...calls.entries()];
  const take = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [index, [name, args]] = next;
      answers[index] = await answerOf(name, args);
    }
  };
  await Promise.all([take(), take()]);
  return answers;
}

const names = Object.keys(scripts);
/** Those that take a word first, and what they can be told is about that word. */
const families = {
  bench: [
    'gateway',
    'flood',
    'credits',
    'identity',
    'debits',
    'content',
    'notebooks',
    'pipelines',
    'soak',
    'retrieval',
  ],
  models: ['install'],
};
const commands: [string, string[]][] = [
  ...names.map((name): [string, string[]] => [name, []]),
  ...Object.entries(families).flatMap(([name, words]) => words.map((word): [string, string[]] => [name, [word]])),
];

/** In the usual form of a run each is asked one of two questions, in the long one both. */
const askedFor = (question: number): typeof commands =>
  commands.filter((_, index) => repetitions({ usual: index % 2, long: question }) === question);

describe('every command of package.json', () => {
  it('answers --help and -h with its usage', async () => {
    const asked = askedFor(0);
    const answers = await answersOf(
      asked.map(([name, words], index) => [name, [...words, index % 2 === 0 ? '--help' : '-h']] as const),
    );
    expect(answers.map(({ code, err }, index) => [...(asked[index] ?? []), code, err])).toEqual(
      asked.map((command) => [...command, 0, '']),
    );
    for (const [index, { out }] of answers.entries()) {
      const [name = '', words = []] = asked[index] ?? [];
      // `npm run dev` is `npm start` with an option, and says so.
      const typed = new RegExp(`npm (run (-s )?)?${[name, ...words].join('( --)? ')}\\b`);
      expect(out).toMatch(typed);
    }
  }, 120_000);

  it('answers an option that it does not have with one sentence', async () => {
    const asked = askedFor(1);
    const answers = await answersOf(asked.map(([name, words]) => [name, [...words, '--no-such-option']]));
    expect(answers.map(({ code, out }, index) => [...(asked[index] ?? []), code, out])).toEqual(
      asked.map((command) => [...command, 2, '']),
    );
    for (const { err } of answers) expect(err).toMatch(/^[A-Z][^\n]*no-such-option[^\n]*--help[^\n]*\n$/);
  }, 120_000);

  it('answers a wrong value with one sentence that says what is wrong with it', async () => {
    const calls: [string, string[], string][] = [
      [
        'bench',
        ['gateway', '--rounds', '0'],
        '--rounds must be a whole number above 0, not "0". See npm run bench -- gateway --help',
      ],
      [
        'bench',
        ['gatway'],
        'There is no "gatway". It is one of gateway, streams, flood, credits, identity, debits, content, notebooks, pipelines, soak, rest, retrieval. See npm run bench -- --help',
      ],
      [
        'debug',
        ['identiy'],
        'There is no service "identiy"; it is one of billing, content, identity, notebooks, pipelines, gateway. See npm run debug -- --help',
      ],
      [
        'debug',
        ['identity', '--port', '70000'],
        '--port must be a port between 1 and 65535, not "70000". See npm run debug -- --help',
      ],
      [
        'events',
        ['identiy', 'lag'],
        'There is no service "identiy": billing, content, identity, notebooks, pipelines. See npm run events -- --help',
      ],
      ['token', [], 'Say whose token it is: --email ada@example.com. See npm run token -- --help'],
      ['new-service', ['notes'], 'Say --storage postgres or mongo. See npm run new-service -- --help'],
    ];
    const answers = await answersOf(calls.map(([name, args]) => [name, args]));
    expect(answers).toEqual(calls.map(([, , sentence]) => ({ code: 2, out: '', err: `${sentence}\n` })));
  }, 120_000);
});
