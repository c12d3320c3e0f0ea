import type { MarkedExtension, Tokens } from 'marked';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { escaped } from './ansi-html.ts';

/** Its own types would bring those of browsers into every file of the repository. */
const require = createRequire(import.meta.url);
const katex = require('katex') as {
  readonly renderToString: (tex: string, options: Readonly<Record<string, unknown>>) => string;
};

/** In characters; what is longer is shown as it was written. */
const MAX_FORMULA = 10_000;
/** Of all formulas of a page: reading them takes microseconds for each character. */
const MAX_FORMULAS = 500_000;

/** The formulas of one page: what Markdown and outputs say in TeX, as MathML, which browsers show without anything else. */
export interface Formulas {
  /** Finds formulas in Markdown, as Jupyter has them, and puts words in their place that `show` knows. */
  readonly extension: MarkedExtension;
  /** Puts the formulas where their words are, in HTML that has been made safe: what they become is safe by itself. */
  readonly show: (html: string) => string;
  /** An output of the type text/latex: formulas with what stands around them. */
  readonly latex: (text: string) => string;
}

export function formulas(): Formulas {
  /** Nobody who writes a notebook can guess it. */
  const word = `formula-${randomUUID()}-`;
  const shown: { readonly raw: string; readonly html: string }[] = [];
  /** What `\newcommand` makes is known from there to the end of the page. */
  const macros = {};
  let length = 0;

  const rendered = (tex: string, isDisplayed: boolean): string => {
    length += tex.length;
    if (tex.length > MAX_FORMULA || length > MAX_FORMULAS) return `<code>${escaped(tex)}</code>`;
    return katex.renderToString(tex, {
      output: 'mathml',
      displayMode: isDisplayed,
      throwOnError: false,
      strict: 'ignore',
      globalGroup: true,
      macros,
    });
  };
  const keep = ({ raw, tex, isDisplayed }: Formula): string =>
    `${word}${shown.push({ raw, html: rendered(tex, isDisplayed) }) - 1}.`;
  /** A tag, whose attributes have no `>` in HTML that has been made safe, or the word of a formula. */
  const tagOrWord = new RegExp(`<[^>]*>|${word}(\\d+)\\.`, 'g');
  const wordAlone = new RegExp(`${word}(\\d+)\\.`, 'g');

  return {
    extension: {
      extensions: [
        {
          name: 'formulaBlock',
          level: 'block',
          start: (text) => paragraphOf(text).match(/^ {0,3}(?:\$\$|\\\\?\[|\\begin\{)/m)?.index,
          tokenizer: (text) => tokenOf('formulaBlock', blockAt(text)),
          renderer: (token) => `<p>${keep(token as unknown as Formula)}</p>\n`,
        },
        {
          name: 'formula',
          level: 'inline',
          start: (text) => text.match(/\$|\\\\?[([]|\\begin\{/)?.index,
          tokenizer: (text) => tokenOf('formula', formulaAt(text)),
          renderer: (token) => keep(token as unknown as Formula),
        },
      ],
    },
    show: (html) =>
      html.replaceAll(tagOrWord, (found: string, index: string | undefined) =>
        index === undefined
          ? // What a picture is called has no elements in it.
            found.replaceAll(wordAlone, (_, inside: string) => escaped(shown[Number(inside)]?.raw ?? ''))
          : (shown[Number(index)]?.html ?? ''),
      ),
    latex(text) {
      let html = '';
      for (let rest = text; rest !== '';) {
        const found = formulaAt(rest);
        if (found) html += rendered(found.tex, found.isDisplayed);
        // Up to where the next one may begin.
        const plain = found ? 0 : (rest.slice(1).match(/[$\\]/)?.index ?? rest.length - 1) + 1;
        html += escaped(rest.slice(0, plain));
        rest = rest.slice(found?.raw.length ?? plain);
      }
      return html;
    },
  };
}

interface Formula {
  readonly raw: string;
  readonly tex: string;
  readonly isDisplayed: boolean;
}

const ENVIRONMENT = /^\\begin\{([a-zA-Z]{1,20}\*?)\}[^]{0,10000}?\\end\{\1\}/;
const DISPLAYED = [/^\$\$([^]{1,10000}?)\$\$/, /^\\\\?\[([^]{1,10000}?)\\\\?\]/];
/** A dollar before a number is money, `$5 and $6`, and a formula has no code in it. */
const INLINE = [/^\$(?![\s$])((?:\\[^]|[^$\\`]){1,10000}?)(?<!\s)\$(?!\d)/, /^\\\\?\(([^]{1,10000}?)\\\\?\)/];

/** The formula that a text begins with. */
function formulaAt(text: string): Formula | undefined {
  const [environment] = ENVIRONMENT.exec(text) ?? [];
  if (environment !== undefined) return { raw: environment, tex: environment, isDisplayed: true };
  for (const [patterns, isDisplayed] of [
    [DISPLAYED, true],
    [INLINE, false],
  ] as const) {
    for (const pattern of patterns) {
      const [raw, tex] = pattern.exec(text) ?? [];
      if (raw !== undefined && tex !== undefined) return { raw, tex: tex.trim(), isDisplayed };
    }
  }
  return undefined;
}

/** Up to its end: it is asked for each paragraph where the next formula begins, and would look through all that follows. */
function paragraphOf(text: string): string {
  const end = text.indexOf('\n\n');
  return end < 0 ? text : text.slice(0, end);
}

/** One that has its lines to itself. */
function blockAt(text: string): Formula | undefined {
  const indent = /^ {0,3}/.exec(text)?.[0] ?? '';
  const found = formulaAt(text.slice(indent.length));
  if (!found?.isDisplayed) return undefined;
  const raw = indent + found.raw;
  const [rest] = /^[ \t]*(?:\n+|$)/.exec(text.slice(raw.length)) ?? [];
  return rest === undefined ? undefined : { ...found, raw: raw + rest };
}

const tokenOf = (type: string, formula: Formula | undefined): (Tokens.Generic & Formula) | undefined =>
  formula && { type, ...formula };
