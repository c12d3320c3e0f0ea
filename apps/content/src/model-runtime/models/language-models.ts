import { ConfigurationError } from '@platform-backend/core';
import { readFileSync } from 'node:fs';

/** How a server of language models is spoken to. */
export type ModelProvider = 'openai-compatible' | 'anthropic';

/** What a model costs, in millionths of a credit for a million tokens. */
export interface ModelPrice {
  readonly input: bigint;
  readonly output: bigint;
}

/** A language model of this deployment, and what it may take. */
export interface ConfiguredModel {
  /** As assistants and clients name it. */
  readonly name: string;
  readonly provider: ModelProvider;
  /** As its server names it. */
  readonly model: string;
  /** With its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Servers of one's own often need none. */
  readonly apiKey: string | undefined;
  readonly seesImages: boolean;
  /** What it reads and writes at once, in tokens; undefined: its server refuses what is longer. */
  readonly contextTokens: number | undefined;
  /** What it writes at once. */
  readonly maxOutputTokens: number;
  /** Of one answer, all its steps together. */
  readonly maxTokens: number;
  readonly price: ModelPrice;
  /** How long it may take until it says anything, then between two words, and for the whole answer. */
  readonly firstTokenMs: number;
  readonly silenceMs: number;
  readonly answerMs: number;
  /** Assistants and clients may ask for it. */
  readonly isOffered: boolean;
}

/** Those of a deployment; the first is the usual one. Empty: there is none, and assistants quote. */
export interface LanguageModels {
  readonly models: readonly ConfiguredModel[];
  /** Those that may be asked for, or what stands for them where there is none. */
  readonly names: readonly string[];
  /** The one of this name that is offered, else the usual one: what is not offered any more is not used. */
  readonly find: (name: string) => ConfiguredModel | undefined;
}

interface ModelSettings {
  readonly LLM_MODELS: string | undefined;
  readonly LLM_BASE_URL: string | undefined;
  readonly LLM_API_KEY: string | undefined;
  readonly LLM_MODEL: string;
  readonly LLM_OTHER_MODELS: string;
  readonly LLM_IMAGE_MODELS: string;
  readonly LLM_TITLE_MODEL: string | undefined;
  readonly LLM_REWRITE_MODEL?: string | undefined;
  readonly LLM_MICROS_PER_1000_TOKENS: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const usual = {
  ...{ contextTokens: undefined, maxOutputTokens: 4_000, maxTokens: 60_000 },
  ...{ firstTokenMs: 60_000, silenceMs: 60_000, answerMs: 300_000 },
} as const;

const MICROS = 1_000_000;

/** The names of models in a setting, with commas between. */
const namesIn = (list: string): readonly string[] =>
  list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));

/**
 * All that a deployment has: those of `LLM_BASE_URL`, at one price, and those of `LLM_MODELS`, each with its own.
 *
 * @throws ConfigurationError that names all that is wrong.
 */
export function languageModels(settings: ModelSettings, env: Environment = process.env): LanguageModels {
  const problems: string[] = [];
  const listed = settings.LLM_MODELS === undefined ? [] : modelsListed(settings.LLM_MODELS, env, problems);
  const byOneServer = modelsOfServer(settings, listed);
  const models = [...byOneServer, ...listed];
  const names = models.filter(({ isOffered }) => isOffered).map(({ name }) => name);
  for (const name of new Set(names.filter((one, at) => names.indexOf(one) !== at)))
    problems.push(`LLM_MODELS has ${name} twice, or LLM_BASE_URL has it as well: names tell models apart.`);
  const { LLM_MODEL: first } = settings;
  for (const setting of ['LLM_TITLE_MODEL', 'LLM_REWRITE_MODEL'] as const) {
    const wanted = settings[setting];
    if (models.length > 0 && wanted !== undefined && !models.some(({ name }) => name === wanted))
      problems.push(`${setting} is ${wanted}, which is none of LLM_MODELS.`);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  const offered = models.filter(({ isOffered }) => isOffered);
  const usualOne = offered.find(({ name }) => name === first) ?? offered[0];
  const byName = new Map(models.map((model) => [model.name, model]));
  const find = (name: string): ConfiguredModel | undefined => byName.get(name) ?? usualOne;
  const sorted = usualOne ? [usualOne, ...models.filter((model) => model !== usualOne)] : models;
  // Without any model assistants keep what they are given, for the day on which there is one.
  return { models: sorted, names: offered.length > 0 ? names : [first, ...namesIn(settings.LLM_OTHER_MODELS)], find };
}

function modelsOfServer(settings: ModelSettings, listed: readonly ConfiguredModel[]): ConfiguredModel[] {
  const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey, LLM_MODEL: first } = settings;
  if (baseUrl === undefined) return [];
  const seeing = new Set(namesIn(settings.LLM_IMAGE_MODELS));
  const micros = BigInt(settings.LLM_MICROS_PER_1000_TOKENS) * 1_000n;
  const offered = [...new Set([first, ...namesIn(settings.LLM_OTHER_MODELS)])];
  const known = [...offered, ...listed.map(({ name }) => name)];
  const besides = [settings.LLM_TITLE_MODEL, settings.LLM_REWRITE_MODEL].filter((name) => name !== undefined);
  const hidden = new Set(besides.filter((name) => !known.includes(name)));
  return [...offered, ...hidden].map((name) => ({
    ...usual,
    ...{ name, model: name, provider: 'openai-compatible', baseUrl, apiKey, seesImages: seeing.has(name) },
    ...{ price: { input: micros, output: micros }, isOffered: offered.includes(name) },
  }));
}

/** The text of the setting is the list, or names the file that has it. */
function modelsListed(setting: string, env: Environment, problems: string[]): ConfiguredModel[] {
  let list: unknown;
  try {
    list = JSON.parse(setting.startsWith('[') ? setting : readFileSync(setting, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.push(
      code === undefined ? 'LLM_MODELS is no JSON.' : `LLM_MODELS names a file that cannot be read (${code}).`,
    );
    return [];
  }
  if (!Array.isArray(list) || list.length === 0) {
    problems.push('LLM_MODELS must be a list of models in JSON, with one of them at least.');
    return [];
  }
  return list.flatMap((entry: unknown, at) => modelOf(entry, { env, at: `LLM_MODELS[${String(at)}]`, problems }) ?? []);
}

const ADDRESSES: Readonly<Record<ModelProvider, string>> = {
  'openai-compatible': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
};

const isProvider = (value: unknown): value is ModelProvider =>
  typeof value === 'string' && Object.hasOwn(ADDRESSES, value);

const KNOWN = new Set([
  ...['name', 'provider', 'model', 'baseUrl', 'apiKeyEnv', 'seesImages', 'contextTokens', 'maxOutputTokens'],
  ...['maxTokensPerAnswer', 'inputCreditsPerMillionTokens', 'outputCreditsPerMillionTokens'],
  ...['firstTokenSeconds', 'silenceSeconds', 'answerSeconds'],
]);

function modelOf(
  entry: unknown,
  { env, at, problems }: { readonly env: Environment; readonly at: string; readonly problems: string[] },
): ConfiguredModel | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    problems.push(`${at} must be an object.`);
    return undefined;
  }
  const given = entry as Readonly<Record<string, unknown>>;
  const before = problems.length;
  const wrong = (name: string, mustBe: string): void => {
    problems.push(`${at}.${name} must be ${mustBe}.`);
  };
  for (const name of Object.keys(given)) if (!KNOWN.has(name)) problems.push(`${at}.${name} is not known.`);
  const text = (name: string): string | undefined => {
    const value = given[name];
    if (value === undefined || (typeof value === 'string' && value.trim() !== '' && value.length <= 200)) return value;
    wrong(name, 'a text of up to 200 characters');
    return undefined;
  };
  const number = (name: string, [min, max]: readonly [number, number], isWhole = true): number | undefined => {
    const value = given[name];
    if (value === undefined) return undefined;
    const fits = typeof value === 'number' && value >= min && value <= max && (!isWhole || Number.isInteger(value));
    if (fits) return value;
    wrong(name, `a ${isWhole ? 'whole ' : ''}number from ${String(min)} to ${String(max)}`);
    return undefined;
  };
  const price = (name: string): bigint => {
    if (given[name] === undefined) wrong(name, 'a number of credits: 0 where it costs nothing');
    return BigInt(Math.round((number(name, [0, 1_000_000], false) ?? 0) * MICROS));
  };
  const seconds = (name: string): number | undefined => {
    const value = number(name, [1, 300], false);
    return value === undefined ? undefined : value * 1000;
  };
  const { provider } = given;
  if (!isProvider(provider)) wrong('provider', `one of ${Object.keys(ADDRESSES).join(', ')}`);
  const model = text('model');
  if (given['model'] === undefined) wrong('model', 'what its server calls the model');
  const baseUrl = text('baseUrl');
  if (baseUrl !== undefined && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    wrong('baseUrl', 'a URL that starts with https:// or http://');
  const { seesImages = false } = given;
  if (typeof seesImages !== 'boolean') wrong('seesImages', 'true or false');
  const keyVariable = text('apiKeyEnv');
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable]?.trim();
  if (keyVariable !== undefined && !apiKey) problems.push(`${at}.apiKeyEnv is ${keyVariable}, which is not set.`);
  const limits = {
    contextTokens: number('contextTokens', [1_000, 100_000_000]),
    maxOutputTokens: number('maxOutputTokens', [1, 10_000_000]) ?? usual.maxOutputTokens,
    maxTokens: number('maxTokensPerAnswer', [1_000, 100_000_000]) ?? usual.maxTokens,
  };
  if (limits.contextTokens !== undefined && limits.contextTokens <= limits.maxOutputTokens)
    wrong('contextTokens', 'more than it writes at once (maxOutputTokens)');
  const silenceMs = seconds('silenceSeconds') ?? usual.silenceMs;
  const times = {
    firstTokenMs: seconds('firstTokenSeconds') ?? silenceMs,
    silenceMs,
    answerMs: seconds('answerSeconds') ?? usual.answerMs,
  };
  const prices = { input: price('inputCreditsPerMillionTokens'), output: price('outputCreditsPerMillionTokens') };
  const name = text('name') ?? model;
  if (problems.length > before || model === undefined || name === undefined || !isProvider(provider)) return undefined;
  return {
    ...limits,
    ...times,
    ...{ name, provider, model, baseUrl: baseUrl ?? ADDRESSES[provider], apiKey, seesImages: seesImages === true },
    ...{ price: prices, isOffered: true },
  };
}
