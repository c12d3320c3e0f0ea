import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { unavailable, upstreamFailed } from '@platform-backend/core';
import { isStepCount, streamText } from 'ai';
import type { ConfiguredModel, LanguageModels, ModelProvider } from '../../model-runtime/models/language-models.ts';
import { apiFailure } from '../../model-runtime/models/openai-client.ts';
import { countingInPieces } from '../../passages/models/count-in-pieces.ts';
import { modelTooSlow } from '../domain/errors.ts';
import type { AnswerPart, EndReason, LanguageModel } from '../domain/language-model.ts';
import { tokensOfQuestion } from '../domain/question-tokens.ts';
import { withinContext } from '../domain/within-context.ts';
import { modelFailure } from './model-failure.ts';
import { causeOf, modelMessages, toolSet } from './model-messages.ts';
import { silenceOf } from './silence.ts';
import { usageCount, type UsageCount } from './usage-count.ts';

/** The library would write to the console what it thinks of requests. */
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** What the library calls it. */
const PROVIDER = 'api';

type AskedModel = Parameters<typeof streamText>[0]['model'];
type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>[string];

export interface ApiLanguageModelOptions {
  /** About as the model does it itself. */
  readonly countTokens: (text: string) => number;
  /** How often the model is asked within one answer; after each time but the last it may use tools. */
  readonly maxSteps?: number;
  readonly maxRetries?: number;
}

const providers: Readonly<Record<ModelProvider, (of: ConfiguredModel) => AskedModel>> = {
  'openai-compatible': ({ baseUrl: baseURL, apiKey, model }) =>
    createOpenAICompatible({ name: PROVIDER, baseURL, includeUsage: true, ...(apiKey !== undefined && { apiKey }) })(
      model,
    ),
  // Without one it would look for a key by itself.
  anthropic: ({ baseUrl: baseURL, apiKey = 'none', model }) => createAnthropic({ baseURL, apiKey })(model),
};

/** The models of a deployment, each by its server's protocol. What is refused for a while is asked again, with growing pauses. */
export function apiLanguageModel(
  models: LanguageModels,
  { countTokens, maxSteps = 6, maxRetries = 2 }: ApiLanguageModelOptions,
): LanguageModel {
  const [usual] = models.models;
  if (!usual) throw new Error('there is no language model');
  const find = (name: string): ConfiguredModel => models.find(name) ?? usual;
  const countTexts = countingInPieces(countTokens);

  return {
    name: usual.name,
    quotesOnly: false,
    seesImages: (named) => find(named).seesImages,
    termsOf(named) {
      const { maxTokens, maxOutputTokens, contextTokens, price } = find(named);
      return { maxTokens, maxWritten: Math.min(maxTokens, maxSteps * maxOutputTokens), contextTokens, price };
    },
    async *answer(question, signal) {
      const asking = find(question.model);
      const { maxOutputTokens, maxTokens, answerMs } = asking;
      const {
        maxOutputTokens: wanted = maxOutputTokens,
        stop,
        responseFormat,
        ...sampling
      } = question.generation ?? {};
      const lengths = await tokensOfQuestion(question, countTexts);
      const fitted = withinContext(question, lengths, asking);
      const silence = silenceOf(asking);
      const tooLong = AbortSignal.timeout(answerMs);
      const asked = streamText({
        model: providers[asking.provider](asking),
        ...(question.temperature !== null && { temperature: question.temperature }),
        instructions: question.instructions,
        messages: modelMessages(fitted.question.messages),
        tools: toolSet(question.tools.map(silence.whileItRuns)),
        stopWhen: [
          isStepCount(maxSteps),
          () => question.isOver?.() ?? false,
          // One more step would cost as much as all before it.
          ({ steps }) => 2 * steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0) > maxTokens,
        ],
        ...sampling,
        ...(stop && { stopSequences: [...stop] }),
        // Whatever the library makes of a schema, the server gets what was asked for.
        ...(responseFormat && {
          providerOptions: { [PROVIDER]: { response_format: responseFormat } as ProviderOptions },
        }),
        maxOutputTokens: Math.min(wanted, maxOutputTokens),
        maxRetries,
        abortSignal: AbortSignal.any([signal, silence.signal, tooLong]),
        // It is among the parts; the library would write it to the console.
        onError: () => undefined,
      });
      try {
        yield* partsOf(asked.stream, usageCount(fitted.tokens, countTokens), { onPart: silence.isBroken, signal });
      } catch (error) {
        throw tooLong.aborted && !signal.aborted ? modelTooSlow({ cause: error }) : modelFailure(error, asking.name);
      } finally {
        silence.end();
      }
    },
  };
}

type Stream = ReturnType<typeof streamText>['stream'];

/** Once the model is told what is wrong with its arguments; who does not understand that never will. */
const maxBadCalls = 1;

async function* partsOf(
  stream: Stream,
  count: UsageCount,
  { onPart, signal }: { readonly onPart: () => void; readonly signal: AbortSignal },
): AsyncGenerator<AnswerPart> {
  let badCalls = 0;
  for await (const part of stream) {
    // The library's own words, before the model has said any.
    if (part.type !== 'start' && part.type !== 'start-step') onPart();
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the library's other parts say nothing to us
    switch (part.type) {
      case 'text-delta':
        yield { kind: 'usage', usage: count.written(part.text) };
        yield { kind: 'text', text: part.text };
        break;
      case 'reasoning-delta':
        yield { kind: 'usage', usage: count.written(part.text) };
        break;
      case 'tool-call':
        if (part.invalid) {
          badCalls += 1;
          if (badCalls > maxBadCalls) throw upstreamFailed(part.error ?? new Error('arguments that fit no tool'));
        }
        yield { kind: 'usage', usage: count.written(JSON.stringify(part.input ?? '')) };
        yield { kind: 'tool_call', tool: part.toolName };
        break;
      case 'tool-result':
        count.answeredByTool(textOf(part.output));
        yield { kind: 'tool_result', tool: part.toolName, isError: false };
        break;
      case 'tool-error':
        count.answeredByTool(String(part.error));
        yield { kind: 'tool_result', tool: part.toolName, isError: true, error: causeOf(part.error) };
        break;
      case 'finish-step':
        yield { kind: 'usage', usage: count.stepEnded(part.usage) };
        break;
      case 'finish':
        yield { kind: 'end', reason: END_REASONS[part.finishReason] ?? 'other' };
        break;
      case 'abort':
        signal.throwIfAborted();
        throw unavailable(new Error(part.reason ?? 'aborted'));
      case 'error':
        signal.throwIfAborted();
        throw apiFailure(part.error);
      default:
    }
  }
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
};

const textOf = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output ?? ''));
