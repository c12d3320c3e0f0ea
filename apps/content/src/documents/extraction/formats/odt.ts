import { Archive } from '../archive.ts';
import { oneLine } from '../clean-text.ts';
import { TextPieces, type DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { valuesIn } from '../open-package.ts';
import { attribute, readXml } from '../xml.ts';

/** What is no part of the text: what was deleted, notes in the margin, and what stands for a missing picture. */
const NOT_SHOWN = new Set(['tracked-changes', 'annotation', 'desc', 'title', 'ruby-text', 'forms']);

/** Paragraphs, lists, tables and notes of an OpenDocument text; as in a Word file, its pages are its program's to make. */
export async function readOdt(bytes: Buffer): Promise<DocumentText> {
  const archive = await Archive.open(bytes);
  const algorithms = await valuesIn(archive, 'META-INF/manifest.xml', 'encryption-data', 'manifest:checksum-type');
  if (algorithms.size > 0) throw extractionFailures.encrypted();
  const text = new TextPieces();
  const headings: string[] = [];
  let heading: string | undefined;
  let hidden = 0;
  let paragraphs = 0;
  let cells = 0;
  const write = (piece: string): void => {
    text.add(piece);
    if (heading !== undefined && heading.length < 1_000) heading += piece;
  };
  await readXml(archive.read('content.xml'), {
    open: (name, attributes) => {
      if (hidden > 0 || NOT_SHOWN.has(name)) {
        hidden += 1;
        return;
      }
      if (name === 'h') heading = '';
      if (name === 'p' || name === 'h') paragraphs += 1;
      else if (name === 'table-cell') cells += 1;
      else if (name === 'list-item') text.add('- ');
      else if (name === 'tab') write('\t');
      else if (name === 'line-break') write(cells > 0 ? ' ' : '\n');
      else if (name === 's') write(' '.repeat(Math.min(8, Number(attribute(attributes, 'c') ?? 1) || 1)));
      // What stands at the foot is read where it is spoken of.
      else if (name === 'note-body') write(' (');
    },
    text: (content) => {
      if (hidden === 0 && paragraphs > 0) write(content.replaceAll(/[ \t\r\n]+/g, ' '));
    },
    close: (name) => {
      if (hidden > 0) {
        hidden -= 1;
        return;
      }
      if (name === 'p' || name === 'h') {
        paragraphs -= 1;
        if (paragraphs === 0) text.add(cells > 0 ? ' ' : '\n\n');
      }
      if (name === 'h' && heading !== undefined) {
        if (headings.length < 200 && oneLine(heading) !== '') headings.push(oneLine(heading));
        heading = undefined;
      } else if (name === 'table-cell') {
        cells -= 1;
        text.add('\t');
      } else if (name === 'table-row' || name === 'table') text.add('\n');
      else if (name === 'note-body') write(')');
    },
  });
  // A cell ends with its last word, and an entry of a list with its line. Of long runs of spaces each would be begun with anew.
  const shown = text
    .toString()
    .replaceAll(/ {0,8}\t(?=\n)/g, '')
    .replaceAll(/ {1,8}\t/g, '\t')
    .replaceAll(/^(- .*)\n\n(?=- )/gm, '$1\n');
  return { title: (await titleOf(archive)) ?? headings[0], headings, pages: [shown], hasPages: false };
}

async function titleOf(archive: Archive): Promise<string | undefined> {
  if (!archive.has('meta.xml')) return undefined;
  let title = '';
  let inTitle = false;
  await readXml(archive.read('meta.xml'), {
    open: (name) => {
      inTitle = name === 'title';
    },
    text: (content) => {
      if (inTitle && title.length < 1_000) title += content;
    },
    close: () => {
      inTitle = false;
    },
  });
  return oneLine(title) || undefined;
}
