export interface ShellBlock {
  readonly commands: string;
  /** The cells of tables and what a chart shows right behind it, with no word between: what the page says that is answered. */
  readonly answered: readonly string[];
}

/** The blocks of a page, with what it shows of their answers. */
export function shellBlocksIn(page: string): ShellBlock[] {
  const [, ...parts] = page.split(/^```sh\n/m);
  return parts.map((part) => {
    const [commands = '', ...rest] = part.split(/^```$/m);
    const [, tables = '', chart = ''] =
      /^((?:\n*(?:\|.*\n)+)*)(?:\n*```mermaid\n(xychart-beta\n(?:.+\n)+))?/.exec(rest.join('')) ?? [];
    const rows = [...tables.matchAll(/^\|[-: |]+\|\n((?:\|.*\|\n)+)/gm)].flatMap(([, body = '']) =>
      body.trim().split('\n'),
    );
    const shown = [...chart.matchAll(/^ *(?:x-axis|bar) .*\[(.*)\]$/gm)].flatMap(([, values = '']) =>
      values.split(', '),
    );
    return { commands, answered: [...rows.flatMap(cellsOf), ...shown] };
  });
}

const cellsOf = (row: string): string[] =>
  row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim().replaceAll('`', ''));

/** The blocks of JavaScript of a page. */
export const scriptsIn = (page: string): string[] =>
  [...page.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, script = '']) => script);

/** The commands of a page, each for itself; a backslash continues one on the next line. */
export const commandsIn = (page: string): string[] =>
  shellBlocksIn(page).flatMap(({ commands }) =>
    commands
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#')),
  );
