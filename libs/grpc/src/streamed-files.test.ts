import { describe, expect, it } from '@jest/globals';
import { inMessages, openUpload } from './streamed-files.ts';

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const seen: Item[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

async function* messages(...texts: string[]) {
  await Promise.resolve();
  for (const text of texts) yield { ticket: 'of the first', chunk: Buffer.from(text) };
}

describe('an upload in messages', () => {
  it('is what its first message says, with the bytes of all of them', async () => {
    const { first, body } = await openUpload(messages('ab', '', 'c'));
    expect(first.ticket).toBe('of the first');
    expect(Buffer.concat(await all(body)).toString()).toBe('abc');
  });

  it('is refused where there is no message', async () => {
    await expect(openUpload(messages())).rejects.toMatchObject({ kind: 'malformed', code: 'no_upload' });
  });
});

describe('a download in messages', () => {
  it('has no message of more than 64 KiB, and all bytes in their order', async () => {
    const bytes = Buffer.from(Array.from({ length: 150_000 }, (_, index) => index % 251));
    const sent = await all(inMessages([bytes, Buffer.from('end')]));
    expect(sent.map(({ chunk }) => chunk.length)).toEqual([65_536, 65_536, 18_928, 3]);
    expect(Buffer.concat(sent.map(({ chunk }) => chunk)).equals(Buffer.concat([bytes, Buffer.from('end')]))).toBe(true);
  });
});
