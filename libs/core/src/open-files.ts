import { readdir, readFile } from 'node:fs/promises';
import type { Logger } from './logger.ts';

/** In milliseconds; reading a folder of some hundred names takes less than one of them. */
const EVERY_MS = 30_000;
/** Of the limit: beyond this part somebody should know, and beyond that one connections and files are about to be refused. */
const MANY = 0.8;
const TOO_MANY = 0.95;

export interface OpenFiles {
  /** Files, sockets and pipes that the process has open; Infinity where there is no room to ask. */
  readonly open: number;
  readonly limit: number;
}

/** What to say of the open files of a process; nothing as long as there are few. */
export function openFilesState({ open, limit }: OpenFiles): 'few' | 'many' | 'too_many' {
  if (open >= limit * TOO_MANY) return 'too_many';
  return open >= limit * MANY ? 'many' : 'few';
}

/** From /proc. Undefined where the system has none. */
export async function countOpenFiles(): Promise<OpenFiles | undefined> {
  try {
    const limits = await readFile('/proc/self/limits', 'utf8');
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
    return { open: (await readdir('/proc/self/fd')).length, limit };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // There is no room for one more, not even to look.
    return code === 'EMFILE' || code === 'ENFILE' ? { open: Infinity, limit: 0 } : undefined;
  }
}

/**
 * Says so at once and from then on when a process comes near its limit of open files. Nothing else does: the system takes a connection from whoever asks and closes it
 * again, without a word to the program.
 */
export function watchOpenFiles(
  logger: Pick<Logger, 'warn' | 'error'>,
  {
    everyMs = EVERY_MS,
    count = countOpenFiles,
  }: { readonly everyMs?: number; readonly count?: typeof countOpenFiles } = {},
): { stop(): void } {
  let told: ReturnType<typeof openFilesState> = 'few';
  const look = async (): Promise<void> => {
    const files = await count();
    if (!files) return;
    const state = openFilesState(files);
    if (state === told) return;
    told = state;
    const facts = { open: Number.isFinite(files.open) ? files.open : undefined, limit: files.limit || undefined };
    if (state === 'many')
      logger.warn({ event: 'open_files.many', ...facts }, 'the process comes near its limit of open files');
    if (state === 'too_many')
      logger.error(
        { event: 'open_files.limit_reached', ...facts },
        'the process is at its limit of open files: connections and files are refused',
      );
  };
  void look();
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
