import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { DomainError, unavailable, upstreamFailed, type Fields } from '@platform-backend/core';
import {
  APICallError,
  isStepCount,
  jsonSchema,
  RetryError,
  streamText,
  tool,
  type AssistantModelMessage,
  type ModelMessage,
  type ToolSet,
  type UserContent,
} from 'ai';
import { apiFailure, type ApiOptions } from '../../model-runtime/models/openai-client.ts';
import { contextTooLong, modelKeyRefused, modelNotFound } from '../domain/errors.ts';
import { TOKENS_OF_IMAGE } from '../domain/images.ts';
import {
  noUsage,
  ToolRefusal,
  type AnswerPart,
  type ChatMessage,
  type EndReason,
  type LanguageModel,
  type ModelTool,
  type Question,
  type TokenUsage,
} from '../domain/language-model.ts';

export interface ModelLimits {
  /** How often the model is asked within one answer; after each time but the last it may use tools. */
  readonly maxSteps: number;
  readonly maxOutputTokens: number;
  /** Of one answer, all its steps together. */
  readonly maxTokens: number;
  /** How long the model may say nothing, not counting the time in which it waits for tools. */
  readonly silenceMs: number;
  readonly maxRetries: number;
}

const usual: ModelLimits = {
  maxSteps: 6,
  maxOutputTokens: 4_000,
  maxTokens: 60_000,
  silenceMs: 60_000,
  maxRetries: 2,
};

/** The library would write to the console what it thinks of requests. */
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** What the library calls it. */
const PROVIDER = 'api';

type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>[string];

interface ModelOptions extends ApiOptions {
  /** Those that see images. */
  readonly imageModels?: ReadonlySet<string>;
  /** About as the model does it itself. */
  readonly countTokens: (text: string) => number;
}

/** Any server that speaks OpenAI's protocol of chats. What it refuses for a while is asked again, with growing pauses. */
export function apiLanguageModel(
  { baseUrl, apiKey, model, countTokens, imageModels = new Set() }: ModelOptions,
  limits: Partial<ModelLimits> = {},
): LanguageModel {
  const { maxSteps, maxOutputTokens, maxTokens, silenceMs, maxRetries } = { ...usual, ...limits };
  const provider = createOpenAICompatible({
    name: PROVIDER,
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
  });

  return {
    name: model,
    quotesOnly: false,
    seesImages: (named) => imageModels.has(named === '' ? model : named),
    maxTokens,
    async *answer(question, signal) {
      const silence = silenceOf(silenceMs);
      const requestedModel = question.model === '' ? model : question.model;
      const {
        maxOutputTokens: wanted = maxOutputTokens,
        stop,
        responseFormat,
        ...sampling
      } = question.generation ?? {};
      const asked = streamText({
        model: provider(requestedModel),
        ...(question.temperature !== null && { temperature: question.temperature }),
        instructions: question.instructions,
        messages: modelMessages(question.messages),
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
        abortSignal: AbortSignal.any([signal, silence.signal]),
        // It is among the parts; the library would write it to the console.
        onError: () => undefined,
      });
      try {
        yield* partsOf(asked.stream, usageCount(question, countTokens), { onPart: silence.isBroken, signal });
      } catch (error) {
        throw modelFailure(error, requestedModel);
      } finally {
        silence.end();
      }
    },
  };
}

/** A call of a tool stands with the words before it in one message of the assistant, and its answer in the next one. */
function modelMessages(messages: readonly ChatMessage[]): ModelMessage[] {
  const asked: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      asked.push({ role: 'user', content: contentOf(message) });
      continue;
    }
    if (message.role === 'assistant') {
      asked.push({ role: 'assistant', content: message.text });
      continue;
    }
    const { id: toolCallId, tool: toolName, arguments: input } = message.call;
    const call = { type: 'tool-call', toolCallId, toolName, input } as const;
    const before = asked.at(-1);
    const calling: AssistantModelMessage = { role: 'assistant', content: [call] };
    if (before?.role === 'assistant' && typeof before.content === 'string')
      asked[asked.length - 1] = { role: 'assistant', content: [{ type: 'text', text: before.content }, call] };
    else asked.push(calling);
    const output = { type: 'text', value: message.text } as const;
    asked.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] });
  }
  return asked;
}

function contentOf({ text, images = [] }: Extract<ChatMessage, { role: 'user' }>): UserContent {
  if (images.length === 0) return text;
  return [
    { type: 'text', text },
    ...images.map(({ mediaType, bytes }) => ({ type: 'file' as const, mediaType, data: bytes })),
  ];
}

/** Aborts its signal when the model says nothing for too long. A tool may take longer: it has limits of its own. */
function silenceOf(longestMs: number) {
  const silence = new AbortController();
  let [toolsAtWork, hasEnded] = [0, false];
  const timer = setTimeout(() => {
    if (toolsAtWork > 0) timer.refresh();
    else silence.abort(new Error('the model said nothing for too long'));
  }, longestMs);
  const isBroken = (): void => {
    if (!hasEnded) timer.refresh();
  };
  return {
    signal: silence.signal,
    isBroken,
    whileItRuns: (tool: ModelTool): ModelTool => ({
      ...tool,
      run: async (given, signal) => {
        toolsAtWork += 1;
        try {
          return await tool.run(given, signal);
        } finally {
          toolsAtWork -= 1;
          isBroken();
        }
      },
    }),
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
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
    onPart();
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

/** What the model reads in place of an answer of a tool: nothing of how the platform is built. */
class ToolFailed extends Error {}

const causeOf = (error: unknown): unknown => (error instanceof ToolFailed ? error.cause : error);

const toolFailed = (error: unknown): ToolFailed => {
  if (error instanceof ToolRefusal) return new ToolFailed(error.forModel, { cause: error });
  const reason = error instanceof DomainError ? error.message : 'it does not work right now';
  return new ToolFailed(`The tool has failed: ${reason}. Say so in your answer, and what is missing for it.`, {
    cause: error,
  });
};

/** What has a reason that somebody can do something about says it. */
function modelFailure(error: unknown, model: string): unknown {
  const cause = error instanceof DomainError ? error.cause : error;
  const refusal = RetryError.isInstance(cause) ? cause.lastError : cause;
  if (!APICallError.isInstance(refusal)) return error;
  const { statusCode = 0, responseBody = '' } = refusal;
  if (statusCode === 401 || statusCode === 403) return modelKeyRefused({ cause: error });
  if (statusCode < 400 || statusCode >= 500 || statusCode === 429) return error;
  if (
    /context_length_exceeded|context (?:length|size|window)|maximum context|too long|too many tokens/i.test(
      responseBody,
    )
  )
    return contextTooLong({ cause: error });
  if (statusCode === 404 || /model_not_found|model\b[^"]*\b(?:not exist|not found)/i.test(responseBody))
    return modelNotFound({ model, cause: error });
  return error;
}

const imagesIn = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0), 0);

type UsageCount = ReturnType<typeof usageCount>;

/**
 * Counts what an answer uses while it is written, so that it is known whenever it ends: a step reads the question with all
 * that was written and answered by tools before it, and begins to count when the model says anything. What the server
 * says of a step that is over takes the place of what was counted; there are those that say nothing.
 */
function usageCount(question: Question, countTokens: (text: string) => number) {
  let over = noUsage;
  /** What the present step reads; counted when it is known that the question was read at all. */
  let asked: number | undefined;
  /** What tools have answered in it, for the next one. */
  let answered = 0;
  let read = 0;
  let written = 0;
  const toRead = (): number =>
    (asked ??= [
      question.instructions,
      ...question.messages.map((message) =>
        message.role === 'tool' ? `${JSON.stringify(message.call)}${message.text}` : message.text,
      ),
      ...question.tools.map(({ name, description, parameters, schema }) =>
        JSON.stringify({ name, description, parameters: schema ?? parameters }),
      ),
    ].reduce((sum, text) => sum + countTokens(text), TOKENS_OF_IMAGE * imagesIn(question.messages)));
  const soFar = (): TokenUsage => ({
    inputTokens: over.inputTokens + read,
    outputTokens: over.outputTokens + written,
  });
  return {
    written(text: string): TokenUsage {
      read = toRead();
      written += countTokens(text);
      return soFar();
    },
    answeredByTool(text: string): void {
      answered += countTokens(text);
    },
    stepEnded(told: {
      readonly inputTokens: number | undefined;
      readonly outputTokens: number | undefined;
    }): TokenUsage {
      over = {
        inputTokens: over.inputTokens + (told.inputTokens ?? toRead()),
        outputTokens: over.outputTokens + (told.outputTokens ?? written),
      };
      asked = toRead() + written + answered;
      [read, written, answered] = [0, 0, 0];
      return soFar();
    },
  };
}

const textOf = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output ?? ''));

const toolSet = (tools: readonly ModelTool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, parameters, schema, run }) => [
      name,
      tool({
        description,
        inputSchema: schema ? objectSchema(schema) : textsSchema(parameters),
        execute: async (given, { abortSignal }) => {
          try {
            return await run(given, abortSignal ?? new AbortController().signal);
          } catch (error) {
            abortSignal?.throwIfAborted();
            throw toolFailed(error);
          }
        },
      }),
    ]),
  );

/** Whatever object a model makes of a schema that a stranger may have written: it is judged where the tool is carried out. */
const objectSchema = (schema: Fields) =>
  jsonSchema<Fields>(schema, {
    validate: (given) =>
      typeof given === 'object' && given !== null && !Array.isArray(given)
        ? { success: true, value: given as Fields }
        : { success: false, error: new Error('the arguments have to be an object') },
  });

function textsSchema(parameters: ModelTool['parameters']) {
  const names = Object.keys(parameters);
  const properties = Object.fromEntries(
    names.map((name) => [name, { type: 'string' as const, description: parameters[name] ?? '' }]),
  );
  return jsonSchema<Record<string, string>>(
    { type: 'object', properties, required: names, additionalProperties: false },
    {
      validate: (given) => {
        const texts = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
        const wrong = names.find((name) => typeof texts[name] !== 'string');
        return wrong === undefined
          ? { success: true, value: texts as Record<string, string> }
          : { success: false, error: new Error(`${wrong} has to be a text`) };
      },
    },
  );
}
