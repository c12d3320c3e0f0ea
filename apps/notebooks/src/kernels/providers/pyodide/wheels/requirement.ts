import { satisfies } from '@renovatebot/pep440';
import { parsePipRequirementsLine, type EnvironmentMarker, type EnvironmentMarkerNode } from 'pip-requirements-js';

/** A package that is wanted, and in which versions. */
export interface Requirement {
  /** As indexes have it. */
  readonly name: string;
  /** As PEP 440 has them, `>=2,<3`; empty: any. */
  readonly versions: string;
}

/** One name for one package, however it is written (PEP 503). */
export const normalName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

/** @throws Error when it is none, or names an address or a file. */
export function readRequirement(text: string): Requirement | undefined {
  const read = parsePipRequirementsLine(text);
  if (read?.type !== 'ProjectName') throw new Error(`${text} is no requirement of a package`);
  if (read.environmentMarkerTree && !holds(read.environmentMarkerTree)) return undefined;
  const versions = (read.versionSpec ?? []).map(({ operator, version }) => `${operator}${version}`).join(',');
  return { name: normalName(read.name), versions };
}

export const fits = (version: string, { versions }: Pick<Requirement, 'versions'>): boolean =>
  versions === '' || satisfies(version, versions, { prereleases: true });

/** Of Pyodide 314, as its Python tells of itself. */
export const PYTHON_VERSION = '3.14.2';
const HERE: Readonly<Record<string, string>> = {
  python_version: '3.14',
  python_full_version: PYTHON_VERSION,
  implementation_version: PYTHON_VERSION,
  os_name: 'posix',
  sys_platform: 'emscripten',
  platform_system: 'Emscripten',
  platform_machine: 'wasm32',
  platform_python_implementation: 'CPython',
  implementation_name: 'cpython',
};
const isVersion = (variable: string): boolean => variable.endsWith('_version');

function holds(marker: EnvironmentMarker): boolean {
  if (isNode(marker)) {
    const sides = [marker.left, marker.right];
    return marker.operator === 'and' ? sides.every(holds) : sides.some(holds);
  }
  const operator: string = marker.operator;
  const [left, right] = [valueOf(marker.left), valueOf(marker.right)];
  if (operator === 'in') return right.includes(left);
  if (operator === 'not in') return !right.includes(left);
  if (isVersion(marker.left)) return satisfies(left, `${operator}${right}`, { prereleases: true });
  return operator === '!=' ? left !== right : left === right;
}

const isNode = (marker: EnvironmentMarker): marker is EnvironmentMarkerNode => ['and', 'or'].includes(marker.operator);

/** A text in quotes, or what a variable is here; of extras none is asked for. */
const valueOf = (side: string): string => (/^['"]/.test(side) ? side.slice(1, -1) : (HERE[side] ?? ''));
