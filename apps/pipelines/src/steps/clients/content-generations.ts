import type { GenerationServiceClient } from '@platform-backend/contract-content';
import { DomainError, isUnavailable } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { failedReport, type StepReport } from '../../step-engine/domain/step-job.ts';
import type { GeneratedText, LanguageModels, NobodyAnswers, NoText } from '../domain/llm-step.ts';

const CHECK_MS = 5_000;
/** For a slot and for keeping the answer, besides the time of the model. */
const BESIDES_MS = 15_000;

type Client = Pick<GenerationServiceClient<CallOptions>, 'generateText' | 'checkGenerations'>;

/** Content over gRPC, called on pipelines' own authority for the organisation. */
export const contentGenerations = (client: Client): LanguageModels => ({
  async generate(organisationId, { id, attempt, runId, prompt, settings, payer }, signal) {
    const { model, instructions, temperature, maxOutputTokens, jsonSchema, callTimeoutSeconds } = settings;
    const request = {
      ...{ id, attempt, workId: runId, model, instructions, prompt, temperature, maxOutputTokens, jsonSchema },
      ...{ timeLimitSeconds: callTimeoutSeconds, ...payer },
    };
    const timeoutMs = callTimeoutSeconds * 1000 + BESIDES_MS;
    try {
      const { outcome, text, errors, inputTokens, outputTokens, costMicros } = await client.generateText(request, {
        caller: { organisationId },
        ...{ timeoutMs, idleMs: timeoutMs, signal },
      });
      if (outcome !== 'ANSWERED') return noText(UNUSABLE[outcome ?? 'UNFIT'], errors);
      return { outcome: 'TEXT', text, ...numbers({ inputTokens, outputTokens, costMicros }) };
    } catch (error) {
      signal.throwIfAborted();
      return refusalOf(error);
    }
  },

  async check(organisationId, settings) {
    try {
      const generations = settings.map(({ model, jsonSchema }) => ({ model, jsonSchema }));
      const options = { caller: { organisationId }, timeoutMs: CHECK_MS };
      return (await client.checkGenerations({ generations }, options)).problems;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_provided') return error.message;
      throw error;
    }
  },
});

const numbers = <Name extends string>(told: Readonly<Record<Name, number | string>>) =>
  Object.fromEntries(Object.entries(told).map(([name, value]) => [name, Number(value)])) as Record<Name, number>;

const UNUSABLE = {
  CUT: 'The answer is longer than it may be',
  WITHHELD: 'The provider of the language model withholds the answer',
  UNFIT: 'The answer does not keep to its schema',
} as const;

const noText = (message: string, errors: readonly string[] = []): NoText => ({
  outcome: 'NO_TEXT',
  message: errors.length > 0 ? `${message}: ${errors.slice(0, 3).join('; ')}` : message,
});

/** What is no matter of a single row. */
const OF_ALL: ReadonlySet<string> = new Set(['model_key_refused', 'model_not_found', 'model_unpaid']);

function refusalOf(error: unknown): GeneratedText | NoText | NobodyAnswers | StepReport {
  if (!(error instanceof DomainError)) throw error;
  const { kind, code, message } = error;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- what else may be said is said of no row
  switch (kind) {
    case 'not_provided':
      return failedReport('no_language_model', message);
    case 'payment_required':
      return failedReport('payment_required', message);
    case 'deadline_exceeded':
      return noText('The language model took longer than the step lets it take');
    case 'upstream_failed':
      return OF_ALL.has(code) ? failedReport(code, message) : noText(message);
    case 'rate_limited':
      return { outcome: 'BUSY', message };
    case 'too_large':
      return noText('The prompt is too long');
    case 'invalid':
    case 'malformed':
      return failedReport('unusable_settings', `The language model cannot be asked so: ${message}`);
    default:
      if (!isUnavailable(error)) throw error;
      return code === 'busy'
        ? { outcome: 'BUSY', message: 'too many ask language models at once' }
        : { outcome: 'AWAY', message: 'No language model can be reached now' };
  }
}
