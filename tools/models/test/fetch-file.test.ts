import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchFile } from '../src/fetch-file.ts';
import { modelHub, serve, type HubAnswer, type ModelHub } from './model-hub.ts';

const bytes = randomBytes(300_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');

let folder: string;
let hub: ModelHub | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'models-'));
});
afterEach(async () => {
  await hub?.close();
  rmSync(folder, { recursive: true });
});

const path = () => join(folder, 'weights.onnx');

async function fetchFrom(answer: HubAnswer, pins = { size: bytes.length, sha256 }, options = {}) {
  hub = await modelHub(answer);
  const onProgress = (): void => undefined;
  return fetchFile({ url: `${hub.url}/w`, path: path(), ...pins }, { pauseMs: 1, onProgress, ...options });
}

describe('a file from the hub', () => {
  it('is in its place once all of it has been received, and its checksum is returned', async () => {
    const seen: number[] = [];
    const onProgress = (got: number) => seen.push(got);
    await expect(
      fetchFrom((request, response) => serve(bytes, request, response), undefined, { onProgress }),
    ).resolves.toBe(sha256);
    expect(readFileSync(path()).equals(bytes)).toBe(true);
    expect(seen.at(-1)).toBe(bytes.length);
    expect(existsSync(`${path()}.part`)).toBe(false);
  });

  it('is resumed from where the transfer broke', async () => {
    await fetchFrom((request, response, count) => serve(bytes, request, response, count * 100_000));
    expect(readFileSync(path()).equals(bytes)).toBe(true);
    expect(hub?.requests[0]).toBe('/w whole');
    expect(hub?.requests.length).toBeGreaterThan(1);
  });

  it('is resumed by the next call after one that was given up', async () => {
    const beginning: HubAnswer = (_request, response) => {
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 100_000));
    };
    await expect(fetchFrom(beginning, undefined, { attempts: 1, stallMs: 300 })).rejects.toThrow('nothing moved');
    expect(existsSync(path())).toBe(false);
    await hub?.close();
    await fetchFrom((request, response) => serve(bytes, request, response));
    expect(hub?.requests).toEqual(['/w bytes=100000-']);
    expect(readFileSync(path()).equals(bytes)).toBe(true);
  });

  it('is fetched from its beginning where the server does not answer ranges', async () => {
    writeFileSync(`${path()}.part`, bytes.subarray(0, 1000));
    await fetchFrom((_request, response) => response.writeHead(200).end(bytes));
    expect(readFileSync(path()).equals(bytes)).toBe(true);
  });

  it('is resumed after the transfer stalled', async () => {
    await fetchFrom(
      (request, response, count) => {
        if (count > 1) serve(bytes, request, response);
        else response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 100_000));
      },
      undefined,
      { stallMs: 200 },
    );
    expect(readFileSync(path()).equals(bytes)).toBe(true);
    expect(hub?.requests).toEqual(['/w whole', '/w bytes=100000-']);
  });

  it('of which nothing is received is given up after some tries', async () => {
    await expect(fetchFrom(() => undefined, undefined, { stallMs: 500, attempts: 2 })).rejects.toThrow(
      'nothing moved for 500 ms',
    );
    expect(hub?.requests).toHaveLength(2);
  });

  it('with wrong bytes is not kept', async () => {
    const wrong = randomBytes(bytes.length);
    await expect(fetchFrom((request, response) => serve(wrong, request, response))).rejects.toThrow(
      'has other bytes than expected',
    );
    expect([existsSync(path()), existsSync(`${path()}.part`)]).toEqual([false, false]);
  });

  it('that had wrong bytes before the break is fetched anew the next time', async () => {
    writeFileSync(`${path()}.part`, randomBytes(1000));
    await expect(fetchFrom((request, response) => serve(bytes, request, response))).rejects.toThrow('other bytes');
    await hub?.close();
    await fetchFrom((request, response) => serve(bytes, request, response));
    expect(readFileSync(path()).equals(bytes)).toBe(true);
  });

  it('that is larger than its limit is not received to its end', async () => {
    let sent = 0;
    const endless: HubAnswer = (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.destroyed) return;
        sent += 65_536;
        response.write(Buffer.alloc(65_536), more);
      };
      more();
    };
    await expect(fetchFrom(endless)).rejects.toThrow('it is larger than 300000 bytes');
    expect(sent).toBeLessThan(64 * 2 ** 20);
    expect(existsSync(`${path()}.part`)).toBe(false);
  });

  it('that is answered with 404 is not asked for again, and one that is answered with 503 is', async () => {
    await expect(fetchFrom((_request, response) => response.writeHead(404).end('no'))).rejects.toThrow('is 404');
    expect(hub?.requests).toHaveLength(1);
    await hub?.close();
    await fetchFrom((request, response, count) => {
      if (count < 3) response.writeHead(503).end();
      else serve(bytes, request, response);
    });
    expect(hub?.requests).toHaveLength(3);
  });
});
