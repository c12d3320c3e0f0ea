import { removeLeftovers, type Objects } from '@platform-backend/objects';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { bytesReplaced } from '../domain/errors.ts';
import type { Files, LocalCopy, UploadedBytes } from '../domain/files.ts';

/** The bytes of documents in an object store; `directory` takes the copies that are being read. */
export async function documentFiles({ store }: Objects, directory: string): Promise<Files> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeLeftovers(directory);

  async function copy(uploaded: UploadedBytes, path: string, signal: AbortSignal): Promise<LocalCopy> {
    const { key } = uploaded;
    const hash = createHash('sha256');
    let bytes = 0;
    await using file = await open(path, 'wx', 0o600);
    for await (const piece of await store.read(key, { signal })) {
      hash.update(piece);
      bytes += piece.length;
      // Who may put bytes there may still put others: never more of them is taken to this machine.
      if (bytes > uploaded.bytes) throw bytesReplaced();
      await file.writeFile(piece);
    }
    const checksum = hash.digest('hex');
    if (bytes !== uploaded.bytes || (uploaded.checksum !== '' && checksum !== uploaded.checksum)) throw bytesReplaced();
    return { path, bytes, checksum };
  }

  return {
    presignUpload: (permit) => store.presignUpload(permit),
    presignDownload: (download) => store.presignDownload(download),
    async put(key, content, kept) {
      const body = content instanceof Uint8Array ? Readable.from([content]) : content;
      const { bytes, checksum } = await store.write(key, body, kept);
      return { key, bytes, checksum };
    },
    read: (key, signal) => store.read(key, { signal }),
    async settle(upload) {
      const found = await store.settle(upload);
      return found && { key: found.key, bytes: found.bytes, checksum: found.checksum ?? '' };
    },
    async withCopy(uploaded, signal, work) {
      const path = join(directory, randomUUID());
      try {
        return await work(await copy(uploaded, path, signal));
      } finally {
        await rm(path, { force: true });
      }
    },
    async withTemporary(content, work) {
      const path = join(directory, randomUUID());
      try {
        await writeFile(path, content, { flag: 'wx', mode: 0o600 });
        return await work(path);
      } finally {
        await rm(path, { force: true });
      }
    },
    remove: (keys) => store.remove(keys),
    removeAll: (organisationId) => store.removeAll(`${organisationId}/`),
  };
}
