import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressPolicy, outboundFetch, type OutboundFetch } from '@platform-backend/outbound';
import { buffer } from 'node:stream/consumers';
import { addressServer, saying, type AddressServer } from '../../../test/address-server.ts';
import { fetchAddress } from './fetch-address.ts';

const MAX_BYTES = 5_000;

describe('what is at an address', () => {
  let files: AddressServer;
  let within: AddressServer;
  let fetch: OutboundFetch;
  beforeAll(async () => {
    [files, within] = [await addressServer(), await addressServer()];
    fetch = outboundFetch({ policy: addressPolicy(`${files.host}, 127.0.0.1:9`), maxBytes: MAX_BYTES });
  });
  afterAll(() => [files, within].forEach((server) => server.close()));

  const fetched = async (url: string, signal = new AbortController().signal) => {
    const told: number[] = [];
    const report = (percent: number) => void told.push(percent);
    const { content, ...answer } = await fetchAddress(fetch, { url, name: '', maxBytes: MAX_BYTES, signal, report });
    return { ...answer, text: (await buffer(content)).toString(), told };
  };
  const redirecting = (path: string, location: string) =>
    files.answer(path, (_request, response) => response.writeHead(302, { location }).end());
  const unsaid = (path: string, bytes: number) =>
    files.answer(path, (_request, response) => {
      response.write('x'.repeat(10));
      response.end('x'.repeat(bytes - 10));
    });

  it('comes with its name, its type and how much there will be', async () => {
    const disposition = { 'content-disposition': 'attachment; filename="Year.txt"' };
    const url = files.answer('/path.pdf', saying('All of it.', disposition));
    expect(await fetched(redirecting('/once', redirecting('/twice', url)))).toEqual({
      ...{ name: 'Year.txt', contentType: 'text/plain', said: 10, text: 'All of it.', told: [99] },
    });
    expect(await fetched(unsaid('/unsaid.txt', 20))).toMatchObject({ name: 'unsaid.txt', said: undefined, told: [] });
  });

  it('is not asked for where that is not public, whoever redirects to it', async () => {
    await expect(fetched(redirecting('/inside', within.url('/secret')))).rejects.toMatchObject({
      ...{ code: 'address_refused', canRetry: false },
    });
    expect(within.asked).toEqual([]);
  });

  it.each([
    [404, false],
    [403, false],
    [204, false],
    [429, true],
    [503, true],
  ])('is refused with status %s, which may be otherwise in a while: %s', async (status, canRetry) => {
    const url = files.answer('/status', (_request, response) => response.writeHead(status).end());
    await expect(fetched(url)).rejects.toMatchObject({ code: 'address_answered', canRetry });
  });

  it('is too large as soon as somebody says so, or as more has come', async () => {
    const long = files.answer('/long', saying('x'.repeat(MAX_BYTES + 1)));
    for (const url of [long, unsaid('/unsaid', MAX_BYTES + 1)])
      await expect(fetched(url)).rejects.toMatchObject({ code: 'too_large', canRetry: false });
    expect((await fetched(unsaid('/most', MAX_BYTES))).text).toHaveLength(MAX_BYTES);
  });

  it('may be there in a while where it breaks off, stalls or nobody listens', async () => {
    const broken = files.answer('/broken', (request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('Only the be', () => request.socket.destroy());
    });
    const stalled = new AbortController();
    const stalling = files.answer('/stalled', (_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('first', () => stalled.abort());
    });
    for (const url of [broken, 'http://127.0.0.1:9/'])
      await expect(fetched(url)).rejects.toMatchObject({ code: 'address_unreachable', canRetry: true });
    await expect(fetched(stalling, stalled.signal)).rejects.toMatchObject({ code: 'address_unreachable' });
  });
});
