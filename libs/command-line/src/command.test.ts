import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { command, runCommand, runOneOf, WrongUsage } from './command.ts';

describe('a command', () => {
  let printed: { out: string; err: string };
  const greet = command({
    name: 'greet',
    usage: 'greet NAME [--loud]',
    options: { loud: { type: 'boolean', default: false }, times: { type: 'string' } },
    words: true,
    run({ values, positionals: [name] }) {
      if (name === undefined) throw new WrongUsage('Say whom to greet.');
      if (name === 'nobody') throw new Error('nobody is there');
      process.stdout.write(values.loud ? name.toUpperCase() : name);
    },
  });
  const family = {
    name: 'talk',
    usage: 'talk greet',
    commands: { greet, wait: command({ name: 'wait', usage: 'wait', run: () => 0 }) },
  };

  beforeEach(() => {
    printed = { out: '', err: '' };
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => (printed.out += String(text)) !== '');
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => (printed.err += String(text)) !== '');
  });

  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });

  it('is given its options and words', async () => {
    await runCommand(greet, ['ada', '--loud']);
    expect(printed).toEqual({ out: 'ADA', err: '' });
  });

  it.each(['--help', '-h'])('prints its usage for %s, whatever else is typed', async (help) => {
    await runCommand(greet, [help, '--no-such-option']);
    expect(printed).toEqual({ out: 'greet NAME [--loud]\n', err: '' });
    expect(process.exitCode).toBeUndefined();
  });

  it('takes what stands behind -- for a word', async () => {
    await runCommand(greet, ['--', '--help']);
    expect(printed.out).toBe('--help');
  });

  it.each([
    [['ada', '--no-such-option'], `Unknown option '--no-such-option'. See greet --help\n`],
    [['--times'], `Option '--times <value>' argument missing. See greet --help\n`],
    [[], 'Say whom to greet. See greet --help\n'],
  ])('answers %j with a sentence and exit code 2', async (args, sentence) => {
    await runCommand(greet, args);
    expect(printed).toEqual({ out: '', err: sentence });
    expect(process.exitCode).toBe(2);
  });

  it('leaves what goes wrong in it to the caller', async () => {
    await expect(runCommand(greet, ['nobody'])).rejects.toThrow('nobody is there');
  });

  it('of a family is named by its first word', async () => {
    await runOneOf(family, ['greet', 'ada']);
    await runOneOf(family, ['greet', '--help']);
    await runOneOf(family, ['--help']);
    expect(printed).toEqual({ out: 'adagreet NAME [--loud]\ntalk greet\n', err: '' });
  });

  it('is what a family does without a word, where it says so', async () => {
    await runOneOf({ ...family, unnamed: 'wait' }, []);
    await runOneOf({ ...family, unnamed: 'wait' }, ['--help']);
    expect(printed).toEqual({ out: 'talk greet\n', err: '' });
  });

  it.each([
    [['sing'], 'There is no "sing". It is one of greet, wait. See talk --help\n'],
    [['toString'], 'There is no "toString". It is one of greet, wait. See talk --help\n'],
    [['--loud'], 'There is no "--loud". It is one of greet, wait. See talk --help\n'],
    [[], 'Say what to do. It is one of greet, wait. See talk --help\n'],
  ])('of a family that is not there is answered with those that are: %j', async (args, sentence) => {
    await runOneOf(family, args);
    expect(printed.err).toBe(sentence);
    expect(process.exitCode).toBe(2);
  });
});
