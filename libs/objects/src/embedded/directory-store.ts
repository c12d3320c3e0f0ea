import { tooLarge } from '@platform-backend/core';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, rename, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { counted, moreThan } from '../counted.ts';
import { alreadyUploaded, objectNotFound, wrongContentType } from '../errors.ts';
import { requireKey, requirePrefix } from '../key.ts';
import { removeLeftovers } from '../leftovers.ts';
import type { ObjectFacts, ObjectStore, UploadHead, UploadPermit, WriteOptions } from '../object-store.ts';
import { emptyHeader, HEADER_BYTES, headerOf, readHeader } from './object-file.ts';
import type { UrlSigner } from './url-signer.ts';

export interface DirectoryStoreOptions {
  /** Of all replicas together: a folder of one machine, or a volume that all of them have. */
  readonly directory: string;
  readonly tickets: UrlSigner;
  /** Where clients reach the platform: `https://api.example.com`. */
  readonly publicUrl: string;
  /** Before the ticket, each with a slash at both ends. */
  readonly paths?: { readonly uploads: string; readonly downloads: string } | undefined;
}

export interface DirectoryStore extends ObjectStore {
  /** All bytes have passed through us. */
  head(key: string): Promise<Required<ObjectFacts> | undefined>;
  /**
   * Takes the bytes of somebody who has a permission for them. The first ones stay: whoever repeats an upload finds it
   * done, and other bytes are refused.
   */
  receive(permit: UploadPermit, head: UploadHead, body: AsyncIterable<Uint8Array>): Promise<Required<ObjectFacts>>;
}

/** The folder of a key may be removed in the moment before something is put into it. */
const ATTEMPTS = 5;

/**
 * Objects as files of a directory: written beside their place, flushed to the disk and then renamed. Clients reach
 * them through URLs of the platform itself, whose ticket the service reads (`Tickets`).
 */
export async function directoryStore({
  directory,
  tickets,
  publicUrl,
  paths = { uploads: '/uploads/', downloads: '/downloads/' },
}: DirectoryStoreOptions): Promise<DirectoryStore> {
  const incoming = join(directory, 'incoming');
  const objects = join(directory, 'objects');
  await Promise.all([incoming, objects].map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
  await removeLeftovers(incoming);

  /** No key has the last character, so that no folder ever stands where a file has to be. */
  const fileOf = (key: string): string => join(objects, `${requireKey(key)}~`);
  const urlOf = (path: string): string => new URL(path, publicUrl).href;

  async function opened(key: string): Promise<FileHandle | undefined> {
    try {
      return await open(fileOf(key), constants.O_RDONLY);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** `put` is `rename`, or `link` where what is there stays there. */
  async function moveTo(put: typeof rename, temporary: string, file: string): Promise<void> {
    const folder = dirname(file);
    for (let attempt = 1; ; attempt += 1) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        await put(temporary, file);
        break;
      } catch (error) {
        if (!isMissing(error) || attempt === ATTEMPTS) throw error;
      }
    }
    await flushFolder(folder);
  }

  async function removeEmptyFolders(file: string): Promise<void> {
    try {
      for (let folder = dirname(file); relative(objects, folder) !== ''; folder = dirname(folder)) await rmdir(folder);
    } catch {
      // Something else is in it.
    }
  }

  /** The bytes and what is known of them, in a file that has no name yet. */
  async function withIncoming<T>(
    body: AsyncIterable<Uint8Array>,
    { contentType, maxBytes }: WriteOptions,
    use: (temporary: string, facts: Required<ObjectFacts>) => Promise<T>,
  ): Promise<T> {
    const temporary = join(incoming, randomUUID());
    const counter = counted(maxBytes);
    try {
      await using written = await open(temporary, 'wx', 0o600);
      await written.writeFile(emptyHeader());
      for await (const piece of counter.pass(body)) await written.writeFile(piece);
      const facts = { ...counter.facts(), contentType };
      await written.write(headerOf(facts), 0, HEADER_BYTES, 0);
      await written.sync();
      return await use(temporary, facts);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async function head(key: string): Promise<Required<ObjectFacts> | undefined> {
    await using file = await opened(key);
    return file && (await readHeader(file));
  }

  return {
    presignUpload: (permit) =>
      Promise.resolve({
        method: 'PUT',
        url: urlOf(`${paths.uploads}${tickets.forUpload({ ...permit, key: requireKey(permit.key) })}/`),
        headers: { 'Content-Type': permit.contentType },
      }),
    presignDownload: (permit) => Promise.resolve(urlOf(`${paths.downloads}${tickets.forDownload(permit)}/`)),

    head,

    async settle({ key }) {
      const found = await head(key);
      return found && { ...found, key };
    },

    async read(key, { signal, range } = {}) {
      const file = await opened(key);
      if (!file) throw objectNotFound();
      const part = range
        ? { start: HEADER_BYTES + range.first, end: HEADER_BYTES + range.last }
        : { start: HEADER_BYTES };
      return file.createReadStream({ ...part, ...(signal && { signal }) }) as AsyncIterable<Uint8Array>;
    },

    write: (key, body, options) =>
      withIncoming(body, options, async (temporary, facts) => {
        await moveTo(rename, temporary, fileOf(key));
        return facts;
      }),

    async receive({ key, contentType, maxBytes }, said, body) {
      if (mediaTypeOf(said.contentType) !== mediaTypeOf(contentType)) throw wrongContentType({ contentType });
      if (said.bytes !== undefined && said.bytes > maxBytes) throw tooLarge(moreThan(maxBytes));
      return withIncoming(body, { contentType, maxBytes }, async (temporary, facts) => {
        try {
          await moveTo(link, temporary, fileOf(key));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
          const present = await head(key);
          if (present?.checksum !== facts.checksum) throw alreadyUploaded();
        }
        return facts;
      });
    },

    async remove(keys) {
      for (const file of keys.map(fileOf)) {
        try {
          await unlink(file);
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
        await removeEmptyFolders(file);
      }
    },

    removeAll: (prefix) => rm(join(objects, requirePrefix(prefix)), { recursive: true, force: true }),

    close: () => undefined,
  };
}

/** Without parameters: `text/plain;charset=UTF-8` is what a browser makes of `text/plain`. */
const mediaTypeOf = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** It, or a folder above it. */
const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder, constants.O_RDONLY);
  await handle.sync();
}
