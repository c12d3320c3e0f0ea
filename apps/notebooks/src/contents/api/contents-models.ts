import type { JupyterContentsInput } from '@platform-backend/contract-notebooks';
import type { ContentsItem } from '../app/contents.ts';
import { ENDING } from '../domain/contents-path.ts';

/** What a file, a notebook or a folder says of itself, without what is in it. */
export function contentsMessage(item: ContentsItem): JupyterContentsInput {
  const about = aboutOf(item);
  return {
    name: item.path.split('/').at(-1) ?? '',
    path: item.path,
    ...about,
    writable: true,
    mimetype: null,
    format: null,
    content: null,
  };
}

/** In JSON that is written here, with the names that it has there. */
export function contentsJson(item: ContentsItem) {
  const { created, lastModified, ...message } = contentsMessage(item);
  return { ...message, created: textOf(created), last_modified: textOf(lastModified) };
}

const textOf = (time: JupyterContentsInput['created']): string => new Date(time as Date).toISOString();

function aboutOf(item: ContentsItem) {
  if (item.kind !== 'entry') {
    const { createdAt: created, updatedAt: lastModified, sizeBytes } = item.notebook;
    if (item.kind === 'folder') return { type: 'directory', created, lastModified, size: null };
    return { type: 'notebook', created, lastModified, size: sizeBytes };
  }
  const { kind, path, sizeBytes, updatedAt } = item.entry;
  const times = { created: updatedAt, lastModified: updatedAt };
  if (kind === 'FOLDER') return { type: 'directory', ...times, size: null };
  // By its name alone, as Jupyter does.
  return { type: path.endsWith(ENDING) ? 'notebook' : 'file', ...times, size: sizeBytes };
}
