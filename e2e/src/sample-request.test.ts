import { describe, expect, it } from '@jest/globals';
import { sampleRequest, samplePath, type OpenApiDocument } from './sample-request.ts';

const document: OpenApiDocument = {
  paths: {
    '/things/': {
      get: {},
      put: { requestBody: { content: { 'multipart/form-data': { schema: { type: 'object', required: ['audio'] } } } } },
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Thing' },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['name', 'email', 'count', 'limit', 'tags', 'kind'],
        properties: {
          name: { type: 'string', minLength: 8 },
          email: { type: 'string', format: 'email' },
          count: { type: 'integer', minimum: 3 },
          limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
          tags: { type: 'array', items: { type: 'string' } },
          kind: { enum: ['A', 'B'] },
          optional: { type: 'string' },
        },
      },
    },
  },
};

describe('sampling a request from the published schema', () => {
  it('gives the required fields valid values and leaves the others out', () => {
    expect(sampleRequest(document, 'POST', '/things/')).toEqual({
      body: {
        name: 'sample..',
        email: expect.stringMatching(/@example\.com$/),
        count: 3,
        limit: 1,
        tags: [],
        kind: 'A',
      },
    });
  });

  it('knows an operation without a body', () => {
    expect(sampleRequest(document, 'GET', '/things/')).toEqual({});
  });

  it('sends a file where a form asks for one', () => {
    const { headers, body } = sampleRequest(document, 'PUT', '/things/');
    expect(headers?.['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(String(body)).toContain('name="audio"; filename=');
  });

  it('fills a path with the ids given and with unknown ones', () => {
    expect(samplePath('/a/{x_id}/b/{y_id}/', { x_id: '1' })).toMatch(/^\/a\/1\/b\/[0-9a-f-]{36}\/$/);
  });
});
