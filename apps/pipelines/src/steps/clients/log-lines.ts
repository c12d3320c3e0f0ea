/** Makes lines of text that comes in pieces. What a line has beyond the longest is left out. */
export function logLines(onLine: (line: string) => void, longest: number) {
  let rest = '';
  return {
    write(text: string): void {
      const [first = '', ...others] = text.split(/\r\n|[\r\n]/);
      rest = (rest + first).slice(0, longest);
      for (const other of others) {
        onLine(rest);
        rest = other.slice(0, longest);
      }
    },
    /** What is left without an end is a line as well. */
    end(): void {
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
