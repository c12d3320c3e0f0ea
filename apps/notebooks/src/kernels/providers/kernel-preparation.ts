import { isUnavailable, outsideOfCalls } from '@platform-backend/core';
import type { KernelFileChange, KernelFolder } from '../domain/kernel-folder.ts';
import type { KernelMessage } from '../domain/kernel-provider.ts';
import { folderReports, type FolderReport } from './folder-reports.ts';
import { kernelMessage, readHeader, readJson } from './jupyter/messages.ts';
import type { KernelRun } from './kernel-run.ts';

/** What a kernel has from its beginning, and again when it is begun again. */
export interface Preparation {
  /** Variables of its environment. */
  readonly environment?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  readonly folder?: KernelFolder | undefined;
}

/** Gives a kernel what it begins with, and keeps what it and the service know of its folder the same. */
export interface KernelPreparation {
  /** Brings all of it to a kernel that has begun. */
  readonly begin: (run: KernelRun) => Promise<void>;
  /** Brings what others have changed; resolves when that is on its way, and the next cell sees it. */
  readonly refresh: (run: KernelRun) => Promise<void>;
  /** Whether a message is about the folder, and so nobody else's. */
  readonly take: (message: KernelMessage) => boolean;
  /** What this message waits for: what the cell has written is kept before the cell is answered. */
  readonly before: (message: KernelMessage) => Promise<void> | undefined;
}

export interface PreparationContext {
  readonly session: string;
  /** Says a line on stderr, to the request with this header. */
  readonly warn: (text: string, parent: Uint8Array) => void;
}

/** Of one message. */
const PIECE_BYTES = 2 ** 20;
const ANSWER_MS = 30_000;
/** A cell names so many files that are not kept. */
const MAX_SENTENCES = 20;

/** Undefined where there is nothing to prepare. */
export function kernelPreparation(
  { folder, environment }: Preparation,
  { session, warn }: PreparationContext,
): KernelPreparation | undefined {
  if (!folder && !environment) return undefined;
  /** What the kernel has, by the digests of files; folders have none. */
  let known = new Map<string, string>();
  /** The number of the last change that was sent, and those of paths: what the kernel says before it has that is of before. */
  let sent = 0;
  const onTheWay = new Map<string, number>();
  /** Of what the kernel has told and is not kept yet, and how often. */
  const beingKept = new Map<string, number>();
  /** Of what it has told since the list was read that is being brought. */
  let toldMeanwhile: Set<string> | undefined;
  /** Something was not brought for the sake of what the kernel has told. */
  let isBehind = false;
  /** Bytes of files that were sent, and those of them that the kernel has read. */
  let sentBytes = 0;
  let readBytes = 0;
  /** It begins when the one before is sent. */
  let nextRefresh: Promise<void> | undefined;
  const answered = new Map<string, () => void>();
  const reports = folder && folderReports(folder);
  /** Of what is lost, there being no room for it; it is said once. */
  let lost: { until: number } | undefined;
  /** How often the kernel has told something, and how much of that is kept. */
  let kept = 0;
  let keeping: Promise<void> | undefined;
  let waiting: { readonly until: number; readonly go: () => void }[] = [];
  let last: Promise<void> = Promise.resolve();
  let life = 0;
  /** Undefined: it has ended. */
  let living: KernelRun | undefined;

  const send = async (run: KernelRun, type: string, content: object, buffer?: Uint8Array): Promise<void> => {
    const message = kernelMessage('shell', type, content, { session });
    await run.send(buffer ? { ...message, buffers: [buffer] } : message);
  };

  /** What a kernel does not read while a cell runs waits in memory: as much as a folder and a file. */
  const haveRoom = async (run: KernelRun, bytes: number): Promise<void> => {
    const waits = sentBytes - readBytes;
    if (folder && waits > 0 && waits + bytes > folder.limits.notebookBytes + folder.limits.fileBytes) {
      const { answer } = await ask(run, {});
      await Promise.race([answer, run.ended]);
    }
    sentBytes += bytes;
  };

  const sendFile = async (run: KernelRun, path: string, at: number, bytes: Uint8Array): Promise<void> => {
    for (let from = 0; from === 0 || from < bytes.length; from += PIECE_BYTES) {
      const piece = bytes.subarray(from, from + PIECE_BYTES);
      const more = from + piece.length < bytes.length;
      await send(run, 'folder_put', { path, at, added: from > 0, more }, piece);
    }
  };

  /** Asks the kernel for an answer, which comes behind everything that was sent before. */
  const ask = async (run: KernelRun, content: object): Promise<{ readonly answer: Promise<void> }> => {
    const answer = Promise.withResolvers<undefined>();
    const upTo = sentBytes;
    const message = kernelMessage('shell', 'preparation_request', content, { session });
    // Before it is sent: the answer may be quick.
    answered.set(readHeader(message.header)?.msg_id ?? '', () => {
      readBytes = upTo;
      answer.resolve(undefined);
    });
    await run.send(message);
    return { answer: answer.promise };
  };

  /** Sends what differs from what the kernel has. Answers what becomes of it. */
  const bring = async (run: KernelRun): Promise<{ readonly answer: Promise<void> }> => {
    const told = (toldMeanwhile = new Set(beingKept.keys()));
    const marked = (path: string): number => {
      sent += 1;
      onTheWay.set(path, sent);
      return sent;
    };
    /** The list may be of before, and what the kernel has is what is kept. */
    const isTold = (path: string): boolean => {
      isBehind ||= told.has(path);
      return told.has(path);
    };
    try {
      const files = (await folder?.list()) ?? [];
      const there = new Set(files.map(({ path }) => path));
      for (const path of [...known.keys()].filter((one) => !there.has(one))) {
        if (isTold(path)) continue;
        const at = marked(path);
        known.delete(path);
        await send(run, 'folder_put', { path, at, removed: true });
      }
      for (const { path, kind, digest } of files) {
        if (known.get(path) === digest || isTold(path)) continue;
        const bytes = kind === 'FILE' ? await folder?.read(path) : undefined;
        if (kind === 'FILE' && !bytes) continue;
        await haveRoom(run, bytes?.length ?? 0);
        if (isTold(path)) continue;
        const at = marked(path);
        known.set(path, digest);
        if (bytes) await sendFile(run, path, at, bytes);
        else await send(run, 'folder_put', { path, at, folder: true });
      }
      return await ask(run, {});
    } finally {
      toldMeanwhile = undefined;
      catchUp();
    }
  };

  /** One after the other. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(() => outsideOfCalls(work));
    last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };

  const refresh = (run: KernelRun): Promise<void> => {
    nextRefresh ??= inTurn(async () => {
      nextRefresh = undefined;
      // Another life has begun with what there is now.
      if (living === run) await bring(run);
    });
    return nextRefresh;
  };

  const catchUp = (): void => {
    const run = living;
    if (!run || !isBehind || beingKept.size > 0) return;
    isBehind = false;
    // It fails with the kernel, or is done with the next change.
    refresh(run).catch(() => undefined);
  };

  const hear = (message: KernelMessage): void => {
    const heard = living && reports?.hear(message);
    if (!heard) return;
    const { report, until, brought } = heard;
    const parent = new Uint8Array(message.parentHeader);
    if (report) keep(report, until, brought, parent);
    else lose(until, parent);
  };

  /** One after the other; who waits for it goes on. */
  const inOrder = (until: () => number, work: (isCurrent: () => boolean) => Promise<void> | void): void => {
    const own = life;
    const isCurrent = (): boolean => own === life;
    const current = (keeping ?? Promise.resolve()).then(async () => {
      await outsideOfCalls(() => work(isCurrent));
      // Another life counts anew.
      if (isCurrent()) kept = Math.max(kept, until());
      for (const { go } of waiting.filter((one) => one.until <= kept)) go();
      waiting = waiting.filter((one) => one.until > kept);
    });
    keeping = current;
    void current.then(() => {
      if (keeping === current) keeping = undefined;
    });
  };

  const keep = ({ changes, notes, bytes }: FolderReport, until: number, brought: number, parent: Uint8Array): void => {
    const wanted = changes.filter(({ path }) => (onTheWay.get(path) ?? 0) <= brought);
    for (const [path, at] of onTheWay) if (at <= brought) onTheWay.delete(path);
    const paths = new Set(wanted.map(({ path }) => path));
    for (const path of paths) {
      beingKept.set(path, (beingKept.get(path) ?? 0) + 1);
      toldMeanwhile?.add(path);
    }
    inOrder(
      () => until,
      async (isCurrent) => {
        await store(wanted, notes, parent, isCurrent);
        folder?.giveBack(bytes);
        for (const path of paths) {
          const more = (beingKept.get(path) ?? 1) - 1;
          if (more > 0) beingKept.set(path, more);
          else beingKept.delete(path);
        }
        catchUp();
      },
    );
  };

  const lose = (until: number, parent: Uint8Array): void => {
    if (lost) {
      lost.until = until;
      return;
    }
    const own = (lost = { until });
    inOrder(
      () => own.until,
      () => {
        lost = undefined;
        fail('there is no room for so much at once', parent);
      },
    );
  };

  const fail = (why: string, parent: Uint8Array): void => {
    warn(`What the cell has written is not kept when the kernel ends: ${why}. The next cell tries again.\n`, parent);
    if (living) void send(living, 'folder_forget', {}).catch(() => undefined);
  };

  const store = async (
    changes: readonly KernelFileChange[],
    notes: string[],
    parent: Uint8Array,
    isCurrent: () => boolean,
  ): Promise<void> => {
    if (!folder) return;
    try {
      const refused = changes.length > 0 ? await folder.write(changes) : [];
      notes.push(...refused.map(({ sentence }) => sentence));
      if (isCurrent()) know(changes, new Set(refused.map(({ path }) => path)));
    } catch (error) {
      // What it was to remove is brought again.
      if (isCurrent()) for (const change of changes) if ('removed' in change) known.delete(change.path);
      fail(isUnavailable(error) ? 'the platform cannot be reached now' : 'it failed', parent);
    }
    if (notes.length === 0) return;
    const more = notes.length - MAX_SENTENCES;
    const said = [...notes.slice(0, MAX_SENTENCES), ...(more > 0 ? [`${String(more)} more are not kept`] : [])];
    warn(`${said.map((one) => `${one}.`).join('\n')}\n`, parent);
  };

  /** What is refused stays in the kernel as it is there: what is kept of it is not brought in its place. */
  const know = (changes: readonly KernelFileChange[], refused: ReadonlySet<string>): void => {
    for (const change of changes) {
      if ('removed' in change) known.delete(change.path);
      else if (!refused.has(change.path))
        known.set(change.path, 'bytes' in change ? (folder?.digestOf(change.bytes) ?? '') : '');
    }
  };

  return {
    async begin(run) {
      living = run;
      life += 1;
      void run.ended.then(() => {
        if (living !== run) return;
        living = undefined;
        reports?.forget();
      });
      known = new Map();
      onTheWay.clear();
      answered.clear();
      reports?.forget();
      isBehind = false;
      sentBytes = readBytes = 0;
      kept = 0;
      for (const { go } of waiting.splice(0)) go();
      const limits = folder && {
        notebook_bytes: folder.limits.notebookBytes,
        file_bytes: folder.limits.fileBytes,
        entries: folder.limits.entries,
      };
      await inTurn(async () => {
        // What the life before has written is there when this one reads.
        await keeping;
        await send(run, 'preparation_request', { folder: limits, environment: await environment?.() });
        const { answer } = await bring(run);
        const gone = run.ended.then((reason) => Promise.reject(new Error(reason)));
        const late = new Promise<never>((_, reject) =>
          setTimeout(() => reject(new Error('It did not take what it begins with')), ANSWER_MS).unref(),
        );
        gone.catch(() => undefined);
        late.catch(() => undefined);
        await Promise.race([answer, gone, late]);
      });
    },

    refresh,

    take(message) {
      const parent = readJson(message.parentHeader);
      if (parent?.['session'] === session && message.channel !== 'stdin') {
        const id = parent['msg_id'];
        if (message.channel === 'shell' && typeof id === 'string') {
          answered.get(id)?.();
          answered.delete(id);
        }
        return true;
      }
      if (message.channel !== 'iopub' || readHeader(message.header)?.msg_type !== 'folder_changed') return false;
      hear(message);
      return true;
    },

    before({ channel, header, metadata }) {
      if (channel === 'shell' && readHeader(header)?.msg_type === 'execute_reply') {
        const until = readJson(metadata)?.['folder'];
        // It may overtake what the cell has told.
        if (typeof until === 'number' && until > kept)
          return new Promise((resolve) => {
            const one = {
              until,
              go: () => {
                clearTimeout(late);
                resolve();
              },
            };
            const late = setTimeout(() => {
              waiting = waiting.filter((other) => other !== one);
              resolve();
            }, ANSWER_MS);
            waiting.push(one);
          });
      }
      return keeping;
    },
  };
}
