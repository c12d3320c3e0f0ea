import type { Objects } from '@platform-backend/objects';
import { createHash, randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Copies on this machine that are not asked for any more make room when there are more bytes than this. */
const MAX_BYTES = 8 * 2 ** 30;

/** Of that, what is taken before anybody has asked for it. */
const MAX_MADE_SHARE = 1 / 16;

/** Or were made before this. */
const MAX_AGE_MS = 60 * 60 * 1000;

/** Copies of objects, which never change under their keys. Whoever has linked one keeps it, whatever becomes of it here. */
export interface LocalCopies {
  readonly linkTo: (key: string, path: string, signal: AbortSignal) => Promise<void>;
  /** Writes an object of a copy of this file, which is the object's from then on. Whoever has made the file may still hold and change it. */
  readonly make: <T>(key: string, path: string, write: (copy: string) => Promise<T>) => Promise<T>;
  readonly forgetOld: () => Promise<void>;
}

interface Copy {
  readonly size: Promise<number>;
  readonly madeAt: number;
  /** It is not being fetched any more. */
  isThere: boolean;
}

export async function localCopies({ store }: Objects, parent: string, maxBytes = MAX_BYTES): Promise<LocalCopies> {
  // Of this process alone: what others had is gone with them.
  const directory = join(parent, 'copies', randomUUID());
  await mkdir(directory, { recursive: true, mode: 0o700 });
  /** Those used last are last. */
  const kept = new Map<string, Copy>();
  let bytes = 0;
  const fileOf = (key: string): string => join(directory, createHash('sha256').update(key).digest('hex'));

  async function fetch(key: string): Promise<number> {
    const temporary = join(directory, randomUUID());
    try {
      await using file = await open(temporary, 'wx', 0o400);
      for await (const piece of await store.read(key)) await file.writeFile(piece);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await rename(temporary, fileOf(key));
    const { size } = await stat(fileOf(key));
    bytes += size;
    return size;
  }

  async function forget(key: string, { size }: Copy): Promise<void> {
    kept.delete(key);
    bytes -= await size;
    await rm(fileOf(key), { force: true });
  }

  /** Beside the one that was used last. */
  async function makeRoom(last: string): Promise<void> {
    for (const [key, copy] of kept) {
      if (bytes <= maxBytes) return;
      // What somebody waits for is not waited for by others, nor do they hear what becomes of it.
      if (copy.isThere && key !== last) await forget(key, copy);
    }
  }

  function fetchedCopy(key: string): Copy {
    const copy: Copy = { size: fetch(key), madeAt: Date.now(), isThere: false };
    copy.size.then(
      () => (copy.isThere = true),
      () => undefined,
    );
    return copy;
  }

  return {
    async forgetOld() {
      const oldest = Date.now() - MAX_AGE_MS;
      for (const [key, copy] of kept)
        if (copy.isThere && copy.madeAt < oldest) await forget(key, copy).catch(() => undefined);
    },

    async make(key, path, write) {
      // Of a large one there is no third on the disk beside it and what becomes of it.
      if ((await stat(path)).size > maxBytes * MAX_MADE_SHARE) return write(path);
      const temporary = join(directory, randomUUID());
      try {
        await copyFile(path, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await chmod(temporary, 0o400);
        const written = await write(temporary);
        const { size } = await stat(temporary);
        await rename(temporary, fileOf(key));
        bytes += size;
        kept.set(key, { size: Promise.resolve(size), madeAt: Date.now(), isThere: true });
        await makeRoom(key);
        return written;
      } finally {
        await rm(temporary, { force: true });
      }
    },

    async linkTo(key, path, signal) {
      for (;;) {
        signal.throwIfAborted();
        let copy = kept.get(key);
        kept.delete(key);
        copy ??= fetchedCopy(key);
        kept.set(key, copy);
        try {
          await copy.size;
        } catch (error) {
          if (kept.get(key) === copy) kept.delete(key);
          throw error;
        }
        try {
          await link(fileOf(key), path);
          await makeRoom(key);
          return;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
          // It made room for others in this moment.
          if (kept.get(key) !== copy) continue;
          // Somebody has tidied it away.
          if (existsSync(fileOf(key))) throw error;
          await forget(key, copy);
        }
      }
    },
  };
}
