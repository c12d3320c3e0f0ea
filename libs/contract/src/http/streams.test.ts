import { describe, expect, it } from '@jest/globals';
import { loadStreams } from '../../test/sample-contract.ts';
import { compileRoutes, type Route } from './routes.ts';

const contract = loadStreams();
const routes = compileRoutes(contract, { cursorKey: 'a key for cursors' });
const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

function routeOf(method: string): Route {
  const route = routes.all.find(({ operation }) => operation.method === method);
  if (!route) throw new Error(`there is no route of ${method}`);
  return route;
}

function streamOf<Kind extends string>(method: string, kind: Kind) {
  const { stream } = routeOf(method);
  if (stream?.kind !== kind) throw new Error(`${method} is no stream of this kind`);
  return stream as Extract<NonNullable<Route['stream']>, { kind: Kind }>;
}

/** Without what is null: so another contract of the same process has absent fields read. */
const given = (json: object): unknown =>
  JSON.parse(JSON.stringify(json, (_, value: unknown) => (value === null ? undefined : value)));

/** A message of the operation as its service would send or read it. */
function message(method: string, side: 'requestType' | 'responseType') {
  const type = routeOf(method).operation[side];
  return {
    bytes: (fields: object) => Buffer.from(type.encode(type.fromObject(fields)).finish()),
    read: (bytes: Uint8Array) => given(type.decode(bytes).toJSON()),
  };
}

describe('a stream of events', () => {
  const { piece } = streamOf('WatchSample', 'events');
  const { bytes } = message('WatchSample', 'responseType');

  it('has the data as JSON, and the lines that the contract names beside it', () => {
    const made = { event_id: '7', event: 'painted_over', retry_ms: 1500, data: { label: 'two\nlines' } };
    expect(piece(bytes(made))).toBe(
      'event: painted_over\nid: 7\nretry: 1500\ndata: {"label":"two\\nlines","colour":null}\n\n',
    );
  });

  it('has no line for what is not said', () => {
    expect(piece(bytes({}))).toBe('data: null\n\n');
  });

  it('has the whole message as its data where the contract names no part of it', () => {
    const answer = message('StreamAnswer', 'responseType').bytes({ text: 'a b' });
    expect(streamOf('StreamAnswer', 'events').piece(answer)).toBe('data: {"text":"a b"}\n\n');
  });

  it('refuses an id of several lines, which would be read as other lines', () => {
    expect(() => piece(bytes({ event_id: '1\ndata: forged' }))).toThrow('several lines');
  });
});

describe('an operation in two forms', () => {
  const match = (asksForEvents: boolean) => {
    const found = routes.match('POST', `/samples/${id}/ask`, '', asksForEvents);
    return found.kind === 'route' ? found.route.operation.method : found.kind;
  };

  it('answers once unless the client asks for events', () => {
    expect(match(false)).toBe('Ask');
    expect(match(true)).toBe('StreamAnswer');
  });

  it('is told apart by its request where the contract says so, whatever the client accepts', () => {
    const found = routes.match('POST', '/v1/chat', '', true);
    if (found.kind !== 'route') throw new Error(found.kind);
    const { route } = found;
    expect(route.operation.method).toBe('Chat');
    const { bytes } = message('Chat', 'requestType');
    const asks = (stream: boolean) => route.asksForEvents?.(bytes({ question: 'a', stream }));
    expect([asks(true), asks(false), route.asEvents?.operation.method]).toEqual([true, false, 'StreamChat']);
  });

  it('ends as clients of OpenAI expect it, which are told of names that nobody knows', () => {
    expect([streamOf('StreamChat', 'events').last, streamOf('StreamAnswer', 'events').last]).toEqual([
      'data: [DONE]\n\n',
      '',
    ]);
    const body = Buffer.from('{"question":"a","temprature":1}');
    const headers = { 'content-type': 'application/json' };
    const parsed = routeOf('Chat').parse({ pathParameters: {}, rawQuery: '', headers, body });
    expect(parsed).toMatchObject({ ok: false, detail: [{ type: 'extra_forbidden', loc: ['body', 'temprature'] }] });
  });

  it('is no matter to operations of one form', () => {
    const found = routes.match('GET', `/samples/${id}/content`, '', true);
    expect(found).toMatchObject({ kind: 'route', route: { operation: { method: 'DownloadSample' } } });
  });
});

describe('an operation that is a download', () => {
  const { headers, piece } = streamOf('DownloadSample', 'download');
  const { bytes } = message('DownloadSample', 'responseType');

  it('takes its headers from the first message and its body from all', () => {
    const first = bytes({ content_type: 'text/plain', size: 3, chunk: Buffer.from('abc') });
    expect(headers(first)).toEqual(['Content-Type', 'text/plain', 'Content-Length', '3']);
    expect(piece(first).toString()).toBe('abc');
    expect(piece(bytes({ content_type: 'text/plain' }))).toHaveLength(0);
  });
});

describe('an operation that is an upload', () => {
  const parts = {
    pathParameters: { sample_id: id },
    rawQuery: '',
    headers: { 'content-type': 'image/png' },
    body: undefined,
  };

  it('has a first message with everything but the body, and then pieces of the body', () => {
    const parsed = routeOf('UploadSample').parse(parts);
    const { read } = message('UploadSample', 'requestType');
    expect(parsed.ok && read(parsed.message)).toEqual({ sample_id: id, content_type: 'image/png', chunk: '' });
    const { beforeChunk, maxLength, filePart } = streamOf('UploadSample', 'upload');
    const piece = Buffer.alloc(200, 'abc');
    expect(read(Buffer.concat([beforeChunk(200), piece]))).toEqual({ chunk: piece.toString('base64') });
    expect([maxLength, filePart]).toEqual([64 * 1024 * 1024, undefined]);
  });

  it('reads a form up to its file, and then pieces of the file', () => {
    const file = { filename: 'a.txt', contentType: 'text/plain', content: Buffer.alloc(0) };
    const form = new Map<string, string | typeof file>([
      ['title', 'A'],
      ['file', file],
    ]);
    const parsed = routeOf('UploadSampleForm').parse({ ...parts, form });
    const { read } = message('UploadSampleForm', 'requestType');
    expect(parsed.ok && read(parsed.message)).toEqual({
      sample_id: id,
      title: 'A',
      file: { filename: 'a.txt', content_type: 'text/plain', content: '' },
    });
    const { beforeChunk, filePart } = streamOf('UploadSampleForm', 'upload');
    const piece = Buffer.alloc(200, 'abc');
    expect(read(Buffer.concat([beforeChunk(200), piece]))).toEqual({ file: { content: piece.toString('base64') } });
    expect(filePart).toBe('file');
  });

  it('is refused like any request where something is wrong, before a byte of the file', () => {
    const parsed = routeOf('UploadSampleForm').parse({ ...parts, form: new Map([['title', 'A']]) });
    expect(parsed).toMatchObject({ ok: false, status: 422, detail: [{ type: 'missing', loc: ['body', 'file'] }] });
  });
});

describe('an operation that is a channel', () => {
  const { frame, content, headers } = streamOf('OpenChannel', 'channel');

  it('carries frames of text and of bytes both ways', () => {
    const { read } = message('OpenChannel', 'requestType');
    const answer = message('OpenChannel', 'responseType');
    expect(read(frame('é'))).toEqual({ frame: { text: 'é' } });
    expect(read(frame(Buffer.from('ab')))).toEqual({ frame: { binary: Buffer.from('ab').toString('base64') } });
    expect(content(answer.bytes({ frame: { text: '' } }))).toBe('');
    expect(content(answer.bytes({ frame: { binary: Buffer.from('ab') } }))).toEqual(Buffer.from('ab'));
    expect(content(answer.bytes({ protocol: 'v1' }))).toBeUndefined();
    expect(headers(answer.bytes({ protocol: 'v1' }))).toEqual(['Sec-WebSocket-Protocol', 'v1']);
  });
});

describe('the check of a stream of requests', () => {
  const checkOf = (method: string) => {
    const { grpcPath, service } = routeOf(method).operation;
    const check = contract.streamCheck(grpcPath)();
    const rpc = contract.serviceDefinition(service)[method];
    return (sent: object) => {
      const bytes = rpc?.requestSerialize(sent) ?? Buffer.alloc(0);
      return check(rpc?.requestDeserialize(bytes) as object, bytes.length).map(({ type, loc }) =>
        [type, ...loc].join(' '),
      );
    };
  };

  it('wants a whole first message, and of the others only what they have', () => {
    const check = checkOf('UploadSampleForm');
    expect(check({ sampleId: id })).toEqual(['missing body file']);
    expect(check({ file: { content: Buffer.from('abc') } })).toEqual([]);
    expect(check({ sampleId: 'no uuid' })).toEqual(['uuid_parsing path sample_id']);
  });

  it('counts the bytes of an upload over all its messages, and those of a channel in each', () => {
    const half = Buffer.alloc(33 * 1024 * 1024);
    const upload = checkOf('UploadSample');
    expect(upload({ sampleId: id, chunk: half })).toEqual([]);
    expect(upload({ chunk: half })).toEqual(['bytes_too_long body']);
    const channel = checkOf('OpenChannel');
    expect(channel({ sampleId: id })).toEqual([]);
    const frame = { frame: { binary: Buffer.alloc(60_000) } };
    expect([channel(frame), channel(frame)]).toEqual([[], []]);
    expect(channel({ frame: { binary: Buffer.alloc(70_000) } })).toEqual(['bytes_too_long body']);
  });
});
