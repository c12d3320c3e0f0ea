import { createRequire } from 'node:module';
import { escaped } from './ansi-html.ts';

/** Its own types would bring those of browsers into every file of the repository. */
const require = createRequire(import.meta.url);
const highlighter = require('highlight.js/lib/common') as {
  readonly getLanguage: (name: string) => object | undefined;
  readonly highlight: (
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ) => { readonly value: string };
};

/** Of one piece of code, in characters; what is longer is shown without colours. */
const MAX_CODE = 100_000;
/** Of all code of a page: a million takes about a second. */
const MAX_OF_PAGE = 2_000_000;

/** Code as HTML with classes for its colours, as long as there is not too much of it on a page. */
export function codeHighlighter(): (code: string, language: string) => string {
  let length = 0;
  return (code, language) => {
    length += code.length;
    if (code.length > MAX_CODE || length > MAX_OF_PAGE || !highlighter.getLanguage(language)) return escaped(code);
    return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
  };
}
