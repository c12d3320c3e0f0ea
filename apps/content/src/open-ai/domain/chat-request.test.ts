import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { chatQuestion, textsOf, type ChatRequest, type RequestMessage } from './chat-request.ts';

const said = (role: RequestMessage['role'], content: unknown, more: Partial<RequestMessage> = {}): RequestMessage => ({
  ...{ role, content, name: '', toolCalls: null },
  ...more,
});

const asked = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [said('user', 'How many?')],
  ...{ stream: false, streamOptions: null, temperature: null, topP: null, maxTokens: null, maxCompletionTokens: null },
  ...{ stop: null, presencePenalty: null, frequencyPenalty: null, seed: null, responseFormat: null, n: null },
  ...{ tools: null, toolChoice: null, logprobs: false, store: false, serviceTier: '' },
  ...more,
});

const question = (more: Partial<ChatRequest>, followsOptions = true) => chatQuestion(asked(more), { followsOptions });

/** The places of what is refused. */
function refused(more: Partial<ChatRequest>, followsOptions = true): string[] {
  try {
    question(more, followsOptions);
    return [];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return (error.violations ?? []).map(({ type, loc }) => `${type} ${loc.slice(1).join('.')}`);
  }
}

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const image = (url: string, more: object = {}) => ({ type: 'image_url', image_url: { url, ...more } });
const file = (fields: object) => ({ type: 'file', file: fields });

describe('files and images that come with a request', () => {
  it('stand with the message that they belong to, also where it says nothing else', () => {
    const data = 'data:text/plain;base64,SGVsbG8=';
    const messages = [
      said('user', [image(PNG, { detail: 'auto' })]),
      said('assistant', 'A cat.'),
      said('user', [{ type: 'text', text: 'And these?' }, file({ filename: 'a.txt', file_data: data })]),
      said('user', [file({ file_id: 'f' })]),
    ];
    const [first, , last] = question({ messages }).messages;
    expect(first).toMatchObject({ role: 'user', text: '', files: [{ kind: 'image', mediaType: 'image/png' }] });
    expect(last).toMatchObject({
      role: 'user',
      text: 'And these?',
      files: [
        { kind: 'data', name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('Hello') },
        { kind: 'document', id: 'f', loc: ['messages', 3, 'content', 0, 'file'] },
      ],
    });
  });

  it.each([
    ['an address', image('https://example.com/cat.png'), 'image_url.url'],
    ['an address in base64', image('data:text/uri-list,https://example.com'), 'image_url.url'],
    ['no image', image('data:image/png;base64,'), 'image_url.url'],
    ['another detail', image(PNG, { detail: 'high' }), 'image_url.detail'],
    ['bytes that are no URL', file({ file_data: 'SGVsbG8=' }), 'file.file_data'],
    ['two files in one', file({ file_id: 'f', file_data: PNG }), 'file'],
  ])('are refused with their place: %s', (_what, part, at) => {
    expect(refused({ messages: [said('user', [part])] })).toEqual([`unsupported_value messages.0.content.0.${at}`]);
  });

  it('are the user’s, and not without end', () => {
    expect(refused({ messages: [said('assistant', [image(PNG)]), said('user', 'What is it?')] })).toEqual([
      'unsupported_value messages.0.content.0.type',
    ]);
    expect(
      refused({
        messages: [
          said(
            'user',
            Array.from({ length: 11 }, () => image(PNG)),
          ),
        ],
      }),
    ).toEqual(['too_many messages']);
  });
});

describe('what a client of OpenAI asks', () => {
  it('is a conversation in turns, with what it says of the assistant apart', () => {
    const messages = [
      said('system', 'Be brief.'),
      said('user', 'Hello', { name: 'Ada' }),
      said('assistant', [
        { type: 'text', text: 'Good' },
        { type: 'text', text: 'day.' },
      ]),
      said('assistant', null),
      said('developer', 'In German.'),
      said('user', 'How'),
      said('user', 'many?'),
    ];
    expect(question({ messages })).toMatchObject({
      instructions: 'Be brief.\n\nIn German.',
      messages: [
        { role: 'user', text: 'Ada: Hello' },
        { role: 'assistant', text: 'Good\n\nday.' },
        { role: 'user', text: 'How\n\nmany?' },
      ],
    });
  });

  it('has its options handed on, the newer name of two first', () => {
    const schema = { type: 'json_schema', json_schema: { name: 'a', schema: {} } };
    const options = { maxTokens: 5, maxCompletionTokens: 7, topP: 0.5, stop: 'END', seed: 1, responseFormat: schema };
    expect(question({ ...options, temperature: 0, presencePenalty: -2, frequencyPenalty: 2 })).toMatchObject({
      temperature: 0,
      generation: {
        ...{ maxOutputTokens: 7, topP: 0.5, stop: ['END'], seed: 1, responseFormat: schema },
        ...{ presencePenalty: -2, frequencyPenalty: 2 },
      },
    });
    expect(question({ responseFormat: { type: 'text' }, n: 1, tools: [], toolChoice: 'none' }).generation).toEqual({});
  });

  it('is refused by name where nothing here follows it', () => {
    expect(refused({ n: 2, tools: [{}], toolChoice: 'required', logprobs: true, store: true })).toEqual([
      'unsupported_value n',
      'unsupported_parameter tools',
      'unsupported_value tool_choice',
      'unsupported_parameter logprobs',
      'unsupported_parameter store',
    ]);
    expect(refused({ serviceTier: 'flex', streamOptions: {}, responseFormat: { type: 'grammar' } })).toEqual([
      'unsupported_value service_tier',
      'unsupported_parameter stream_options',
      'unsupported_value response_format',
    ]);
    expect(refused({ responseFormat: { type: 'json_schema' } })).toEqual(['missing response_format.json_schema']);
  });

  it('is refused outside of what there is', () => {
    expect(refused({ temperature: 2.1, topP: Number.NaN, presencePenalty: 3, frequencyPenalty: -3 })).toEqual([
      'out_of_range temperature',
      'out_of_range top_p',
      'out_of_range presence_penalty',
      'out_of_range frequency_penalty',
    ]);
    for (const stop of ['', [1], ['a', 'b', 'c', 'd', 'e']]) expect(refused({ stop })).toEqual(['invalid_stop stop']);
  });

  it('says something, ends with the user, and has no sound and no calls of tools', () => {
    const sound = { type: 'input_audio', input_audio: { data: '', format: 'wav' } };
    expect(refused({ messages: [said('user', [{ type: 'text', text: 'Hear' }, sound])] })).toEqual([
      'unsupported_value messages.0.content.1.type',
    ]);
    expect(refused({ messages: [said('user', [{ type: 'text' }])] })).toEqual([
      'string_type messages.0.content.0.text',
    ]);
    expect(refused({ messages: [said('user', ' ')] })).toEqual(['empty messages.0.content']);
    expect(refused({ messages: [said('user', [])] })).toEqual(['empty messages.0.content']);
    expect(refused({ messages: [said('user', 'a'), said('assistant', 'b')] })).toEqual(['last_message messages']);
    expect(refused({ messages: [said('system', 'a')] })).toEqual(['last_message messages']);
    expect(refused({ messages: [said('assistant', null, { toolCalls: [{}] }), said('user', 'a')] })).toEqual([
      'unsupported_parameter messages.0.tool_calls',
    ]);
  });

  it('is read with what it was told and what is attached', () => {
    const messages = ['b', 'c'].map((text) => ({ role: 'user' as const, text }));
    expect(textsOf({ instructions: 'a', messages, attached: { shown: { text: 'd' } } })).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has no options where no language model would follow them', () => {
    const options = { temperature: 1, maxTokens: 1, stop: 'a', seed: 0, responseFormat: { type: 'json_object' } };
    expect(refused(options, false)).toEqual(
      ['temperature', 'max_tokens', 'stop', 'seed', 'response_format'].map((name) => `unsupported_parameter ${name}`),
    );
    expect(refused({}, false)).toEqual([]);
  });
});
