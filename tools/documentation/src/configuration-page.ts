import { text, type Setting, type Settings } from '@platform-backend/core';

/** A program with the variables that it reads. */
export interface Program {
  readonly name: string;
  /** A page of its own that says more, as a link from docs/. */
  readonly page?: string;
  readonly variables: Settings;
}

/** All that reads an environment. */
export interface Programs {
  readonly start: Program;
  /** What runs: the gateway and the services. Variables that several of them read alike are described once. */
  readonly processes: readonly Program[];
  readonly jobs: readonly Program[];
}

const INTRODUCTION = `# Configuration

Everything is read from the environment once, at the start; a wrong or missing value ends the start with one sentence that
names every problem. \`npm start\` sets whatever is required: it makes the keys, and runs a PostgreSQL, a MongoDB, a NATS and an
OpenID provider of its own. A value of your own replaces the part that it names.

This page is made of the schemas by which the programs read their environment: \`npm run generate:configuration\` writes it.

**Addresses of services** are \`host:port\`, or where a service has several replicas \`host:port,host:port\` or
\`dns:///name:port\`, a name that stands for all of them. Calls take turns on the replicas; one that is restarted costs no
request, one that dies none that only reads ([0041](decisions/0041-several-replicas.md)).
`;

/** docs/configuration.md. */
export function configurationPage({ start, processes, jobs }: Programs): string {
  const readers = readersByRow(processes);
  const shared = [...readers].filter(([, names]) => names.length > 1);
  const rowsOf = (program: Program): string[] => rowsIn(program.variables);
  return [
    INTRODUCTION,
    section(start.name, table(rowsOf(start))),
    section(
      'Read by several',
      table(
        shared.map(([row, names]) => `${row} ${readersInWords(names, processes)} |`),
        'Read by',
      ),
    ),
    ...processes.map((program) => {
      const own = rowsOf(program).filter((row) => readers.get(row)?.length === 1);
      const others = shared
        .filter(([, names]) => names.includes(program.name) && !isReadByMost(names, processes))
        .map(([row]) => variableIn(row));
      return section(
        program.name,
        program.page === undefined ? '' : `What it is: [${program.page.slice('../'.length)}](${program.page}).\n\n`,
        table(own),
        others.length === 0 ? '' : `\nAlso ${others.join(', ')}: [see above](#read-by-several).\n`,
      );
    }),
    ...jobs.map((program) => section(program.name, table(rowsOf(program)))),
  ].join('\n');
}

/** The variables that nobody has described. */
export const undescribed = ({ start, processes, jobs }: Programs): string[] =>
  [start, ...processes, ...jobs].flatMap(({ name, variables }) =>
    Object.entries(variables).flatMap(([variable, { description }]) => (description ? [] : [`${variable} of ${name}`])),
  );

function readersByRow(processes: readonly Program[]): ReadonlyMap<string, readonly string[]> {
  const readers = new Map<string, string[]>();
  for (const { name, variables } of processes) {
    for (const row of rowsIn(variables)) readers.set(row, [...(readers.get(row) ?? []), name]);
  }
  return readers;
}

const isReadByMost = (names: readonly string[], processes: readonly Program[]): boolean =>
  names.length >= processes.length - 1;

const readersInWords = (names: readonly string[], processes: readonly Program[]): string => {
  if (names.length === processes.length) return 'every process';
  const left = processes.find(({ name }) => !names.includes(name));
  return isReadByMost(names, processes) && left ? `all but ${left.name}` : names.join(', ');
};

const section = (title: string, ...parts: readonly string[]): string => `## ${title}\n\n${parts.join('')}`;

function table(rows: readonly string[], ...columns: readonly string[]): string {
  const head = ['Variable', 'Default', 'Value', 'Meaning', ...columns];
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows, ''].join('\n');
}

const rowsIn = (variables: Settings): string[] =>
  Object.entries(variables).map(
    ([name, setting]) =>
      `| \`${name}\` | ${defaultOf(name, setting)} | ${inTable(valueOf(setting))} | ${inTable(setting.description ?? '')} |`,
  );

/** Free text is said in one word. */
const valueOf = ({ mustBe }: Setting<unknown>): string => (mustBe === text().mustBe ? 'text' : mustBe);

const variableIn = (row: string): string => /`\w+`/.exec(row)?.[0] ?? '';

const inTable = (words: string): string => words.replaceAll('|', '\\|');

function defaultOf(name: string, { fallback, defaultDescription }: Setting<unknown>): string {
  if (defaultDescription !== undefined) return inTable(defaultDescription);
  if (fallback === undefined) return 'required';
  const { value } = fallback;
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'number') return `${value}${inMebibytes(name, value)}`;
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

const MIB = 1024 * 1024;

const inMebibytes = (name: string, value: number): string =>
  name.endsWith('_BYTES') && value % MIB === 0 ? ` (${value / MIB} MiB)` : '';
