import { isUnavailable } from '@platform-backend/core';
import type { KernelFileChange, KernelFolder, KernelFolderLimits } from '../domain/kernel-folder.ts';
import type { KernelMessage } from '../domain/kernel-provider.ts';
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
/** What comes of a cell in one go beyond the limits is not kept, whatever the kernel says. */
const MAX_CHANGES = 5_000;
/** A cell names so many files that are not kept. */
const MAX_SENTENCES = 20;
const MIB = 2 ** 20;

interface Coming {
  readonly changes: KernelFileChange[];
  readonly notes: string[];
  bytes: number;
  file: { readonly path: string; readonly pieces: Uint8Array[] } | undefined;
}

/** Undefined where there is nothing to prepare. */
export function kernelPreparation(
  { folder, environment }: Preparation,
  { session, warn }: PreparationContext,
): KernelPreparation | undefined {
  if (!folder && !environment) return undefined;
  /** What the kernel has, by the digests of files; folders have none. */
  let known = new Map<string, string>();
  /** Paths that are on their way into the kernel, and how often: what it says of them meanwhile is of before. */
  const onTheWay = new Map<string, number>();
  const answered = new Map<string, () => void>();
  let coming: Coming = nothing();
  /** How often the kernel has told something, and how much of that is kept. */
  let kept = 0;
  let keeping: Promise<void> | undefined;
  let waiting: { readonly until: number; readonly go: () => void }[] = [];
  let last: Promise<void> = Promise.resolve();
  let living: KernelRun | undefined;

  const send = async (run: KernelRun, type: string, content: object, buffer?: Uint8Array): Promise<string> => {
    const message = kernelMessage('shell', type, content, { session });
    await run.send(buffer ? { ...message, buffers: [buffer] } : message);
    return readHeader(message.header)?.msg_id ?? '';
  };

  const sendFile = async (run: KernelRun, path: string, bytes: Uint8Array): Promise<void> => {
    for (let from = 0; from === 0 || from < bytes.length; from += PIECE_BYTES) {
      const piece = bytes.subarray(from, from + PIECE_BYTES);
      const more = from + piece.length < bytes.length;
      await send(run, 'folder_put', { path, added: from > 0, more }, piece);
    }
  };

  /** Asks the kernel for an answer, which comes behind everything that was sent before. */
  const ask = async (run: KernelRun, content: object): Promise<{ readonly answer: Promise<void> }> => {
    const answer = Promise.withResolvers<undefined>();
    const id = await send(run, 'preparation_request', content);
    answered.set(id, () => answer.resolve(undefined));
    return { answer: answer.promise };
  };

  /** Sends what differs from what the kernel has. Answers what becomes of it. */
  const bring = async (run: KernelRun): Promise<{ readonly answer: Promise<void> }> => {
    const sent: string[] = [];
    const marked = (path: string): void => {
      sent.push(path);
      onTheWay.set(path, (onTheWay.get(path) ?? 0) + 1);
    };
    const files = (await folder?.list()) ?? [];
    const there = new Set(files.map(({ path }) => path));
    for (const path of [...known.keys()].filter((one) => !there.has(one))) {
      marked(path);
      known.delete(path);
      await send(run, 'folder_put', { path, removed: true });
    }
    for (const { path, kind, digest } of files) {
      if (known.get(path) === digest) continue;
      const bytes = kind === 'FILE' ? await folder?.read(path) : undefined;
      if (kind === 'FILE' && !bytes) continue;
      marked(path);
      known.set(path, digest);
      if (bytes) await sendFile(run, path, bytes);
      else await send(run, 'folder_put', { path, folder: true });
    }
    const { answer } = await ask(run, {});
    const taken = answer.then(() => {
      for (const path of sent) {
        const left = (onTheWay.get(path) ?? 1) - 1;
        if (left === 0) onTheWay.delete(path);
        else onTheWay.set(path, left);
      }
    });
    return { answer: taken };
  };

  /** One after the other. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };

  const hear = (content: Readonly<Record<string, unknown>>, piece: Uint8Array, parent: Uint8Array): void => {
    if (typeof content['end'] === 'number') {
      const { changes, notes } = coming;
      coming = nothing();
      const until = content['end'];
      const keep = (keeping ?? Promise.resolve()).then(async () => {
        await store(changes, notes, parent);
        kept = Math.max(kept, until);
        for (const { go } of waiting.filter((one) => one.until <= kept)) go();
        waiting = waiting.filter((one) => one.until > kept);
      });
      const current = keep.finally(() => {
        if (keeping === current) keeping = undefined;
      });
      keeping = current;
      return;
    }
    const { path } = content;
    if (typeof path !== 'string' || coming.changes.length >= MAX_CHANGES) return;
    if (content['removed'] === true) coming.changes.push({ path, removed: true });
    else if (content['folder'] === true) coming.changes.push({ path, folder: true });
    else if (typeof content['too_large'] === 'number')
      coming.notes.push(tooLarge(path, content['too_large'], folder?.limits));
    else hearPiece(path, piece, content['more'] === true);
  };

  const hearPiece = (path: string, piece: Uint8Array, more: boolean): void => {
    coming.bytes += piece.length;
    if (!folder || coming.bytes > folder.limits.notebookBytes + folder.limits.fileBytes) return;
    if (coming.file?.path !== path) coming.file = { path, pieces: [] };
    coming.file.pieces.push(piece);
    if (more) return;
    coming.changes.push({ path, bytes: Buffer.concat(coming.file.pieces) });
    coming.file = undefined;
  };

  const store = async (changes: readonly KernelFileChange[], notes: string[], parent: Uint8Array): Promise<void> => {
    if (!folder) return;
    const wanted = changes.filter(({ path }) => !onTheWay.has(path));
    for (const change of wanted) {
      if ('removed' in change) known.delete(change.path);
      else known.set(change.path, 'bytes' in change ? folder.digestOf(change.bytes) : '');
    }
    try {
      notes.push(...(wanted.length > 0 ? await folder.write(wanted) : []));
    } catch (error) {
      for (const { path } of wanted) known.delete(path);
      const why = isUnavailable(error) ? 'the platform cannot be reached now' : 'it failed';
      notes.push(`What the cell has written is not kept when the kernel ends: ${why}. The next cell tries again`);
      if (living) void send(living, 'folder_forget', {}).catch(() => undefined);
    }
    if (notes.length === 0) return;
    const more = notes.length - MAX_SENTENCES;
    const said = [...notes.slice(0, MAX_SENTENCES), ...(more > 0 ? [`${String(more)} more are not kept`] : [])];
    warn(`${said.map((one) => `${one}.`).join('\n')}\n`, parent);
  };

  return {
    async begin(run) {
      living = run;
      known = new Map();
      onTheWay.clear();
      answered.clear();
      coming = nothing();
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

    refresh: (run) => inTurn(async () => void (await bring(run))),

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
      hear(readJson(message.content) ?? {}, message.buffers[0] ?? Buffer.alloc(0), message.parentHeader);
      return true;
    },

    before({ channel, header, metadata }) {
      if (channel === 'shell' && readHeader(header)?.msg_type === 'execute_reply') {
        const until = readJson(metadata)?.['folder'];
        // It may overtake what the cell has told.
        if (typeof until === 'number' && until > kept)
          return new Promise((resolve) => {
            const late = setTimeout(resolve, ANSWER_MS);
            waiting.push({
              until,
              go: () => {
                clearTimeout(late);
                resolve();
              },
            });
          });
      }
      return keeping;
    },
  };
}

const tooLarge = (path: string, bytes: number, limits: KernelFolderLimits | undefined): string =>
  `${JSON.stringify(path)} is not kept when the kernel ends: it has ${inMebibytes(bytes)} MiB; a file has up to ${inMebibytes(limits?.fileBytes ?? 0)}, all of a notebook together ${inMebibytes(limits?.notebookBytes ?? 0)}`;

const inMebibytes = (bytes: number): string => String(Math.ceil(bytes / MIB));

const nothing = (): Coming => ({ changes: [], notes: [], bytes: 0, file: undefined });
