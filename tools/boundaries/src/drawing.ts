import { posix } from 'node:path';
import { locationOf } from './layers.ts';
import type { SourceFile } from './source-file.ts';
import type { Workspace } from './workspace.ts';

/** What builds on what: areas by their names, each with those that it imports. */
export type AreaGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** The areas of each service that has some, by the name of its folder. */
export function areaGraphs(files: readonly SourceFile[], { projects }: Workspace): ReadonlyMap<string, AreaGraph> {
  const services = projects.filter(({ areas }) => areas !== undefined);
  return new Map(
    services.map(({ directory, areas = [] }) => {
      const graph = new Map(areas.map((area) => [area, new Set<string>()]));
      for (const { path, imports } of files) {
        const own = path.startsWith(`${directory}/`) ? areaOf(path, directory, areas) : undefined;
        if (own === undefined || /\.test\.ts$|\/test\//.test(path)) continue;
        for (const { specifier } of imports.filter(({ specifier: one }) => one.startsWith('.'))) {
          const other = areaOf(posix.join(posix.dirname(path), specifier), directory, areas);
          if (other !== undefined && other !== own) graph.get(own)?.add(other);
        }
      }
      return [directory.replace('apps/', ''), graph] as const;
    }),
  );
}

const areaOf = (path: string, directory: string, areas: readonly string[]): string | undefined => {
  const { area } = locationOf(path.slice(directory.length + 1), areas);
  return area !== undefined && areas.includes(area) ? area : undefined;
};

/** Only the edges that no longer way goes along: a drawing of all would be a thicket. */
export function transitiveReduction(graph: AreaGraph): AreaGraph {
  const reaches = (from: string, to: string): boolean =>
    [...(graph.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return new Map(
    [...graph].map(([area, others]) => [
      area,
      new Set(
        [...others].filter((other) => ![...others].some((between) => between !== other && reaches(between, other))),
      ),
    ]),
  );
}

/** A flowchart of Mermaid: whoever builds on an area stands above it. */
export function mermaid(graph: AreaGraph): string {
  const lines = [...transitiveReduction(graph)].flatMap(([area, others]) => [
    `  ${area}`,
    ...[...others].sort().map((other) => `  ${area} --> ${other}`),
  ]);
  return ['```mermaid', 'flowchart TB', ...lines, '```'].join('\n');
}

const BEGIN = '<!-- drawn by npm run boundaries -- --draw -->';
const END = '<!-- the end of what is drawn -->';

/** The page with the areas of all services drawn anew, between its two marks. */
export function drawnPage(page: string, graphs: ReadonlyMap<string, AreaGraph>): string {
  const [head, rest = ''] = page.split(BEGIN);
  const [, tail] = rest.split(END);
  if (tail === undefined) throw new Error(`the page lacks ${BEGIN} and ${END}`);
  const drawings = [...graphs].map(([service, graph]) => `### ${service}\n\n${mermaid(graph)}\n\n`);
  return `${String(head)}${BEGIN}\n\n${drawings.join('')}${END}${tail}`;
}
