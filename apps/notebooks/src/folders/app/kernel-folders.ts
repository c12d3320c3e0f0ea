import { beginningOf, type ActorContext } from '@platform-backend/core';
import type { KernelFileChange, KernelFolders, UnkeptFile } from '../../kernels/domain/kernel-folder.ts';
import type { FolderChange, RefusedChange } from '../domain/folder.ts';
import type { MemoryBudget } from '../domain/memory-budget.ts';
import type { FolderUseCases } from './folders.ts';

/** Of a path that may be anything. */
const MAX_SHOWN_PATH = 300;

/** The folders of notebooks, for the kernels that work in them. `budget`: for what they tell, until it is kept. */
export const kernelFolders = (
  app: FolderUseCases,
  digestOf: (bytes: Uint8Array) => string,
  budget: MemoryBudget,
): KernelFolders => ({
  of: (by: ActorContext, notebookId: string, kernelId: string) => ({
    limits: app.limits,
    digestOf,
    list: () => app.allFiles(by.organisationId, notebookId),
    read: async (path) => (await app.findFile(by.organisationId, notebookId, path))?.bytes,
    async write(changes) {
      const refused = await app.changeFiles(by, notebookId, changes.map(changeOf(digestOf)), kernelId);
      return refused.filter(({ reason }) => reason !== 'not_found').map(unkept);
    },
    take: (bytes) => budget.take(by.organisationId, bytes),
    giveBack: (bytes) => budget.giveBack(by.organisationId, bytes),
  }),
  listen: app.listen,
});

const changeOf =
  (digestOf: (bytes: Uint8Array) => string) =>
  (change: KernelFileChange): FolderChange =>
    'bytes' in change ? { path: change.path, file: { bytes: change.bytes, digest: digestOf(change.bytes) } } : change;

const unkept = ({ path, message }: RefusedChange): UnkeptFile => ({
  path,
  sentence: `${JSON.stringify(beginningOf(path, MAX_SHOWN_PATH))} is not kept when the kernel ends: ${message}`,
});
