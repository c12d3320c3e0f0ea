import { describe, expect, it } from '@jest/globals';
import { at, document, streams } from './openapi-documents.ts';

describe('the OpenAPI description of streams', () => {
  const answer = (path: string, verb: string, status = '200') => at(streams, 'paths', path, verb, 'responses', status);
  const content = (path: string, verb: string) => at(answer(path, verb), 'content');

  it('says where what was made is found, and shows errors in the form of the operation', () => {
    const responses = at(document, 'paths', '/notebooks/services/session/api/kernels', 'post', 'responses');
    expect(Object.keys(at(responses, '201', 'headers'))).toContain('Location');
    expect(at(responses, '402', 'content', 'application/json', 'schema')).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/MessageError' }, { properties: { code: { enum: expect.any(Array) } } }],
    });
    expect(responses['422']).toEqual({ $ref: '#/components/responses/MessageValidationFailed' });
    const said = at(document, 'components', 'responses', 'MessageUnauthenticated', 'content', 'application/json');
    expect(said).toMatchObject({
      example: { message: 'Not authenticated', reason: null, code: 'unauthenticated' },
    });
  });

  it('tells what a client makes of an event stream', () => {
    expect(content('/samples/{sample_id}/events', 'get')).toEqual({
      'text/event-stream': {
        schema: expect.objectContaining({ $ref: '#/components/schemas/Sample' }),
        example: expect.any(Object),
        'x-event': {
          lines: {
            event: expect.objectContaining({ type: 'string', enum: ['made', 'painted_over'] }),
            id: expect.objectContaining({ type: 'string' }),
            retry: expect.objectContaining({ type: 'integer' }),
          },
          example: expect.stringMatching(/^event: made\nid: .*\nretry: \d+\ndata: \{.*\}\n\n$/),
        },
      },
    });
    expect(at(streams, 'paths', '/samples/{sample_id}/events', 'get')['parameters']).toContainEqual(
      expect.objectContaining({ name: 'Last-Event-ID', in: 'header' }),
    );
  });

  it('says that there may be nothing more for who comes back to a stream', () => {
    expect(answer('/samples/{sample_id}/events', 'get', '204')).toMatchObject({ headers: expect.any(Object) });
    expect(answer('/samples/{sample_id}/events', 'get', '204')).not.toHaveProperty('content');
    expect(answer('/samples/{sample_id}/ask', 'post', '204')).toEqual({});
  });

  it('has both forms of an operation that answers at once or with events', () => {
    expect(at(streams, 'paths', '/samples/{sample_id}/ask', 'post')['operationId']).toBe('ask');
    expect(Object.keys(content('/samples/{sample_id}/ask', 'post'))).toEqual(['application/json', 'text/event-stream']);
  });

  it('has an operation of its own for a stream with a path of its own', () => {
    const own = '/samples/{sample_id}/ask/stream';
    expect(at(streams, 'paths', own, 'post')).toMatchObject({
      operationId: 'streamAnswer',
      requestBody: { required: true },
    });
    expect(Object.keys(content(own, 'post'))).toEqual(['text/event-stream']);
  });

  it('has bytes both ways, with their limit', () => {
    const bytes = { type: 'string', format: 'binary' };
    expect(content('/samples/{sample_id}/content', 'get')).toEqual({ '*/*': { schema: bytes, example: '' } });
    const body = (path: string, verb: string) => at(streams, 'paths', path, verb, 'requestBody', 'content');
    expect(body('/samples/{sample_id}/content', 'put')).toEqual({
      '*/*': { schema: { ...bytes, 'x-max-bytes': 67108864 }, example: '' },
    });
    expect(body('/samples/{sample_id}/form', 'post')).toMatchObject({
      'multipart/form-data': { schema: { properties: { file: bytes } } },
    });
  });

  it('says that a WebSocket takes the connection over', () => {
    expect(answer('/samples/{sample_id}/channel', 'get', '101')).toMatchObject({ description: expect.any(String) });
  });
});
