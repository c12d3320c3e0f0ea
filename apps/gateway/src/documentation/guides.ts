import type { Tokens } from 'marked';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const DOCS = path.join(import.meta.dirname, '../../../../docs');

/** The pages of `docs/` that are for clients, in reading order: their names in the address, their files and titles. */
export const GUIDES = [
  { name: 'first-steps', file: 'first-steps.md', title: 'First steps' },
  { name: 'web-application', file: 'guides/web-application.md', title: 'Build a web application' },
  { name: 'authentication', file: 'guides/authentication.md', title: 'Authentication' },
  { name: 'errors', file: 'guides/errors.md', title: 'Errors' },
  { name: 'error-codes', file: 'errors.md', title: 'Codes of errors' },
  { name: 'paging', file: 'guides/paging.md', title: 'Paging' },
  { name: 'idempotency', file: 'guides/idempotency.md', title: 'Idempotency' },
  { name: 'etags', file: 'guides/etags.md', title: 'ETags' },
  { name: 'limits', file: 'guides/limits.md', title: 'Limits' },
  { name: 'events', file: 'guides/events.md', title: 'Events' },
  { name: 'streams', file: 'guides/streams.md', title: 'Streams' },
  { name: 'uploads', file: 'guides/uploads.md', title: 'Uploads' },
  { name: 'access', file: 'guides/access.md', title: 'Access' },
  { name: 'tool-servers', file: 'guides/tool-servers.md', title: 'Tools of your own' },
  { name: 'openai-clients', file: 'guides/openai-clients.md', title: 'Clients of OpenAI' },
  { name: 'pipelines', file: 'guides/pipelines.md', title: 'Pipelines' },
  { name: 'notebooks', file: 'guides/notebooks.md', title: 'Notebooks' },
  { name: 'billing', file: 'guides/billing.md', title: 'Billing' },
  { name: 'billing-credits', file: 'guides/billing-credits.md', title: 'Billing for customers' },
  { name: 'usage', file: 'guides/usage.md', title: 'Usage and exports' },
] as const;

/** Where the guides are: `/docs/guides/paging`. */
export const GUIDES_PATH = '/docs/guides/';

export type Guide = (typeof GUIDES)[number];

/** A guide as HTML, without what surrounds it. Its text is ours, so nothing in it is made harmless. */
export async function renderGuide({ file }: Guide): Promise<string> {
  // Only now: a gateway that shows nobody a guide has no use for it.
  const [{ Marked }, source] = await Promise.all([import('marked'), readFile(path.join(DOCS, file), 'utf8')]);
  const marked = new Marked({
    async: true,
    // A page is served alone: its pictures come with it.
    async walkTokens(token) {
      if (token.type === 'image')
        (token as Tokens.Image).href = await embeddedPicture(path.join(DOCS, file, '..', token['href'] as string));
    },
    renderer: {
      heading({ depth, tokens, text }) {
        const anchor = headingAnchor(text);
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const address = addressOf(href, file);
        return address === undefined ? words : `<a href="${address}">${words}</a>`;
      },
    },
  });
  return await marked.parse(source);
}

const embeddedPicture = async (file: string): Promise<string> =>
  `data:image/svg+xml;base64,${await readFile(file, 'base64')}`;

/** As GitHub makes them, for links to a heading. */
const headingAnchor = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Where a link of a guide leads here; undefined for a page that is for developers of the platform and not shown. */
function addressOf(href: string, from: string): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [target = '', heading] = href.split('#');
  const file = path.posix.join(path.posix.dirname(from), target);
  const guide = GUIDES.find((one) => one.file === file);
  return guide && `${GUIDES_PATH}${guide.name}${heading === undefined ? '' : `#${heading}`}`;
}
