import type { Setting } from './settings.ts';

/** Names each variable and how it is read. */
export type Settings = Record<string, Setting<unknown>>;

export type Configuration<S extends Settings> = {
  readonly [Name in keyof S]: S[Name] extends Setting<infer T> ? T : never;
};

/** Everything that is wrong with the environment, one sentence each; no sentence shows a secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join(' '));
    this.problems = problems;
  }
}

/**
 * Reads a process's whole configuration once, at its start. An empty variable counts as absent.
 *
 * @throws ConfigurationError naming every problem at once, so that one restart mends them all.
 */
export function readConfiguration<const S extends Settings>(
  env: Readonly<Record<string, string | undefined>>,
  settings: S,
): Configuration<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};

  for (const [name, setting] of Object.entries(settings)) {
    const text = env[name]?.trim();
    if (text === undefined || text === '') {
      if (setting.fallback) values[name] = setting.fallback.value;
      else problems.push(`${name} is missing; it must be ${setting.mustBe}, for example ${setting.example}.`);
      continue;
    }
    const value = setting.parse(text);
    if (value === undefined) problems.push(wrongValue(name, text, setting));
    else values[name] = value;
  }

  if (problems.length > 0) throw new ConfigurationError(problems);
  return values as Configuration<S>;
}

function wrongValue(name: string, text: string, setting: Setting<unknown>): string {
  const shown = setting.secret ? '' : ` and is ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text)}`;
  return `${name} must be ${setting.mustBe}${shown}, for example ${setting.example}.`;
}
