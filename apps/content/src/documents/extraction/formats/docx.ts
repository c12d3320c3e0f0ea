import mammoth from 'mammoth';
import { Archive } from '../archive.ts';
import type { DocumentText } from '../document-text.ts';
import { titleOf } from '../office-package.ts';
import { readHtml } from './html.ts';

/** Paragraphs, lists, tables and notes. Where its pages end is decided by the program that prints it, so it has none. */
export async function readDocx(bytes: Buffer): Promise<DocumentText> {
  const archive = await Archive.open(bytes);
  // mammoth believes what an archive says of its sizes; nothing that says too little gets so far.
  for (const name of archive.names) if (/\.(?:xml|rels)$/i.test(name)) for await (const _ of archive.read(name));
  const { value } = await mammoth.convertToHtml(
    { buffer: bytes },
    {
      styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      externalFileAccess: false,
    },
  );
  const text = readHtml(value);
  return { ...text, title: (await titleOf(archive)) ?? text.title };
}
