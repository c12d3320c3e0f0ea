import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** Something was typed that the command cannot mean. The message is a sentence for whoever typed it. */
export class WrongUsage extends Error {}

type Given<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

export interface Command {
  /** As it is typed, up to what it takes itself: `npm start --`. */
  readonly name: string;
  /** What `--help` prints: how it is typed, then what it does, then its options. */
  readonly usage: string;
  /** Throws `WrongUsage`, or an error of parseArgs, for arguments that it does not understand. */
  readonly run: (args: readonly string[]) => Promise<void>;
}

/** A command whose first word says which of several is meant: `npm run bench -- gateway`. */
interface CommandFamily {
  readonly name: string;
  readonly usage: string;
  readonly commands: Readonly<Record<string, Command>>;
  /** What is meant without a word; without this a word is required. */
  readonly unnamed?: string;
}

/** A command of options, and of words beside them where `words` says so. `--help` needs not be among the options. */
export function command<const Options extends ParseArgsOptionsConfig = ParseArgsOptionsConfig>({
  name,
  usage,
  options,
  words = false,
  run,
}: {
  readonly name: string;
  readonly usage: string;
  readonly options?: Options;
  readonly words?: boolean;
  readonly run: (given: Given<Options>) => unknown;
}): Command {
  return {
    name,
    usage,
    run: async (args) => {
      const given = parseArgs({ args: [...args], options: options ?? {}, allowPositionals: words });
      await run(given as Given<Options>);
    },
  };
}

/**
 * Runs a command with the arguments of this process. `--help` and `-h` print its usage; what it does not understand is
 * told in a sentence on standard error, and the exit code is 2. Any other error is the caller's.
 */
export async function runCommand({ name, usage, run }: Command, args = process.argv.slice(2)): Promise<void> {
  if (asksForHelp(args)) {
    process.stdout.write(`${usage.trim()}\n`);
    return;
  }
  try {
    await run(args);
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === undefined) throw error;
    process.stderr.write(`${sentence} See ${name} --help\n`);
    process.exitCode = 2;
  }
}

/** Runs the command that the first argument names. */
export async function runOneOf(family: CommandFamily, args = process.argv.slice(2)): Promise<void> {
  const { name, usage, commands, unnamed } = family;
  const isNamed = args[0] !== undefined && !args[0].startsWith('-');
  const word = isNamed ? args[0] : unnamed;
  const chosen = word !== undefined && Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (chosen && (isNamed || !asksForHelp(args))) return runCommand(chosen, isNamed ? args.slice(1) : args);
  return runCommand(
    {
      name,
      usage,
      run: () => {
        const known = `It is one of ${Object.keys(commands).join(', ')}.`;
        throw new WrongUsage(args[0] === undefined ? `Say what to do. ${known}` : `There is no "${args[0]}". ${known}`);
      },
    },
    args,
  );
}

/** Whatever stands behind `--` is no option. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

function sentenceOf(error: unknown): string | undefined {
  if (error instanceof WrongUsage) return error.message;
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (!String(code).startsWith('ERR_PARSE_ARGS_')) return undefined;
  // Node goes on with advice that is longer than the sentence.
  const [first = ''] = String(message).split(/\.\s|\n/);
  return `${first.replace(/\.$/, '')}.`;
}
