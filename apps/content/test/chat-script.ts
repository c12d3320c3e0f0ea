import type { ApiAnswer, ApiRequest } from './openai-double.ts';

/** What a chat is asked, as far as tests look at it. */
export interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export const chatOf = ({ body }: ApiRequest): ChatRequest => JSON.parse(body.toString()) as ChatRequest;

/** What the last tool has answered to the model. */
export const toolAnswer = (request: ApiRequest): string =>
  String(chatOf(request).messages.findLast(({ role }) => role === 'tool')?.content);

const chunk = (delta: object, finish: string | null = null): string =>
  sse({ choices: [{ index: 0, delta, finish_reason: finish }] });

const sse = (fields: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`;

const usage = sse({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
const done = 'data: [DONE]\n\n';
const headers = { 'content-type': 'text/event-stream' };

/** An answer in text, in these pieces. */
export const says = (...pieces: readonly string[]): ApiAnswer => ({
  headers,
  body: [...pieces.map((content) => chunk({ content })), chunk({}, 'stop'), usage, done].join(''),
});

/** A piece of text, and then whatever comes of `then`. */
export const saysAndWaits = (content: string, then: Promise<unknown>): ApiAnswer => ({
  headers,
  body: (async function* () {
    yield chunk({ content });
    await then;
    yield chunk({}, 'stop') + done;
  })(),
});

/** A piece of text, and when `then` has come an error in place of the rest. */
export const saysAndFails = (content: string, then: Promise<unknown>): ApiAnswer => ({
  headers,
  body: (async function* () {
    yield chunk({ content });
    await then;
    yield 'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n';
  })(),
});

/** The wish to use a tool, its arguments in two pieces. */
export const wants = (tool: string, given: string): ApiAnswer => {
  const call = (fields: object) => chunk({ tool_calls: [{ index: 0, ...fields }] });
  const half = Math.ceil(given.length / 2);
  return {
    headers,
    body: [
      call({ id: 'call_1', type: 'function', function: { name: tool, arguments: '' } }),
      call({ function: { arguments: given.slice(0, half) } }),
      call({ function: { arguments: given.slice(half) } }),
      chunk({}, 'tool_calls'),
      usage,
      done,
    ].join(''),
  };
};
