/** One instruction of a Dockerfile: its name and the rest of its line, continuation lines joined. */
export type Instruction = { name: string; words: string };

export const parseDockerfile = (text: string): Instruction[] =>
  text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => /^\s*([A-Z]+)\s+(.+?)\s*$/.exec(line))
    .flatMap((match) =>
      match?.[1] !== undefined && match[2] !== undefined ? [{ name: match[1], words: match[2] }] : [],
    );

/** The paths that COPY takes from the build context, not those from an earlier stage. */
export const copiedFromContext = (instructions: readonly Instruction[]): string[] =>
  instructions
    .filter(({ name, words }) => name === 'COPY' && !words.includes('--from='))
    .flatMap(({ words }) =>
      words
        .split(/\s+/)
        .filter((word) => !word.startsWith('--'))
        .slice(0, -1),
    );

/** The instructions of the image itself: those of the last stage. */
export const lastStage = (instructions: readonly Instruction[]): Instruction[] =>
  instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
