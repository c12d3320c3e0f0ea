import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { loadContract } from '../contract.ts';
import type { JsonObject, JsonValue } from '../json-values.ts';
import { loadSample } from '../sample/sample-contract.ts';
import { openApi } from './openapi.ts';

const contract = loadContract();
const document = openApi(contract);
const sample = openApi(loadSample());

function at(root: JsonValue, ...path: string[]): JsonObject {
  return path.reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? {}, root) as JsonObject;
}

describe('the OpenAPI description', () => {
  it.each([
    ['of the platform', document],
    ['of a contract with every shape', sample],
  ])('%s is valid OpenAPI 3.1', async (_name, description) => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(description));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('has every operation that is bound to HTTP, once', () => {
    const described = Object.entries(document['paths'] as JsonObject).flatMap(([path, item]) =>
      Object.keys(item as JsonObject).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    const bound = contract.operations.flatMap(({ http }) => (http ? [`${http.verb} ${http.path}`] : []));
    expect(described.sort()).toEqual(bound.sort());
  });

  it('refers only to what it contains', () => {
    const references = [...JSON.stringify([document, sample]).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, target]) => target ?? '',
    );
    expect(references.length).toBeGreaterThan(100);
    const missing = references.filter(
      (target) =>
        ![document, sample].some((description) => Object.keys(at(description, ...target.split('/'))).length > 0),
    );
    expect(missing).toEqual([]);
  });

  it('carries the version of the interface', () => {
    expect(at(document, 'info')['version']).toBe('0.13.96');
  });

  it('shows the rules of a request body, with what is required and what stands for absent fields', () => {
    expect(at(document, 'paths', '/client-groups/', 'post', 'requestBody')).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              name: { type: 'string', minLength: 1, maxLength: 120 },
              description: { type: 'string', maxLength: 500, default: '' },
            },
            required: ['name'],
          },
        },
      },
    });
  });

  it('offers the Api-key header beside the bearer where the contract does', () => {
    expect(at(document, 'paths', '/client-groups/', 'post')['security']).toEqual([
      { bearer: [] },
      { apiKey: [] },
      { bearer: [], apiKey: [] },
    ]);
    expect(at(document, 'paths', '/client-groups/', 'get')['security']).toEqual([{ bearer: [] }]);
    expect(at(sample, 'paths', '/samples/', 'get')['security']).toEqual([{}]);
  });

  it('tells a paged list by its headers, and shows a list at the root', () => {
    const success = at(document, 'paths', '/client-groups/', 'get', 'responses', '200');
    expect(at(success, 'content', 'application/json', 'schema')).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/ClientGroupSummary' },
    });
    expect(Object.keys(at(success, 'headers'))).toEqual(
      expect.arrayContaining(['Link', 'X-Next-Cursor', 'X-Total-Count', 'X-Request-Id', 'X-Api-Version']),
    );
  });

  it('never shows a field mask: the gateway fills it', () => {
    const body = at(
      document,
      'paths',
      '/client-groups/{group_id}/',
      'patch',
      'requestBody',
      'content',
      'application/json',
      'schema',
    );
    expect(Object.keys(at(body, 'properties'))).toEqual(['name', 'description']);
  });

  it('shows the limits of texts, lists, maps, free JSON and whole requests', () => {
    const bodyOf = (path: string, verb: string) =>
      at(document, 'paths', path, verb, 'requestBody', 'content', 'application/json', 'schema');
    expect(at(bodyOf('/organisations/', 'post'), 'properties')).toMatchObject({
      name: { maxLength: 2000 },
      image_url: { maxLength: 2048 },
    });
    expect(bodyOf('/client-groups/{group_id}/access/', 'put')).toMatchObject({
      properties: { asset_access: { maxItems: 1000 } },
      'x-max-bytes': 262144,
    });
    expect(at(document, 'components', 'schemas', 'AccessEntryInput')).toMatchObject({
      maxProperties: 100,
      propertyNames: { maxLength: 255 },
      additionalProperties: { maxLength: 2000 },
    });
    expect(at(document, 'components', 'schemas', 'TaskContextInput', 'properties', 'entities')).toMatchObject({
      maxItems: 1000,
      items: { 'x-max-bytes': 65536 },
    });
  });

  it('shows an answer without a body', () => {
    expect(at(sample, 'paths', '/samples/{sample_id}/poke', 'post', 'responses', '204')).not.toHaveProperty('content');
  });

  it('says of an answer that something may be null only where it may', () => {
    const { schemas } = document['components'] as { schemas: JsonObject };
    expect(at(schemas, 'ApiKey', 'properties')).toMatchObject({
      id: { type: 'string', format: 'uuid' },
      created_at: { type: 'string', format: 'date-time' },
      expires_at: { type: ['string', 'null'], format: 'date-time' },
    });
    expect(at(schemas, 'Organisation', 'properties')).toMatchObject({
      id: { type: 'string' },
      seats_expired_at: { type: 'string', format: 'date-time' },
    });
    expect(at(schemas, 'OrganisationMember', 'properties', 'user')).toEqual({
      $ref: '#/components/schemas/MemberUser',
    });
    expect(at(schemas, 'Member', 'properties', 'user')).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/MemberUser' }, { type: 'null' }],
    });
    expect(at(schemas, 'ClientPolicy', 'properties', 'request_limit')).toMatchObject({ type: ['integer', 'null'] });
  });

  it('has 403 wherever there is a credential, for it may name an organisation that is not the caller’s', () => {
    expect(Object.keys(at(document, 'paths', '/organisations/', 'get', 'responses'))).toContain('403');
  });

  it('tells the members of a union apart by their tag, and shows a flat message as its field', () => {
    const { Notification: union, Labels: flat } = at(sample, 'components', 'schemas');
    expect(union).toMatchObject({
      oneOf: [
        { properties: { method: { const: 'EMAIL' } }, required: ['method', 'user_ids'] },
        { properties: { method: { const: 'SLACK' } }, required: ['method', 'channel_ids'] },
      ],
    });
    expect(flat).toEqual({ type: 'object', additionalProperties: { type: 'string' } });
  });

  it('gives every operation the errors it can end in', () => {
    const responses = at(document, 'paths', '/client-groups/{group_id}/archive/', 'post', 'responses');
    expect(Object.keys(responses)).toEqual(['200', '401', '403', '404', '409', '422', '429', '500', '503', '504']);
  });
});
