/** The blocks of shell commands of a page as they stand. */
export const shellBlocksIn = (page: string): string[] =>
  [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);

/** The commands of a page, each for itself; a backslash continues one on the next line. */
export const commandsIn = (page: string): string[] =>
  shellBlocksIn(page).flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#')),
  );
