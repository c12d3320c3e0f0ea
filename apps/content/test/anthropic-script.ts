import type { ApiAnswer } from './openai-double.ts';

const headers = { 'content-type': 'text/event-stream' };

/** An event as Anthropic's API of messages sends it. */
const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const begin = (inputTokens: number): string =>
  event('message_start', {
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], stop_reason: null },
      ...{ stop_sequence: null, usage: { input_tokens: inputTokens, output_tokens: 1 } },
    },
  }) + event('ping');

const end = (reason: string, outputTokens: number): string =>
  event('message_delta', {
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: outputTokens },
  }) + event('message_stop');

const block = (index: number, start: object, deltas: readonly object[]): string =>
  [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ].join('');

/** An answer in text, in these pieces. */
export const claudeSays = (...pieces: readonly string[]): ApiAnswer => ({
  headers,
  body:
    begin(100) +
    block(
      0,
      { type: 'text', text: '' },
      pieces.map((text) => ({ type: 'text_delta', text })),
    ) +
    end('end_turn', 10),
});

/** The wish to use a tool, its arguments in two pieces, after some words. */
export function claudeWants(tool: string, given: string): ApiAnswer {
  const half = Math.ceil(given.length / 2);
  const pieces = [given.slice(0, half), given.slice(half)];
  return {
    headers,
    body:
      begin(100) +
      block(0, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'I look. ' }]) +
      block(
        1,
        { type: 'tool_use', id: 'toolu_1', name: tool, input: {} },
        pieces.map((partial) => ({ type: 'input_json_delta', partial_json: partial })),
      ) +
      end('tool_use', 10),
  };
}

/** Some words, and an error in place of the rest. */
export const claudeBreaksOff = (text: string): ApiAnswer => ({
  headers,
  body:
    begin(100) +
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }) +
    event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
});

/** A refusal, with its status. */
export const claudeRefuses = (status: number, type: string, message: string): ApiAnswer => ({
  status,
  headers: { 'retry-after-ms': '1' },
  body: { type: 'error', error: { type, message }, request_id: 'req_1' },
});
