import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where systems keep their fonts. */
const FOLDERS: readonly string[] = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homedir(), '.fonts'),
  '/System/Library/Fonts',
  '/Library/Fonts',
  'C:\\Windows\\Fonts',
];

/** Fonts of Chinese, Japanese and Korean, which are too large to come along: 5 MB and more each. Those of all three come first. */
const NAMES: readonly RegExp[] = [
  /^NotoSans(CJK|JP|SC|TC|KR).*(Regular|VF).*\.(ttc|otf|ttf)$/i,
  /^SourceHanSans.*Regular.*\.(ttc|otf|ttf)$/i,
  /^(wqy-|DroidSansFallback|Arial Unicode|YuGothM|msyh|malgun|PingFang|Hiragino Sans)/i,
  /^(ipag|fonts-japanese-gothic|VL-Gothic)/i,
];

/** How deep folders are looked into. */
const MAX_DEPTH = 4;

/** The font files of this machine that have East Asian letters, the best first. What cannot be read is passed over. */
export function eastAsianFontFiles(folders: readonly string[] = FOLDERS): readonly string[] {
  const files = folders.flatMap((folder) => filesIn(folder, MAX_DEPTH));
  return NAMES.flatMap((name) => files.filter((file) => name.test(file.name)).map(({ path }) => path));
}

interface FontFile {
  readonly name: string;
  readonly path: string;
}

function filesIn(folder: string, depth: number): readonly FontFile[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return depth > 1 ? filesIn(path, depth - 1) : [];
      return [{ name: entry.name, path }];
    });
  } catch {
    return [];
  }
}
