/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How one environment variable is read. */
export interface Setting<T> {
  /** The variable, where it is not called as the setting is. */
  variable?: string;
  /** What the variable was called before. Who still sets that is told the new name, and nothing starts. */
  formerVariable?: string;
  /** Turns the text into the value, or returns undefined when the text will not do. */
  parse(text: string): T | undefined;
  /** Completes the sentence "NAME must be ...". */
  mustBe: string;
  example: string;
  /** What stands for an absent variable. Without it the variable is required. */
  fallback?: { value: T };
  /** Never shown, not even in the sentence about a wrong value. */
  secret?: boolean;
  /** What it means and in which unit, for docs/configuration.md: Markdown within one line, no full sentence. */
  description?: string;
  /** What an absent variable stands for, where the value of `fallback` does not say it: `a quarter of the pool`. */
  defaultDescription?: string;
}

/** Names each variable and how it is read. */
export type Settings = Record<string, Setting<unknown>>;

export type Configuration<S extends Settings> = {
  readonly [Name in keyof S]: S[Name] extends Setting<infer T> ? T : never;
};

/** The same settings by the variables that they are read from. */
export const byVariable = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [setting.variable ?? name, setting]));

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
export const readConfiguration = <const S extends Settings>(env: Environment, settings: S): Configuration<S> =>
  readConfigurations(env, { settings }).settings;

/** The same for settings in groups: what is wrong in any of them is named at once. */
export function readConfigurations<const Groups extends Readonly<Record<string, Settings>>>(
  env: Environment,
  groups: Groups,
): { readonly [Group in keyof Groups]: Configuration<Groups[Group]> } {
  const problems: string[] = [];
  const read = Object.entries(groups).map(([group, settings]) => [group, valuesOf(env, settings, problems)] as const);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return Object.fromEntries(read) as { readonly [Group in keyof Groups]: Configuration<Groups[Group]> };
}

function valuesOf(env: Environment, settings: Settings, problems: string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const { variable = name, formerVariable } = setting;
    if (formerVariable !== undefined) problems.push(...renamedProblems(env, { [formerVariable]: variable }));
    const text = env[variable]?.trim();
    if (text === undefined || text === '') {
      if (setting.fallback) values[name] = setting.fallback.value;
      else problems.push(`${variable} is missing; it must be ${setting.mustBe}, for example ${setting.example}.`);
      continue;
    }
    const value = setting.parse(text);
    if (value === undefined) problems.push(wrongValue(variable, text, setting));
    else values[name] = value;
  }
  return values;
}

/** A sentence for each variable that is still set under its former name. */
export const renamedProblems = (env: Environment, renamed: Readonly<Record<string, string>>): string[] =>
  Object.entries(renamed).flatMap(([former, variable]) =>
    env[former] === undefined ? [] : [`${former} is called ${variable} now.`],
  );

function wrongValue(name: string, text: string, setting: Setting<unknown>): string {
  const shown = setting.secret ? '' : ` and is ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text)}`;
  return `${name} must be ${setting.mustBe}${shown}, for example ${setting.example}.`;
}
