import { DomainError, type Logger } from '@platform-backend/core';
import type { ConfiguredModel, LanguageModels } from '../../model-runtime/models/language-models.ts';
import { TEST_QUESTION } from '../domain/language-model.ts';
import { apiLanguageModel } from './api-language-model.ts';

/** The settings that say which models there are. */
export interface ModelNames {
  readonly LLM_BASE_URL: string | undefined;
  readonly LLM_MODEL: string;
  readonly LLM_TITLE_MODEL: string | undefined;
  readonly LLM_REWRITE_MODEL: string | undefined;
}

export interface TryModelsOptions {
  readonly settings: ModelNames;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly countTokens: (text: string) => number;
  /** For how long a model may say nothing. */
  readonly timeoutMs?: number;
}

/**
 * Asks each model for a word, all at once, and logs in one line which ones there are and whether they answer; where one does not, by which
 * setting that is put right. Nothing else follows from it, and it never fails.
 */
export async function tryModels(
  models: LanguageModels,
  { settings, logger, countTokens, timeoutMs = 20_000 }: TryModelsOptions,
  stopping: AbortSignal,
): Promise<void> {
  const model = apiLanguageModel(models, { countTokens, maxSteps: 1, maxRetries: 0 });
  const failureOf = async ({ name }: ConfiguredModel): Promise<unknown> => {
    const late = AbortSignal.timeout(timeoutMs);
    const enough = new AbortController();
    const question = { instructions: '', messages: [{ role: 'user', text: TEST_QUESTION }] as const, tools: [] };
    const asked = { ...question, model: name, temperature: null, generation: { maxOutputTokens: 16 } };
    try {
      for await (const _part of model.answer(asked, AbortSignal.any([stopping, late, enough.signal]))) break;
      return undefined;
    } catch (error) {
      return late.aborted ? TOO_LATE : error;
    } finally {
      enough.abort();
    }
  };
  const tried = await Promise.all(
    models.models.map(async (one) => ({ ...named(one), problem: problemOf(one, await failureOf(one), settings) })),
  );
  if (stopping.aborted) return;
  const said = tried.map(({ name, host, problem }) => `${name} of ${host} ${problem ?? 'answers'}`).join('; ');
  const level = tried.some(({ problem }) => problem !== undefined) ? 'warn' : 'info';
  logger[level]({ event: 'language_models.tried', models: tried }, `language models: ${said}`);
}

const TOO_LATE = new Error('a model says nothing');

/** What may be logged of one. */
const named = ({ name, provider, baseUrl }: ConfiguredModel) => ({ name, provider, host: new URL(baseUrl).host });

function problemOf(model: ConfiguredModel, failure: unknown, settings: ModelNames): string | undefined {
  if (failure === undefined) return undefined;
  const { key, name, address } = settingsOf(model, settings);
  const { code, kind } = failure instanceof DomainError ? failure : { code: '', kind: '' };
  if (code === 'model_key_refused') return `refuses the key: see ${key}`;
  if (code === 'model_not_found') return `does not exist there: see ${name}`;
  if (code === 'model_unpaid') return 'is not paid for any more: see the account of its provider';
  if (kind === 'unavailable') return `cannot be reached, or is asked too often: see ${address}`;
  if (failure === TOO_LATE) return `says nothing: see ${address}`;
  return `answers with an error: see ${address} and ${name}`;
}

/** Where the key, the name and the address of a model are set. */
function settingsOf({ name, baseUrl }: ConfiguredModel, settings: ModelNames) {
  if (baseUrl !== settings.LLM_BASE_URL)
    return { key: 'apiKeyEnv of LLM_MODELS', name: 'LLM_MODELS', address: 'LLM_MODELS' };
  const besides = (['LLM_MODEL', 'LLM_TITLE_MODEL', 'LLM_REWRITE_MODEL'] as const).find(
    (one) => settings[one] === name,
  );
  return { key: 'LLM_API_KEY', name: besides ?? 'LLM_OTHER_MODELS', address: 'LLM_BASE_URL' };
}
