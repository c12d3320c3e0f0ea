import { afterAll, describe, expect, it } from '@jest/globals';
import { jsonSchemas } from './json-schemas.ts';

const schemas = jsonSchemas({ taskCpuMs: 300, taskTimeoutMs: 60_000 });
afterAll(() => schemas.close());

const COUNT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { count: { type: 'integer' }, city: { $ref: '#/$defs/city' } },
  required: ['count'],
  additionalProperties: false,
  $defs: { city: { type: 'string', minLength: 2 } },
};

describe('schemas of clients', () => {
  it('hold what is answered', async () => {
    expect(await schemas.problemOf('o', COUNT)).toBeUndefined();
    expect(await schemas.errorsIn('o', COUNT, '{"count": 3, "city": "Bern"}')).toEqual([]);
    expect(await schemas.errorsIn('o', COUNT, '{"count": "3", "town": 1}')).toEqual([
      '/ must NOT have additional properties',
      '/count must be integer',
    ]);
  });

  it.each([
    ['of no type that there is', { type: 'number or so' }],
    ['with what stands elsewhere', { $ref: 'https://example.com/schema.json' }],
    ['with a pattern that is none', { type: 'string', pattern: '(' }],
  ])('are refused: %s', async (_what, schema) => {
    expect(await schemas.problemOf('o', schema)).toEqual(expect.any(String));
  });

  it('hold at once, whatever a keyword that is none of the standard says', async () => {
    const later = { $async: true, ...COUNT };
    expect(await schemas.errorsIn('o', later, '{"count": "3"}')).toEqual(['/count must be integer']);
    const within = { type: 'object', properties: { count: { $async: true, type: 'integer' } } };
    expect(await schemas.problemOf('o', within)).toEqual(expect.any(String));
  });

  it('take nobody’s time for good', async () => {
    const slow = { type: 'string', pattern: '^(a+)+$' };
    const endless = schemas.errorsIn('o', slow, JSON.stringify(`${'a'.repeat(60)}!`));
    await expect(endless).rejects.toMatchObject({ code: 'schema_too_complex' });
    expect(await schemas.errorsIn('o', slow, '"aaa"')).toEqual([]);
  });
});
