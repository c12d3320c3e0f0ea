import { describe, expect, it } from '@jest/globals';
import { unavailable, type Fields } from '@platform-backend/core';
import { formatProblem, requireFormat, structuredOutput, wordsIn, type ResponseFormat } from './structured-output.ts';

const asked = (schema: unknown, name = 'count') => ({ type: 'json_schema', json_schema: { name, schema } });

describe('the form of an answer', () => {
  it.each<[string, Fields, string[] | undefined]>([
    ['text', { type: 'text' }, undefined],
    ['an object', { type: 'json_object' }, undefined],
    ['a schema', asked({ type: 'object' }), undefined],
    ['something else', { type: 'xml' }, ['type']],
    ['no schema', { type: 'json_schema' }, ['json_schema']],
    ['a schema without a name', asked({}, ''), ['json_schema', 'name']],
    ['a schema that is a list', asked([]), ['json_schema', 'schema']],
  ])('is %s', (_what, format, at) => {
    expect(formatProblem(format)?.at).toEqual(at);
  });

  it('is refused before anything is asked where nobody follows it, or it is no schema', async () => {
    const schemas = { problemOf: () => Promise.resolve('type must be a type') };
    const require = (isFollowed: boolean) =>
      requireFormat({ schemas, organisationId: 'o' }, asked({ type: 'x' }), { isFollowed });
    await expect(require(false)).rejects.toMatchObject({ violations: [{ loc: ['body', 'response_format'] }] });
    await expect(require(true)).rejects.toMatchObject({
      violations: [
        { loc: ['body', 'response_format', 'json_schema', 'schema'], msg: 'Value error, type must be a type' },
      ],
    });
    expect(await requireFormat({ schemas, organisationId: 'o' }, null, { isFollowed: false })).toBeUndefined();
  });
});

describe('whether an answer keeps to its form', () => {
  const outcome = async (format: ResponseFormat, text: string, errorsIn = () => Promise.resolve<string[]>([])) =>
    structuredOutput({ schemas: { errorsIn }, organisationId: 'o' }, format, text);
  const schema = asked({ type: 'object' }) as unknown as ResponseFormat;

  it('is told of JSON alone', async () => {
    const object = { type: 'json_object' } as const;
    expect(await outcome(object, '{"a": 1}')).toEqual({ status: 'valid', errors: [] });
    expect((await outcome(object, '[1]')).status).toBe('invalid');
    expect((await outcome(object, '```json\n{}\n```')).status).toBe('invalid');
    expect((await outcome(schema, '{"a": 1')).status).toBe('invalid');
  });

  it('is told by the schema, as far as that could be done', async () => {
    expect(await outcome(schema, '{}')).toEqual({ status: 'valid', errors: [] });
    const wrong = () => Promise.resolve(['/count must be integer']);
    expect(await outcome(schema, '{}', wrong)).toEqual({ status: 'invalid', errors: ['/count must be integer'] });
    expect((await outcome(schema, '{}', () => Promise.reject(unavailable(new Error('busy'))))).status).toBe(
      'unchecked',
    );
  });

  it('leaves sources to its texts', () => {
    expect(wordsIn('{"days": [1], "why": ["Thirty [2]."]}')).toBe('Thirty [2].');
    expect(wordsIn('Thirty [1].')).toBe('Thirty [1].');
  });
});
