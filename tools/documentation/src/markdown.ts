/** The text of a page without its blocks of code. */
export const withoutCode = (page: string): string => page.replace(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '');

/** Where its links lead within the repository: paths as they are written, and the heading after `#`. */
export const relativeLinks = (page: string): { path: string; heading: string | undefined }[] =>
  [...withoutCode(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path = '', heading]) => ({
    path,
    heading,
  }));

/** What is written as code within its text, word by word. */
const codeWords = (page: string): string[] =>
  [...withoutCode(page).matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => code.split(/\s+/));

/**
 * What a page names as a file or folder: by its ending or a slash behind it, or from one of these folders on. Addresses,
 * packages and what a home directory holds are not meant.
 */
export const namedPaths = (page: string, roots: ReadonlySet<string>): string[] =>
  codeWords(page)
    .filter((word) => /^[\w*][\w.*-]*(\/[\w.*-]+)*\/?$/.test(word))
    .filter(
      (word) => FILE.test(word) || word.endsWith('/') || (word.includes('/') && roots.has(word.split('/')[0] ?? '')),
    );

const FILE = /\.(m?ts|md|proto|py|mjs)$/;

/**
 * Matches the paths that a page means by a name: those that end so. Words in capitals, as in `src/AREA/NAME.ts`, stand for
 * any, and `*` for a part of a name.
 */
export function pathPattern(named: string): RegExp {
  const pattern = named
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/\*|(?<![A-Za-z])[A-Z]+(?![A-Za-z])/g, '[^/]+');
  return new RegExp(`(^|/)${pattern}$`);
}

/** What `#` may be followed by: each heading as GitHub names it. */
export const headings = (page: string): Set<string> =>
  new Set(
    [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

/** Words as `wc -w` counts them. */
export const wordCount = (page: string): number => page.split(/\s+/).filter((word) => word !== '').length;
