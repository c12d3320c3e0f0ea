import { describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import { loadSample } from '../../test/sample-contract.ts';
import { cursorSeal } from './cursor.ts';
import { rendererCompiler } from './render.ts';

type Message = Record<string, unknown>;

const contract = loadSample();
const seal = cursorSeal(['a key for tests']);
const compile = rendererCompiler(seal);
const operation = (method: string) => contract.operation(`platform.sample.v1.SampleService/${method}`);
const rpc = (method: string) => {
  const definition = contract.serviceDefinition('platform.sample.v1.SampleService')[method];
  if (!definition) throw new Error(`no ${method}`);
  return definition;
};
const one = compile(operation('GetEverything'));
const list = compile(operation('ListEverything'));
const encode = (message: Message): Buffer => rpc('GetEverything').responseSerialize(message);

describe('rendering an operation', () => {
  const page = (message: Message) => list(rpc('ListEverything').responseSerialize(message));

  it('puts a list at the root, and takes the cursor and the total out of the body', () => {
    const { body, nextCursor, totalCount } = page({
      items: [{ text: 'a' }, { text: 'b' }],
      nextCursor: 'raw position',
      totalCount: 7,
    });
    expect(JSON.parse(String(body))).toMatchObject([{ text: 'a' }, { text: 'b' }]);
    expect(totalCount).toBe(7);
    expect(nextCursor).not.toContain('raw');
    expect(seal.unseal(operation('ListEverything').id, nextCursor ?? '')).toBe('raw position');
  });

  it('answers an empty list without cursor and total when there are none', () => {
    expect(page({ items: [] })).toEqual({ body: '[]' });
    expect(page({ items: [], totalCount: 0 })).toEqual({ body: '[]', totalCount: 0 });
  });

  it('keeps nothing of one page for the next', () => {
    page({ items: [], nextCursor: 'x', totalCount: 1 });
    expect(page({ items: [] })).toEqual({ body: '[]' });
    expect(one(Buffer.alloc(0))).not.toHaveProperty('nextCursor');
  });

  it('has no body when the operation answers 204', () => {
    expect(compile(operation('PokeSample'))(Buffer.alloc(0))).toEqual({});
  });

  it('answers the text of a field as plain text where it is there, also an empty one, and JSON else', () => {
    const { http, ...everything } = operation('GetEverything');
    if (!http) throw new Error('it is bound to HTTP');
    const answer = compile({ ...everything, http: { ...http, textField: 'maybe_text' } });
    for (const maybeText of ['1\n00:00 é\n', '']) {
      const { body, contentType } = answer(encode({ maybeText }));
      expect({ body: String(body), contentType }).toEqual({
        body: maybeText,
        contentType: 'text/plain; charset=utf-8',
      });
    }
    expect(answer(encode({}))).toEqual(one(encode({})));
  });

  it('is refused for an operation that is not bound to HTTP', () => {
    expect(() => compile(operation('CountSamples'))).toThrow('no HTTP binding');
  });

  it('is refused for a page that would show its cursor unsealed', () => {
    const { http, ...everything } = operation('ListEverything');
    if (!http) throw new Error('bound to HTTP');
    const { responseBody: _, ...bare } = http;
    expect(() => compile({ ...everything, http: bare })).toThrow('needs a response_body');
  });

  it('hands bytes on as they are where the operation answers no JSON', () => {
    const { http, ...poke } = operation('PokeSample');
    if (!http) throw new Error('bound to HTTP');
    const responseType = new protobuf.Type('Document').add(new protobuf.Field('content', 1, 'bytes'));
    const document = { ...poke, responseType, http: { ...http, status: 200, contentType: 'application/pdf' } };
    const content = Buffer.from([0, 255, 0x25, 0x50]);
    const answer = responseType.encode({ content }).finish();
    expect(compile(document)(Buffer.from(answer))).toEqual({ body: content });
  });

  it('answers an object for a message without fields', () => {
    const { http, ...poke } = operation('PokeSample');
    if (!http) throw new Error('bound to HTTP');
    expect(compile({ ...poke, http: { ...http, status: 200 } })(Buffer.alloc(0)).body?.toString()).toBe('{}');
  });
});
