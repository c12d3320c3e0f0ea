import { Archive } from '../archive.ts';
import { oneLine } from '../clean-text.ts';
import { TextPieces, type DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { limits } from '../limits.ts';
import { mainPartOf, relationshipsOf, targetsOf, titleOf } from '../office-package.ts';
import { attribute, readXml } from '../xml.ts';

/** A page for each slide, in the order in which they are shown, with what its speaker notes say. */
export async function readPptx(bytes: Buffer): Promise<DocumentText> {
  const archive = await Archive.open(bytes);
  const presentation = (await mainPartOf(archive))?.name ?? '';
  const parts = await relationshipsOf(archive, presentation);
  const pages: string[] = [];
  const headings: string[] = [];
  let length = 0;
  for (const id of await slideIds(archive, presentation)) {
    const part = parts.get(id)?.target;
    if (part === undefined) continue;
    if (pages.length === limits.pages) throw extractionFailures.tooMuch(`${limits.pages} slides`);
    const slide = await shapesOf(archive, part, () => true);
    const notes: string[] = [];
    for (const target of targetsOf(await relationshipsOf(archive, part), 'notesSlide')) {
      // Beside the notes stand a picture of the slide, its number and the date.
      const { text } = await shapesOf(archive, target, (placeholder) => placeholder === 'body');
      if (text.trim() !== '') notes.push(`Notes: ${text.trim()}`);
    }
    const text = [slide.text.trim(), ...notes].join('\n\n');
    length += text.length;
    if (length > limits.textLength) throw extractionFailures.tooMuch(`${limits.textLength} characters`);
    pages.push(text);
    if (slide.title !== '') headings.push(slide.title);
  }
  return { title: (await titleOf(archive)) ?? headings[0], headings, pages, hasPages: true };
}

async function slideIds(archive: Archive, presentation: string): Promise<string[]> {
  const ids: string[] = [];
  await readXml(archive.read(presentation), {
    open: (name, attributes) => {
      // `id` without a prefix is the slide's number, the other one says where it is.
      const key = Object.keys(attributes).find((other) => other.endsWith(':id'));
      if (name === 'sldId' && key !== undefined) ids.push(attributes[key] ?? '');
    },
  });
  return ids;
}

/** The texts of the shapes that are wanted, by what they stand in for: `title`, `body`, `sldNum`, or nothing. */
async function shapesOf(archive: Archive, part: string, wanted: (placeholder: string) => boolean) {
  const text = new TextPieces();
  let title = '';
  let placeholder = '';
  let inText = false;
  let inCell = false;
  await readXml(archive.read(part), {
    open: (name, attributes) => {
      if (name === 'sp') placeholder = '';
      else if (name === 'ph') placeholder = attribute(attributes, 'type') ?? 'body';
      else if (name === 't') inText = true;
      else if (name === 'tc') inCell = true;
      else if (name === 'br' && wanted(placeholder)) text.add(inCell ? ' ' : '\n');
    },
    text: (content) => {
      if (!inText || !wanted(placeholder)) return;
      text.add(content);
      if (/^(?:ctrTitle|title)$/.test(placeholder) && title.length < 500) title += content;
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'p' && wanted(placeholder)) text.add(inCell ? ' ' : '\n');
      else if (name === 'tc') {
        inCell = false;
        text.add('\t');
      } else if (name === 'tr' || (name === 'sp' && wanted(placeholder))) text.add('\n');
    },
  });
  return { text: text.toString(), title: oneLine(title) };
}
