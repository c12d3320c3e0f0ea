import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Exchange } from '../exchange/exchange.ts';
import type { Fail } from '../pipeline/policy.ts';
import { GUIDES, GUIDES_PATH, renderGuide, type Guide } from './guides.ts';
import { keptFile, type FileSource } from './kept-file.ts';

export interface SignIn {
  /** Whose tokens the gateway takes. */
  readonly issuer: string;
  /** A public client of the issuer; without one, people paste a token or a key. */
  readonly clientId: string | undefined;
}

const require = createRequire(import.meta.url);

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLES = 'text/css; charset=utf-8';

/** The reference of the interface, made in the browser from `/openapi.json`, and the guides; by exact path. */
export function documentationPages(signIn: SignIn, fail: Fail): ReadonlyMap<string, (exchange: Exchange) => void> {
  const headers = pageHeaders(signIn);
  const html = (text: () => string | Promise<string>): FileSource => ({
    contentType: HTML,
    headers,
    read: async () => Buffer.from(await text()),
  });
  const own = (name: string) => () => readFile(path.join(import.meta.dirname, '../../public', name));
  const renderer = (name: string) => () => readFile(path.join(folderOfRenderer(), name));
  const files: readonly (readonly [string, FileSource])[] = [
    ['/docs', html(() => referencePage(signIn))],
    ['/docs/documentation.css', { contentType: STYLES, read: own('documentation.css') }],
    ['/docs/reference.js', { contentType: SCRIPT, read: own('reference.js') }],
    ['/docs/swagger-ui.css', { contentType: STYLES, read: renderer('swagger-ui.css') }],
    ['/docs/swagger-ui-bundle.js', { contentType: SCRIPT, read: renderer('swagger-ui-bundle.js') }],
    // Where the issuer sends people back to.
    ['/docs/oauth2-redirect.html', { contentType: HTML, headers, read: renderer('oauth2-redirect.html') }],
    ['/docs/oauth2-redirect.js', { contentType: SCRIPT, read: renderer('oauth2-redirect.js') }],
    ...GUIDES.map((guide) => [GUIDES_PATH + guide.name, html(() => guidePage(guide))] as const),
  ];
  return new Map(files.map(([address, source]) => [address, keptFile(source, fail)]));
}

const folderOfRenderer = (): string => path.dirname(require.resolve('swagger-ui-dist/package.json'));

/** Nothing comes from elsewhere, and the page speaks to nobody but this server and, to sign in, the issuer. */
function pageHeaders({ issuer, clientId }: SignIn): readonly string[] {
  const connections = clientId === undefined ? "'self'" : `'self' ${new URL(issuer).origin}`;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The renderer gives its elements styles of their own.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${connections}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return ['Content-Security-Policy', policy, 'Referrer-Policy', 'no-referrer'];
}

const referencePage = ({ issuer, clientId }: SignIn): string =>
  page({
    title: 'Platform Backend API',
    head: '<link rel="stylesheet" href="/docs/swagger-ui.css">',
    main:
      '<div id="reference">This page needs JavaScript; <a href="/openapi.json">the description</a> does not.</div>' +
      '<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/reference.js" type="module"></script>',
    data: clientId === undefined ? {} : { issuer, 'client-id': clientId },
  });

const guidePage = async (guide: Guide): Promise<string> =>
  page({ title: guide.title, main: `<article>${await renderGuide(guide)}</article>` });

interface PageParts {
  readonly title: string;
  readonly head?: string;
  readonly main: string;
  /** For the script of the page. */
  readonly data?: Readonly<Record<string, string>>;
}

function page({ title, head = '', main, data = {} }: PageParts): string {
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escaped(value)}"`);
  const links = GUIDES.map((guide) => `<a href="${GUIDES_PATH}${guide.name}">${guide.title}</a>`);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${title}</title>${head}<link rel="stylesheet" href="/docs/documentation.css"><link rel="icon" href="data:,"></head>`,
    `<body${attributes.join('')}><nav><a href="/docs">Reference</a>${links.join('')}</nav>`,
    `<main>${main}</main></body></html>`,
  ].join('\n');
}

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0).toString()};`);
