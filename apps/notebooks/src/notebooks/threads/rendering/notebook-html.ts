import { Marked } from 'marked';
import sanitizeHtml from 'sanitize-html';
import { sourceOf } from '../../domain/cell-source.ts';
import type { Json } from '../../domain/json.ts';
import { ansiHtml, escaped } from './ansi-html.ts';
import { formulas, type Formulas } from './formulas.ts';
import { codeHighlighter } from './highlighted-code.ts';

type JsonObject = Readonly<Record<string, Json>>;

/** What is made a page of: a name, and a notebook of the format nbformat 4 as JSON. */
export interface NotebookToShow {
  readonly name: string;
  readonly text: string;
}

/** A picture that a page holds itself, without the white space that may be in it. */
const heldPicture = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/]+=*$/i;
const withoutSpace = (text: string): string => text.replaceAll(/\s/g, '');
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** What makes the parts of one page. */
interface PageParts {
  /** Of the code in cells. */
  readonly language: string;
  readonly code: (code: string, language: string) => string;
  readonly marked: Marked;
  readonly formulas: Formulas;
}

/** A page by itself: nothing in it runs, and nothing is fetched for it, which its policy says again. */
export function notebookHtml({ name, text }: NotebookToShow): string {
  const { cells, metadata } = JSON.parse(text) as { readonly cells: readonly JsonObject[]; readonly metadata?: Json };
  const [code, shownFormulas] = [codeHighlighter(), formulas()];
  const marked = new Marked({ gfm: true }, shownFormulas.extension, {
    renderer: {
      code: ({ text: fenced, lang = '' }) => `<pre><code>${code(fenced, lang.split(/\s/)[0] ?? '')}\n</code></pre>\n`,
    },
  });
  const parts: PageParts = { language: languageOf(metadata), code, marked, formulas: shownFormulas };
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(name)}</title>
<style>
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #1a1a1a; overflow-wrap: anywhere }
pre, code { font: 0.9rem/1.4 ui-monospace, monospace }
pre { margin: 0; padding: 0.6rem 0.8rem; overflow-x: auto; white-space: pre-wrap }
.code, .markdown code { background: #f4f4f4 } .stderr, .error { background: #fdecea }
.cell { margin: 1rem 0 } .count { color: #767676; font-size: 0.8rem }
table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: 0.3rem 0.6rem } img { max-width: 100% }
.bold { font-weight: bold } .red { color: #b02a2a } .green { color: #1a7a1a } .yellow { color: #8a6500 }
.blue { color: #1f4fbf } .magenta { color: #96329b } .cyan { color: #0b7285 }
.hljs-keyword, .hljs-literal { color: #a3142f } .hljs-string, .hljs-regexp { color: #0a5c2b } .hljs-comment { color: #5f6770; font-style: italic }
.hljs-number, .hljs-built_in, .hljs-attr, .hljs-meta { color: #0550ae } .hljs-title, .hljs-section, .hljs-name { color: #6c3bbd }
</style>
</head>
<body>
<h1>${escaped(name)}</h1>
${cells.map((cell) => cellHtml(cell, parts)).join('\n')}
</body>
</html>
`;
}

/** As Jupyter writes it into a notebook; of most that say nothing it is Python. */
function languageOf(metadata: Json | undefined): string {
  const { language_info: info, kernelspec } = (metadata ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
  const language = info?.['name'] ?? kernelspec?.['language'];
  return typeof language === 'string' ? language.toLowerCase() : 'python';
}

function cellHtml(cell: JsonObject, parts: PageParts): string {
  const source = sourceOf(cell);
  if (cell['cell_type'] === 'markdown') {
    return `<div class="cell markdown">${markdownHtml(withAttachments(source, cell), parts)}</div>`;
  }
  if (cell['cell_type'] !== 'code') return `<div class="cell"><pre>${escaped(source)}</pre></div>`;
  const count = typeof cell['execution_count'] === 'number' ? `[${cell['execution_count']}]` : '';
  const outputs = ((cell['outputs'] ?? []) as readonly JsonObject[]).map((output) => outputHtml(output, parts));
  return [
    `<div class="cell"><div class="count">${count}</div><pre class="code">${parts.code(source, parts.language)}</pre>`,
    ...outputs,
    '</div>',
  ].join('\n');
}

function outputHtml(output: JsonObject, parts: PageParts): string {
  if (output['output_type'] === 'stream') {
    const name = output['name'] === 'stderr' ? 'stderr' : 'stdout';
    return `<pre class="${name}">${ansiHtml(joined(output['text']))}</pre>`;
  }
  if (output['output_type'] === 'error') {
    const lines = (output['traceback'] ?? []) as readonly Json[];
    return `<pre class="error">${ansiHtml(lines.map(joined).join('\n'))}</pre>`;
  }
  return dataHtml((output['data'] ?? {}) as JsonObject, parts);
}

/** The best of what an output is at the same time; of HTML what neither runs nor is fetched. */
function dataHtml(data: JsonObject, parts: PageParts): string {
  for (const type of PICTURES) {
    const picture = withoutSpace(`data:${type};base64,${joined(data[type])}`);
    if (type in data && heldPicture.test(picture)) return `<img src="${picture}" alt="">`;
  }
  if ('text/html' in data) return `<div>${safe(joined(data['text/html']))}</div>`;
  if ('text/markdown' in data) return `<div>${markdownHtml(joined(data['text/markdown']), parts)}</div>`;
  if ('text/latex' in data) return `<div>${parts.formulas.latex(joined(data['text/latex']))}</div>`;
  return `<pre>${ansiHtml(joined(data['text/plain']))}</pre>`;
}

/** Pictures in the cell itself take the place of their names. */
function withAttachments(source: string, { attachments }: JsonObject): string {
  return Object.entries((attachments ?? {}) as Readonly<Record<string, JsonObject>>).reduce((text, [name, data]) => {
    const type = PICTURES.find((known) => known in data);
    if (type === undefined) return text;
    const picture = `data:${type};base64,${withoutSpace(joined(data[type]))}`;
    return text.replaceAll(`attachment:${name}`, () => picture);
  }, source);
}

/** As it was written where it is nested so deeply that it cannot be read. */
function markdownHtml(text: string, { marked, formulas: { show } }: PageParts): string {
  try {
    return show(safe(marked.parse(text, { async: false })));
  } catch (error) {
    if (error instanceof RangeError) return `<pre>${escaped(text)}</pre>`;
    throw error;
  }
}

const safe = (html: string): string =>
  sanitizeHtml(html, {
    allowedTags: [...sanitizeHtml.defaults.allowedTags, 'img', 'del', 'details', 'summary'],
    allowedAttributes: {
      a: ['href', 'title', 'rel'],
      img: ['src', 'alt', 'width', 'height'],
      ol: ['start'],
      td: ['align', 'colspan', 'rowspan'],
      th: ['align', 'colspan', 'rowspan'],
    },
    allowedClasses: { span: ['hljs-*'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['data'] },
    allowProtocolRelative: false,
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !heldPicture.test(withoutSpace(attribs['src'] ?? '')),
    transformTags: { a: sanitizeHtml.simpleTransform('a', { rel: 'noopener noreferrer nofollow' }) },
    nestingLimit: 40,
  });

/** A text, or its lines. */
const joined = (value: Json | undefined): string =>
  Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '';
