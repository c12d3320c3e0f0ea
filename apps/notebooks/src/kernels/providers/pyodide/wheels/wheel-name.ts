import { normalName } from './requirement.ts';

/** What the name of a wheel says (PEP 427). */
export interface WheelName {
  readonly file: string;
  readonly name: string;
  readonly version: string;
}

const parts = /^([^-/]+)-([^-/]+)(?:-\d[^-/]*)?-([^-/]+)-([^-/]+)-([^-/]+)\.whl$/;
const ANY_PYTHON = ['py3', 'py314', 'cp314'];
const PLATFORMS = ['pyemscripten_2026_0_wasm32', 'pyodide_2026_0_wasm32'];

/** Undefined: no wheel, or none for the Python of Pyodide 314. */
export function readWheelName(file: string): WheelName | undefined {
  const [, name = '', version = '', pythons = '', abis = '', platforms = ''] = parts.exec(file) ?? [];
  const has = (tags: string, wanted: readonly string[]) => tags.split('.').some((tag) => wanted.includes(tag));
  const isPure = has(pythons, ANY_PYTHON) && has(abis, ['none']) && has(platforms, ['any', ...PLATFORMS]);
  const isBuilt = has(pythons, ['cp314']) && has(abis, ['cp314', 'abi3']) && has(platforms, PLATFORMS);
  return isPure || isBuilt ? { file, name: normalName(name), version } : undefined;
}
