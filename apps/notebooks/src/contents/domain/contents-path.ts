/** What a path of a Jupyter client means. */
export type ContentsPath =
  | { readonly kind: 'root' }
  /** `Sales.ipynb`: the notebook `Sales`. */
  | { readonly kind: 'notebook'; readonly name: string }
  /** `Sales`: its folder. */
  | { readonly kind: 'folder'; readonly name: string }
  /** `Sales/results/2026.csv`: what lies in it. */
  | { readonly kind: 'entry'; readonly name: string; readonly path: string };

export const ENDING = '.ipynb';
const MAX_NAME = 255;

/** Undefined where nothing can be. */
export function contentsPath(given: string): ContentsPath | undefined {
  const path = given.replace(/^\/+/, '');
  const [first = '', ...others] = path.split('/');
  if (path === '') return { kind: 'root' };
  const isNotebook = others.length === 0 && first.endsWith(ENDING);
  const name = isNotebook ? first.slice(0, -ENDING.length) : first;
  // oxlint-disable-next-line no-control-regex -- the contract allows no name of a notebook with such characters either
  if (name === '' || name.length > MAX_NAME || /[\\\u0000-\u001f]/.test(name)) return undefined;
  if (isNotebook) return { kind: 'notebook', name };
  return others.length === 0 ? { kind: 'folder', name } : { kind: 'entry', name, path: others.join('/') };
}

/** Whether the folder of a notebook is seen beside it: one that is called as another notebook's file is not. */
export const hasVisibleFolder = (name: string): boolean => !name.endsWith(ENDING) && !/^\.{1,2}$/.test(name);

/** What is called so, numbered where that is taken: `untitled.py`, `untitled1.py`. */
export const numbered = (stem: string, ending: string, separator: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${stem}${at === 0 ? '' : `${separator}${String(at)}`}${ending}`);

/** As Jupyter calls copies: by the same name elsewhere, else `b-Copy1.tar.gz`; a copy of a copy is another one of the same. */
export function copyNames(name: string, count: number): readonly string[] {
  const dot = name.indexOf('.', 1);
  const [stem, ending] = dot === -1 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
  return numbered(stem.replace(/-Copy\d*$/, ''), ending, '-Copy', count);
}
