import type { ActorContext } from '@platform-backend/core';
import type { KernelFileChange, KernelFolders } from '../../kernels/domain/kernel-folder.ts';
import type { FolderChange, RefusedChange } from '../domain/folder.ts';
import type { FolderUseCases } from './folders.ts';

/** The folders of notebooks, for the kernels that work in them. */
export const kernelFolders = (app: FolderUseCases, digestOf: (bytes: Uint8Array) => string): KernelFolders => ({
  of: (by: ActorContext, notebookId: string, kernelId: string) => ({
    limits: app.limits,
    digestOf,
    list: () => app.allFiles(by.organisationId, notebookId),
    read: async (path) => (await app.findFile(by.organisationId, notebookId, path))?.bytes,
    async write(changes) {
      const refused = await app.changeFiles(by, notebookId, changes.map(changeOf(digestOf)), kernelId);
      return refused.filter(({ reason }) => reason !== 'not_found').map(sentenceOf);
    },
  }),
  listen: app.listen,
});

const changeOf =
  (digestOf: (bytes: Uint8Array) => string) =>
  (change: KernelFileChange): FolderChange =>
    'bytes' in change ? { path: change.path, file: { bytes: change.bytes, digest: digestOf(change.bytes) } } : change;

const sentenceOf = ({ path, message }: RefusedChange): string =>
  `${JSON.stringify(path)} is not kept when the kernel ends: ${message}`;
