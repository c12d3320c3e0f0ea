import { Marked } from 'marked';
import markedFootnote from 'marked-footnote';
import sanitizeHtml from 'sanitize-html';
import { blockElements } from './report-elements.ts';

/** What is made of a report. */
export interface ReportText {
  readonly title: string;
  readonly markdown: string;
}

const inlineElements = ['a', 'br', 'code', 'del', 'em', 'strong', 'sub', 'sup'];
const partsOfTables = ['tbody', 'td', 'th', 'thead', 'tr'];

/** Pictures that a report holds itself. */
const heldPicture = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/]+=*$/i;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** One for each text: the notes of one are none of the next. */
const marked = (): Marked =>
  new Marked(markedFootnote(), {
    gfm: true,
    renderer: {
      // Of a picture that is elsewhere only what it shows is told: nothing is asked for it.
      image: ({ href, text }) =>
        heldPicture.test(href) ? `<img src="${escaped(href)}" alt="${escaped(text)}">` : escaped(text),
      checkbox: ({ checked }) => (checked ? `${TICKED_BOX} ` : `${EMPTY_BOX} `),
    },
  });

/** What stands before the items of a list of tasks. */
export const TICKED_BOX = '☑';
export const EMPTY_BOX = '☐';

/** Where notes and what they are about name each other, within the page. */
const NOTE = /^footnote-(?:ref-)?[\w-]+$/;

/**
 * The Markdown of a report as HTML of these elements and attributes alone, whatever HTML stands in it. Nothing in it runs,
 * and nothing is asked of anybody until a person follows a link.
 */
export const safeHtml = (markdown: string): string =>
  sanitizeHtml(marked().parse(markdown, { async: false }), {
    allowedTags: [...blockElements, ...inlineElements, ...partsOfTables],
    allowedAttributes: {
      a: ['href', 'title', 'rel', 'id'],
      li: ['id'],
      img: ['src', 'alt'],
      ol: ['start'],
      td: ['align'],
      th: ['align'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['data'] },
    allowProtocolRelative: false,
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !heldPicture.test(attribs['src'] ?? ''),
    transformTags: {
      a: (tagName, attribs) => ({ tagName, attribs: { ...onlyNotes(attribs), rel: 'noopener noreferrer nofollow' } }),
      li: (tagName, attribs) => ({ tagName, attribs: onlyNotes(attribs) }),
    },
    nestingLimit: 40,
  });

function onlyNotes({ id, ...attribs }: Readonly<Record<string, string>>): Record<string, string> {
  return id !== undefined && NOTE.test(id) ? { ...attribs, id } : attribs;
}

/** The title, unless the text begins with it. */
export function withTitle({ title, markdown }: ReportText): string {
  const html = safeHtml(markdown);
  const heading = `<h1>${escaped(title)}</h1>`;
  return html.startsWith(heading) ? html : `${heading}\n${html}`;
}

/** A page by itself. Its policy says again that nothing runs in it and nothing is fetched for it. */
export const reportHtml = (report: ReportText): string => `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(report.title)}</title>
<style>
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #1a1a1a; overflow-wrap: anywhere }
p, h1, h2, h3, h4, h5, h6, li, td, th { unicode-bidi: plaintext }
pre, code { font-family: ui-monospace, monospace; font-size: 0.9em; background: #f4f4f4 }
pre { padding: 0.8rem; overflow-x: auto }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid #ccc; color: #555 }
table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: 0.3rem 0.6rem } img { max-width: 100% }
</style>
</head>
<body>
${withTitle(report)}
</body>
</html>
`;
