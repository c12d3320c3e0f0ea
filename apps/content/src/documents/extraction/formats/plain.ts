import { oneLine } from '../clean-text.ts';
import type { DocumentText } from '../document-text.ts';

export const readPlain = (content: string): DocumentText => ({ pages: [content], hasPages: false });

/** Its marks stay: they are how its authors read it. */
export function readMarkdown(content: string): DocumentText {
  const text = content.replace(/^---\r?\n[^]{0,20000}?\r?\n---\r?\n/, '');
  const headings = Array.from(outsideOfCode(text).matchAll(/^#{1,6}[ \t]+(.{1,500}?)[ \t#]*$/gm), ([, heading = '']) =>
    oneLine(heading.replaceAll(/[*_`]/g, '')),
  ).slice(0, 200);
  return { title: headings[0], headings, pages: [text], hasPages: false };
}

const outsideOfCode = (text: string): string => text.replaceAll(/^(```|~~~)[^]*?^\1/gm, '');
