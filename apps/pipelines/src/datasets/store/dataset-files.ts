import { removeLeftovers, type Objects } from '@platform-backend/objects';
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { DatasetFiles } from '../domain/dataset-files.ts';
import { localCopies } from './local-copies.ts';

const PARQUET = 'application/vnd.apache.parquet';

/** Of files that are read piece by piece. */
const PIECE_BYTES = 256 * 1024;

/** The bytes of datasets in an object store; `directory` takes copies and what is being worked with. */
export async function datasetFiles(objects: Objects, directory: string): Promise<DatasetFiles> {
  const { store } = objects;
  for (const name of ['copies', 'work']) {
    const folder = join(directory, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeLeftovers(folder);
  }
  const copies = await localCopies(objects, directory);
  const openFolder: DatasetFiles['openFolder'] = async () => {
    const folder = join(directory, 'work', randomUUID());
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return {
      async bring(key, signal) {
        const path = join(folder, randomUUID());
        await copies.linkTo(key, path, signal);
        return path;
      },
      newPath: (name) => join(folder, name),
      read: (path) => createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Uint8Array>,
      append: (path, piece) => appendFile(path, piece),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  };
  return {
    presignUpload: (permit) => store.presignUpload(permit),
    presignDownload: (download) => store.presignDownload(download),
    sizeOf: async (key) => (await store.head(key))?.bytes,
    read: (key, signal) => store.read(key, { signal }),
    openFolder,
    async withFolder(work) {
      await using folder = await openFolder();
      return await work(folder);
    },
    // What is made is read next, as a rule: by the steps that follow.
    keep: (key, path) =>
      copies.make(key, path, async (copy) => {
        const { size } = await stat(copy);
        const body = createReadStream(copy, { highWaterMark: PIECE_BYTES });
        return store.write(key, body, { contentType: PARQUET, maxBytes: size });
      }),
    async writeText(key, text) {
      const body = Readable.from([Buffer.from(text)]) as AsyncIterable<Uint8Array>;
      await store.write(key, body, { contentType: 'application/json', maxBytes: Buffer.byteLength(text) });
    },
    async readText(key) {
      if (!(await store.head(key))) return undefined;
      const pieces: Uint8Array[] = [];
      for await (const piece of await store.read(key)) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    },
    remove: (keys) => store.remove(keys),
    removeAll: (prefix) => store.removeAll(prefix),
    forgetCopies: () => copies.forgetOld(),
  };
}
