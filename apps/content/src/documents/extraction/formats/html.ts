import { Parser } from 'htmlparser2';
import { oneLine } from '../clean-text.ts';
import { TextPieces, type DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { limits } from '../limits.ts';

/** The text of a page as a reader sees it: blocks on lines of their own, cells with tabs between them. */
export function readHtml(html: string): DocumentText {
  const text = new TextPieces();
  const headings: string[] = [];
  let title = '';
  let heading: string | undefined;
  let inTitle = false;
  /** How deep inside of what is not shown. */
  let hidden = 0;
  let preformatted = 0;
  /** What has to stand before the next word. */
  let gap = '';
  let cell = 0;
  let depth = 0;
  /** Since a cell began. Its first and last paragraph begin and end with it. */
  let cellIsEmpty = false;

  const wider = (wanted: string): void => {
    if (!cellIsEmpty && rank(wanted) > rank(gap)) gap = wanted;
  };
  const write = (words: string): void => {
    if (text.length > 0) text.add(gap);
    gap = '';
    cellIsEmpty = false;
    text.add(words);
  };
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (depth > limits.depth) throw extractionFailures.tooDeep();
        if (hidden > 0 || notShown.has(name) || 'hidden' in attributes) {
          hidden += 1;
          if (name === 'title' && title === '') inTitle = true;
          return;
        }
        if (name === 'pre') preformatted += 1;
        if (name === 'tr') cell = 0;
        if (name === 'td' || name === 'th') {
          if (cell > 0) gap = '\t';
          cell += 1;
          cellIsEmpty = true;
        } else if (paragraphs.has(name)) wider('\n\n');
        else if (lines.has(name)) wider('\n');
        if (name === 'li') {
          wider('\n');
          write('- ');
        }
        if (isHeading(name)) heading = '';
      },
      ontext: (content) => {
        if (inTitle && title.length < 1_000) title += content;
        if (hidden > 0) return;
        if (heading !== undefined && heading.length < 1_000) heading += content;
        if (preformatted > 0) {
          write(content);
          return;
        }
        const words = content.replaceAll(/[ \t\r\n\f]+/g, ' ');
        if (words.startsWith(' ')) wider(' ');
        if (words.trim() !== '') write(words.trim());
        if (words.length > 1 && words.endsWith(' ')) wider(' ');
      },
      onclosetag: (name) => {
        depth -= 1;
        if (hidden > 0) {
          hidden -= 1;
          if (name === 'title') inTitle = false;
          return;
        }
        if (name === 'pre') preformatted -= 1;
        if (name === 'td' || name === 'th') {
          cellIsEmpty = false;
          if (gap !== '\t') gap = '';
        } else if (paragraphs.has(name)) wider('\n\n');
        else if (lines.has(name)) wider('\n');
        if (isHeading(name) && heading !== undefined) {
          if (headings.length < 200 && oneLine(heading) !== '') headings.push(oneLine(heading));
          heading = undefined;
        }
      },
    },
    { decodeEntities: true },
  );
  parser.write(html);
  parser.end();
  return { title: oneLine(title) || headings[0], headings, pages: [text.toString()], hasPages: false };
}

const rank = (gap: string): number => ['', ' ', '\t', '\n', '\n\n'].indexOf(gap);

const isHeading = (name: string): boolean => /^h[1-6]$/.test(name);

const notShown = new Set([
  'canvas',
  'head',
  'iframe',
  'nav',
  'noscript',
  'object',
  'script',
  'select',
  'style',
  'svg',
  'template',
  'textarea',
  'title',
]);

const paragraphs = new Set([
  ...['article', 'aside', 'blockquote', 'dl', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header'],
  ...['hr', 'main', 'ol', 'p', 'pre', 'section', 'table', 'ul'],
]);

const lines = new Set([
  'address',
  'br',
  'caption',
  'dd',
  'div',
  'dt',
  'fieldset',
  'figcaption',
  'legend',
  'li',
  'option',
  'tr',
]);
