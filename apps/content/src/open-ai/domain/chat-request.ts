import { invalid, type Fields, type Violation } from '@platform-backend/core';
import type { ChatMessage, GenerationOptions } from '../../turns/domain/language-model.ts';
import { filesIn, isFilePart, MAX_FILES, wrongFilePart, type RequestFile } from './request-files.ts';
import { unsupportedParameter, unsupportedValue, violation } from './violations.ts';

/** What a client of OpenAI's interface asks, as far as rules look at it. */
export interface ChatRequest {
  readonly messages: readonly RequestMessage[];
  readonly stream: boolean;
  readonly streamOptions: object | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxTokens: number | null;
  readonly maxCompletionTokens: number | null;
  readonly stop: unknown;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  readonly seed: number | null;
  readonly responseFormat: Fields | null;
  readonly n: number | null;
  readonly tools: unknown;
  readonly toolChoice: unknown;
  readonly logprobs: boolean;
  readonly store: boolean;
  readonly serviceTier: string;
}

export interface RequestMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly content: unknown;
  readonly name: string;
  readonly toolCalls: unknown;
}

/** A message with the files that are to be read for it. */
export type MessageWithFiles = ChatMessage & { readonly files?: readonly RequestFile[] };

/** The same as an assistant is asked it. */
export interface ChatQuestion {
  readonly instructions: string;
  readonly messages: readonly MessageWithFiles[];
  readonly temperature: number | null;
  readonly generation: GenerationOptions;
}

/**
 * What is asked. With `followsOptions` there is a language model that is told how to answer.
 *
 * INVALID: something that nothing here follows, or that says nothing.
 */
export function chatQuestion(request: ChatRequest, { followsOptions }: { readonly followsOptions: boolean }) {
  const wrong = [
    ...unsupported(request),
    ...(followsOptions ? [] : withoutModel(request)),
    ...outOfRange(request),
    ...wrongStop(request.stop),
    ...wrongFormat(request.responseFormat),
    ...wrongMessages(request.messages),
  ];
  if (wrong.length > 0) throw invalid(wrong);
  const said = request.messages.map(({ role, content, name }, at) => ({
    role,
    files: filesIn(content, ['messages', at, 'content']),
    text: role === 'user' && name !== '' ? `${name}: ${textOf(content)}` : textOf(content),
  }));
  const instructions = said.filter(({ role }) => isInstruction(role));
  return {
    instructions: instructions.map(({ text }) => text).join('\n\n'),
    messages: inTurns(said),
    temperature: request.temperature,
    generation: generationOf(request),
  } satisfies ChatQuestion;
}

/** What is asked and is read as text. */
export const textsOf = ({
  instructions,
  messages,
  attached,
}: Pick<ChatQuestion, 'instructions' | 'messages'> & {
  readonly attached?: { readonly shown: { readonly text: string } } | undefined;
}): readonly string[] => [instructions, ...messages.map(({ text }) => text), attached?.shown.text ?? ''];

const isInstruction = (role: RequestMessage['role']): boolean => role === 'system' || role === 'developer';

/** What one side has said several times in a row is one message, and what says nothing is none: some models take nothing else. */
function inTurns(
  said: readonly {
    readonly role: RequestMessage['role'];
    readonly text: string;
    readonly files: readonly RequestFile[];
  }[],
): MessageWithFiles[] {
  const turns: { role: 'user' | 'assistant'; texts: string[]; files: RequestFile[] }[] = [];
  for (const { role, text, files } of said) {
    if (role === 'system' || role === 'developer' || (text.trim() === '' && files.length === 0)) continue;
    const texts = text.trim() === '' ? [] : [text];
    const last = turns.at(-1);
    if (last?.role === role) {
      last.texts.push(...texts);
      last.files.push(...files);
    } else turns.push({ role, texts, files: [...files] });
  }
  return turns.map(({ role, texts, files }) => ({
    role,
    text: texts.join('\n\n'),
    ...(files.length > 0 && { files }),
  }));
}

function generationOf(request: ChatRequest): GenerationOptions {
  const { topP, presencePenalty, frequencyPenalty, seed, stop, responseFormat } = request;
  const maxOutputTokens = request.maxCompletionTokens ?? request.maxTokens;
  const stops = stopsIn(stop);
  return {
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(topP !== null && { topP }),
    ...(presencePenalty !== null && { presencePenalty }),
    ...(frequencyPenalty !== null && { frequencyPenalty }),
    ...(seed !== null && { seed }),
    ...(stops.length > 0 && { stop: stops as string[] }),
    ...(isPlain(responseFormat) ? {} : { responseFormat: responseFormat as Fields }),
  };
}

const isPlain = (format: Fields | null): boolean => format === null || format['type'] === 'text';

const stopsIn = (stop: unknown): readonly unknown[] =>
  stop === null || stop === undefined ? [] : Array.isArray(stop) ? (stop as unknown[]) : [stop];

const isEmpty = (list: unknown): boolean =>
  list === null || list === undefined || (Array.isArray(list) && list.length === 0);

/** What no answer here follows, whoever writes it. */
function unsupported({ n, tools, toolChoice, logprobs, store, serviceTier, stream, streamOptions }: ChatRequest) {
  return [
    ...(n !== null && n !== 1 ? [unsupportedValue('n', 'There is one answer: leave it out, or set it to 1')] : []),
    ...(isEmpty(tools)
      ? []
      : [unsupportedParameter('tools', 'Assistants use tools of their own, and none of their clients')]),
    ...(toolChoice === null || toolChoice === undefined || toolChoice === 'none' || toolChoice === 'auto'
      ? []
      : [unsupportedValue('tool_choice', 'Assistants choose among tools of their own: leave it out')]),
    ...(logprobs ? [unsupportedParameter('logprobs', 'Likelihoods are not told')] : []),
    ...(store ? [unsupportedParameter('store', 'What is asked and answered here is not kept')] : []),
    ...(['', 'auto', 'default'].includes(serviceTier)
      ? []
      : [unsupportedValue('service_tier', "There is one: leave it out, or set it to 'auto'")]),
    ...(streamOptions !== null && !stream
      ? [unsupportedParameter('stream_options', "It goes with 'stream' alone")]
      : []),
  ];
}

/** Quotes are not written by anybody who could be told how. */
function withoutModel(request: ChatRequest): Violation[] {
  const given: readonly (readonly [string, boolean])[] = [
    ['temperature', request.temperature !== null],
    ['top_p', request.topP !== null],
    ['max_tokens', request.maxTokens !== null],
    ['max_completion_tokens', request.maxCompletionTokens !== null],
    ['stop', stopsIn(request.stop).length > 0],
    ['presence_penalty', request.presencePenalty !== null],
    ['frequency_penalty', request.frequencyPenalty !== null],
    ['seed', request.seed !== null],
    ['response_format', !isPlain(request.responseFormat)],
  ];
  return given.flatMap(([name, isGiven]) =>
    isGiven ? [unsupportedParameter(name, 'No language model is set up here that would follow it: leave it out')] : [],
  );
}

function outOfRange(request: ChatRequest): Violation[] {
  const ranges = [
    ['temperature', request.temperature, 0, 2],
    ['top_p', request.topP, 0, 1],
    ['presence_penalty', request.presencePenalty, -2, 2],
    ['frequency_penalty', request.frequencyPenalty, -2, 2],
  ] as const;
  return ranges.flatMap(([name, given, min, max]) =>
    given === null || (given >= min && given <= max)
      ? []
      : [violation('out_of_range', [name], `Input should be between ${min} and ${max}`)],
  );
}

const MAX_STOPS = 4;

function wrongStop(stop: unknown): Violation[] {
  const stops = stopsIn(stop);
  const isRight = stops.length <= MAX_STOPS && stops.every((text) => typeof text === 'string' && text !== '');
  return isRight ? [] : [violation('invalid_stop', ['stop'], `Input should be a text, or up to ${MAX_STOPS} of them`)];
}

function wrongFormat(format: Fields | null): Violation[] {
  if (isPlain(format)) return [];
  const { type, json_schema: schema } = format as { readonly type?: unknown; readonly json_schema?: unknown };
  if (type === 'json_object') return [];
  if (type !== 'json_schema')
    return [unsupportedValue('response_format', "Its type should be 'text', 'json_object' or 'json_schema'")];
  const isSchema = typeof schema === 'object' && schema !== null && 'name' in schema && 'schema' in schema;
  return isSchema
    ? []
    : [violation('missing', ['response_format', 'json_schema'], "Field required, with 'name' and 'schema'")];
}

function wrongMessages(messages: readonly RequestMessage[]): Violation[] {
  const said = messages.filter(({ role }) => !isInstruction(role));
  const last = said.at(-1);
  const wrong = messages.flatMap(({ role, content, toolCalls }, at) => {
    const loc = ['messages', at, 'content'];
    if (!isEmpty(toolCalls))
      return [violation('unsupported_parameter', ['messages', at, 'tool_calls'], 'Calls of tools are not taken')];
    if (!Array.isArray(content)) {
      const isSilent = role === 'user' && typeof content === 'string' && content.trim() === '';
      return isSilent ? [violation('empty', loc, 'Input should say something')] : [];
    }
    const parts = content.flatMap((part: unknown, index) => wrongPart(part, role, [...loc, index]));
    if (parts.length > 0 || role !== 'user' || content.some(isFilePart) || textOf(content).trim() !== '') return parts;
    return [violation('empty', loc, 'Input should say something')];
  });
  const files = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isFilePart) : []));
  if (files.length > MAX_FILES)
    return [violation('too_many', ['messages'], `There should be up to ${MAX_FILES} files and images in all`)];
  if (wrong.length === 0 && last?.role !== 'user')
    return [violation('last_message', ['messages'], "The last one should be of role 'user'")];
  return wrong;
}

function wrongPart(part: unknown, role: RequestMessage['role'], loc: readonly (string | number)[]): Violation[] {
  const { type, text } = (typeof part === 'object' && part !== null ? part : {}) as Record<string, unknown>;
  if (type === 'text') {
    return typeof text === 'string' ? [] : [violation('string_type', [...loc, 'text'], 'Input should be a text')];
  }
  if (isFilePart(part)) {
    if (role === 'user') return wrongFilePart(part, loc);
    return [
      violation('unsupported_value', [...loc, 'type'], "Files and images stand in messages of role 'user' alone"),
    ];
  }
  const named = typeof type === 'string' ? `Parts of type '${type.slice(0, 100)}' are` : 'Other parts are';
  return [
    violation(
      'unsupported_value',
      [...loc, 'type'],
      `${named} not read: send parts of type 'text', 'image_url' or 'file'`,
    ),
  ];
}

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.flatMap((part) => (isFilePart(part) ? [] : [(part as { readonly text: string }).text])).join('\n\n')
    : typeof content === 'string'
      ? content
      : '';
