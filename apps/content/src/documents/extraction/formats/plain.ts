import { oneLine } from '../clean-text.ts';
import type { DocumentText } from '../document-text.ts';

export const readPlain = (content: string): DocumentText => ({ pages: [content], hasPages: false });

/** Its marks stay: they are how its authors read it. */
export function readMarkdown(content: string): DocumentText {
  const text = content.replace(/^---\r?\n[^]{0,20000}?\r?\n---\r?\n/, '');
  const headings = Array.from(outsideOfCode(text).matchAll(/^#{1,6}[ \t]+(\S.*)$/gm), ([, heading = '']) =>
    oneLine(heading.replace(/(?<![ \t#])[ \t#]+$/, '').replaceAll(/[*_`]/g, '')),
  )
    .filter((heading) => heading !== '' && heading.length <= MAX_HEADING)
    .slice(0, 200);
  return { title: headings[0], headings, pages: [text], hasPages: false };
}

/** A longer line is none. */
const MAX_HEADING = 500;

const outsideOfCode = (text: string): string => text.replaceAll(/^(```|~~~)[^]*?^\1/gm, '');
