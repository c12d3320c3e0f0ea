/** The blocks of shell commands of a page, each a command as it stands; a backslash continues one on the next line. */
export const commandsIn = (page: string): string[] =>
  [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#')),
  );
