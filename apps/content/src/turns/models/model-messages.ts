import { DomainError, type Fields } from '@platform-backend/core';
import { jsonSchema, tool, type AssistantModelMessage, type ModelMessage, type ToolSet, type UserContent } from 'ai';
import { ToolRefusal, type ChatMessage, type ModelTool } from '../domain/language-model.ts';

/** A call of a tool stands with the words before it in one message of the assistant, and its answer in the next one. */
export function modelMessages(messages: readonly ChatMessage[]): ModelMessage[] {
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

/** What the model reads in place of an answer of a tool: nothing of how the platform is built. */
class ToolFailed extends Error {}

export const causeOf = (error: unknown): unknown => (error instanceof ToolFailed ? error.cause : error);

const toolFailed = (error: unknown): ToolFailed => {
  if (error instanceof ToolRefusal) return new ToolFailed(error.forModel, { cause: error });
  const reason = error instanceof DomainError ? error.message : 'it does not work right now';
  return new ToolFailed(`The tool has failed: ${reason}. Say so in your answer, and what is missing for it.`, {
    cause: error,
  });
};

export const toolSet = (tools: readonly ModelTool[]): ToolSet =>
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
