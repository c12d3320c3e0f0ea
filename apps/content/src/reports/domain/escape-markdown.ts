/** Text on one line, in which nothing is a mark of Markdown or HTML. */
export const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_{}[\]()#+.!|<>~&:/@-]/g, String.raw`\$&`);
