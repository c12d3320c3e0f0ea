/** The text of a page without its blocks of code. */
export const withoutCode = (page: string): string => page.replace(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '');

/** Where its links lead within the repository: paths as they are written, and the heading after `#`. */
export const relativeLinks = (page: string): { path: string; heading: string | undefined }[] =>
  [...withoutCode(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path = '', heading]) => ({
    path,
    heading,
  }));

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
