import type { Logger } from '@platform-backend/core';
import { removeLeftovers } from '@platform-backend/objects';
import type { Sandbox } from '@platform-backend/sandbox';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { frameOf } from './frames.ts';
import { READER_PIPE, type ReadCommand } from './messages.ts';
import { nextReport, packages, startReaderProcess } from './reader.ts';

export interface CompiledCode {
  /** The folder of what V8 has compiled of readers; undefined until it is there. */
  readonly folder: (sandbox: Sandbox) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

const COMPILE_MS = 120_000;

/**
 * What V8 compiles of the code of readers, so that each process need not. A process without a document compiles it when it is
 * first wanted, for all processes of this user; those that read documents may read it and change nothing of it.
 */
export function compiledCode(
  logger: Pick<Logger, 'warn'>,
  parent = join(tmpdir(), `platform-content-code-${String(userInfo().uid)}`),
): CompiledCode {
  const ending = new AbortController();
  let compiling: Promise<void> | undefined;
  let version: Promise<string> | undefined;

  async function compile(sandbox: Sandbox, folder: string): Promise<void> {
    const own = `${folder}-${randomUUID()}`;
    try {
      await mkdir(own, { recursive: true, mode: 0o700 });
      await removeLeftovers(parent);
      await fill(sandbox, own, AbortSignal.any([ending.signal, AbortSignal.timeout(COMPILE_MS)]));
      await rename(own, folder);
    } catch (error) {
      // Another process of the service may have been first.
      if (!ending.signal.aborted && !existsSync(folder))
        logger.warn(
          { event: 'reader.compiling_failed', err: error },
          'the code of readers could not be compiled beforehand, and each of them starts more slowly',
        );
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }

  return {
    async folder(sandbox) {
      if (sandbox.kind === 'none') return undefined;
      const folder = join(parent, await (version ??= versionOfReaders()));
      if (await isOurs(folder)) return folder;
      compiling ??= compile(sandbox, folder);
      return undefined;
    },
    async close() {
      ending.abort();
      await compiling;
    },
  };
}

async function fill(sandbox: Sandbox, folder: string, signal: AbortSignal): Promise<void> {
  const child = startReaderProcess(
    { sandbox, compiled: folder },
    { writable: [folder], heapMegabytes: 512, memoryBytes: 2 ** 30, niceness: 19 },
  );
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    const exited = once(child, 'exit');
    const pipe = child.stdio[READER_PIPE] as Duplex;
    pipe.on('error', () => undefined);
    pipe.write(frameOf('load' satisfies ReadCommand));
    await nextReport(pipe);
    // It writes what it has compiled when it ends, which it does as soon as nobody can give it a document.
    pipe.end();
    const [code, by] = (await exited) as [number | null, string | null];
    if (code !== 0) throw new Error(`it ended with ${by ?? String(code)}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Nobody else on this machine may have put there what our processes run. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await Promise.all([dirname(folder), folder].map((path) => stat(path).catch(() => undefined)));
  return found.every((one) => one?.isDirectory() && one.uid === userInfo().uid && (one.mode & 0o022) === 0);
}

/** Of Node, of the code of readers and of its packages. */
async function versionOfReaders(): Promise<string> {
  const hash = createHash('sha256').update(
    `${process.version} ${process.arch} ${String((await stat(packages)).mtimeMs)}`,
  );
  const areas = join(import.meta.dirname, '../..');
  const sources: string[] = [];
  for await (const source of glob('{documents,passages}/{domain,extraction}/**/*.ts', { cwd: areas }))
    sources.push(source);
  for (const source of sources.toSorted()) hash.update(source).update(await readFile(join(areas, source)));
  return hash.digest('hex').slice(0, 32);
}
