/** Of a whole path, in characters, and of each name in it, in bytes, as file systems have it. */
const MAX_PATH = 300;
export const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 16;

/** What is wrong with the path of a file in a notebook's folder, in words; undefined: nothing. */
export function pathProblem(path: string): string | undefined {
  const names = path.split('/');
  if (path.length > MAX_PATH) return `it has more than ${String(MAX_PATH)} characters`;
  if (names.length > MAX_DEPTH) return `it has more than ${String(MAX_DEPTH)} names`;
  if (names.includes('')) return 'a name in it is empty';
  if (names.includes('.') || names.includes('..')) return 'it has `.` or `..` in it';
  // oxlint-disable-next-line no-control-regex -- such names are nobody's
  if (/[\\\u0000-\u001f\u007f]/.test(path)) return 'it has a backslash or a control character in it';
  if (!path.isWellFormed()) return 'it is no text';
  if (names.some((name) => new TextEncoder().encode(name).length > MAX_NAME_BYTES))
    return `a name in it has more than ${String(MAX_NAME_BYTES)} bytes`;
  return undefined;
}

/** The folders on the way to a path, the outermost first: of `a/b/c` these are `a` and `a/b`. */
export const foldersOn = (path: string): string[] => {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
};

export const isWithin = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
