/** In code points. Longer names are cut: some file systems take no more. */
const MAX_LENGTH = 200;

/** `Content-Disposition` of a file to be saved under this name (RFC 6266): in ASCII for old clients, and as it is. */
export function attachment(filename: string): string {
  const name = shortFilename(filename.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}/\\]/gu, '_').trim() || 'file');
  const plain = name.replaceAll(/[^\x20-\x7e]|["%;]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Keeps the ending, by which files are known. */
export function shortFilename(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= MAX_LENGTH) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  return `${characters.slice(0, MAX_LENGTH - ending.length).join('')}${ending}`;
}
